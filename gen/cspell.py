"""cspell.py -- numbers, texts and tables as C text. Knows nothing about models."""
from __future__ import annotations

import re
import struct

LIMITS = {"int8_t": (-(2**7), 2**7 - 1), "int16_t": (-(2**15), 2**15 - 1), "int32_t": (-(2**31), 2**31 - 1),
          "int64_t": (-(2**63), 2**63 - 1), "uint8_t": (0, 2**8 - 1), "uint16_t": (0, 2**16 - 1),
          "uint32_t": (0, 2**32 - 1), "uint64_t": (0, 2**64 - 1)}
# Reserved in C99, C11, C23 or C++, or certain to clash with <stdint.h> and <stdbool.h>.
KEYWORDS = frozenset("""
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const const_cast
    consteval constexpr constinit continue co_await co_return co_yield decltype default delete do double dynamic_cast
    else enum explicit export extern false float for friend goto if inline int long mutable namespace new noexcept not
    not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires restrict return short
    signed sizeof static static_assert static_cast struct switch template this thread_local throw true try typedef
    typeid typename typeof typeof_unqual union unsigned using virtual void volatile wchar_t while xor xor_eq main NULL
""".split())


def to_single(value: float) -> float:
    """The float32 nearest to a number; too large for one, or not a number at all, is a ValueError.

    >>> to_single(0.1)
    0.10000000149011612
    """
    try:
        single = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        single = float("inf")
    if single - single != 0:
        raise ValueError(f"not a finite float: {value!r}")
    return single


def c_real(value: float) -> str:
    """Spell a float32 so that C reads back the same bits: nine digits, always a dot or an exponent.

    >>> [c_real(v) for v in (1, 0.1, 1e-9, -0.0, 16777216, 1.5e-45, 3.4028234663852886e38)]
    ['1.0f', '0.100000001f', '9.99999972e-10f', '-0.0f', '16777216.0f', '1.40129846e-45f', '3.40282347e+38f']
    """
    text = f"{to_single(value):.9g}"
    return text + ("f" if any(c in text for c in ".e") else ".0f")


def c_int(value: int, kind: str = "int32_t") -> str:
    """Spell an integer of a fixed-width type, the smallest ones included, without a warning anywhere.

    >>> [c_int(5), c_int(-2**31), c_int(200, "uint8_t"), c_int(2**32 - 1, "uint32_t"), c_int(-7, "int8_t")]
    ['5', '(-2147483647 - 1)', '200u', '4294967295u', '-7']
    >>> c_int(70000, "int16_t")
    Traceback (most recent call last):
        ...
    ValueError: 70000 does not fit int16_t
    """
    low, high = LIMITS[kind]
    if not low <= value <= high:
        raise ValueError(f"{value} does not fit {kind}")
    if low and value == low and kind in ("int32_t", "int64_t"):
        return f"({c_int(value + 1, kind)} - 1)"  # C has no negative constants: -2147483648 is a long
    if kind.endswith("64_t"):
        return f"{kind[:-2].upper()}_C({value})"
    return str(value) if low else f"{value}u"


def c_text(text: str) -> str:
    r"""Spell any text as a C string of plain ASCII; other bytes of its UTF-8 form become octal escapes.

    >>> print(c_text('say "hi"\\n?'), c_text("9°"), c_text(""))
    "say \"hi\"\\n\?" "9\302\260" ""
    """
    out = []
    for byte in text.encode("utf-8"):
        char = chr(byte)
        if char in '"\\?':  # \? keeps trigraphs away
            out.append("\\" + char)
        else:
            out.append(char if 32 <= byte < 127 else f"\\{byte:03o}")
    return '"' + "".join(out) + '"'


def c_comment(text: str) -> str:
    """Text that cannot end a comment, start one, or continue a line: fit for /* ... */.

    >>> print(c_comment("a*/b"), c_comment("tab\\there"), c_comment("end\\\\"), c_comment("größe"))
    a* /b tab here end/ gr\\xf6\\xdfe
    """
    text = "".join(c if c.isprintable() else " " for c in text.expandtabs(1)).replace("\\", "/")
    text = text.replace("*/", "* /").replace("/*", "/ *").replace("??/", "? ? /")
    return text.encode("ascii", "backslashreplace").decode("ascii")


def is_identifier(name: str) -> bool:
    """Whether a name may be used in C and C++ as the start of generated names.

    >>> [is_identifier(n) for n in ("gate", "g2", "2g", "_gate", "a__b", "class", "größe", "", "margin_x", "Margin")]
    [True, True, False, False, False, False, False, False, False, False]
    """
    return (re.fullmatch("[A-Za-z][A-Za-z0-9_]*", name) is not None and "__" not in name and name not in KEYWORDS
            and not f"{name.lower()}_".startswith(("margin_", "mgn_")))  # margin's own guard is MARGIN_H


def identifier(text: str, fallback: str = "model") -> str:
    """A C identifier that resembles any text, such as the name of a file.

    >>> [identifier(t) for t in ("gate", "my gate-2", "2nd", "--", "class", "margin_x")]
    ['gate', 'my_gate_2', 'model_2nd', 'model', 'model_class', 'model_margin_x']
    """
    name = re.sub("_+", "_", re.sub("[^A-Za-z0-9]", "_", text)).strip("_")
    if not name:
        return fallback
    return name if is_identifier(name) else f"{fallback}_{name}"


def c_table(declaration: str, items: list[str], width: int = 100) -> str:
    """A table with as many items a line as fit; the number of items goes where the declaration has a %d.

    >>> print(c_table("static const int8_t t[%d]", ["1", "-20", "3"], width=34))
    static const int8_t t[3] = {
        1, -20, 3,
    };
    """
    if not items:
        raise ValueError("C has no empty tables")
    lines, line = [], "   "
    for item in items:
        if len(line) + len(item) + 2 > width and line.strip():
            lines.append(line)
            line = "   "
        line += f" {item},"
    return "\n".join([(declaration % len(items) if "%d" in declaration else declaration) + " = {", *lines, line, "};"])
