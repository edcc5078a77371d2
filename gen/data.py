"""data.py -- data files: CSV, LIBSVM and ARFF text, each also as .gz, into rows of numbers with labels."""
from __future__ import annotations

import ctypes
import itertools
import re
from array import array
from dataclasses import dataclass, field

from .reader import Options, Result, Text, open_text, quoted


# ---- which format, which columns ----

def lines(text: Text, limit: int = 1 << 20):
    """(line number, start, bytes) of the first lines."""
    at, number = text.start, text.line
    while at < min(len(text.content), text.start + limit):
        stop = text.content.find(b"\n", at)
        stop = len(text.content) if stop < 0 else stop
        yield number, at, text.content[at:stop].strip()
        at, number = stop + 1, number + 1


PAIR = re.compile(rb"(qid|\d+):\S")


def format_of(text: Text) -> str:
    """csv, libsvm or arff, by what the first lines hold.

    >>> [format_of(Text("", t)) for t in (b"1,2,a", b"+1 3:1 7:0.5", b"-1\\n+1 2:5", b"%\\n@relation x", b"1 2 3")]
    ['csv', 'libsvm', 'libsvm', 'arff', 'csv']
    """
    for _, _, line in lines(text):
        if line.startswith(b"%") or re.match(rb"@(relation|attribute|data)\b", line, re.I):
            return "arff"
        if not line or line.startswith(b"#"):
            continue
        fields = line.split()
        if len(fields) > 1 or b"," in line or b";" in line:
            first, second = fields[0], fields[1] if len(fields) > 1 else b""
            return "libsvm" if PAIR.match(second) and not PAIR.match(first) and b"," not in second else "csv"
    return "csv"


def separator_of(line: bytes) -> str:
    """What stands between the fields of a line: the most frequent of ; , and tab, else blanks.

    >>> [separator_of(t) for t in (b"a,b,c", b"1,5;2,5;x", b'"a,b,c";d', b"1 2  3", b"a")]
    [',', ';', ';', ' ', ' ']
    """
    bare = re.sub(rb'"[^"]*"', b"", line)
    counts = {separator: bare.count(separator.encode()) for separator in ";,\t"}
    best = max(counts, key=counts.get)  # of equals the first: in 1,5;2,5;x the commas are decimal
    return best if counts[best] else " "


def is_number(text: str) -> bool:
    """Whether reader.c would take a text for a number.

    >>> [is_number(t) for t in ("1", "-1.5e3", ".5", "nan", "0x1", "1_0", "")]
    [True, True, True, False, False, False, False]
    """
    return re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", text, re.A) is not None


def looks_like_names(fields: list[str], label: int | None) -> bool:
    """Whether the first row holds names: more words than numbers among the features.

    >>> [looks_like_names(fields.split(), 2) for fields in ("x y class", "1 2 a", "1 b 3")]
    [True, False, False]
    """
    features = [f for i, f in enumerate(fields) if i != label and f not in ("", "?")]
    numbers = sum(is_number(f) or f.lower().lstrip("+-") in ("nan", "inf", "infinity") for f in features)
    return len(features) > 2 * numbers


NO_LABEL = "none"  # --label none: all columns are features


def without_label(label: str | None, features: int | None, columns: int) -> bool:
    """Whether a file has no column of labels: the user says so, or there are as many columns as features are expected."""
    return label == NO_LABEL or label is None and features == columns


def has_header(fields: list[str], label: str | None, features: int | None, text: Text) -> bool:
    """Whether the first row names the columns, given the label that the user wants."""
    columns = len(fields)
    if label is None or label == NO_LABEL:
        return looks_like_names(fields, None if features == columns or label is not None else columns - 1)
    if re.fullmatch(r"-?\d+", label):
        return looks_like_names(fields, find_column(label, None, columns, text))
    return label in fields or looks_like_names(fields, None)


def find_column(wanted: str | None, names: list[str] | None, columns: int, text: Text) -> int:
    """The column of the label, from 0: by name, by number (1 is the first, -1 the last), else the last one."""
    if wanted is None:
        return columns - 1
    if names and wanted in names:
        return names.index(wanted)
    if re.fullmatch(r"-?\d+", wanted):
        index = int(wanted)
        if 1 <= abs(index) <= columns:
            return index - 1 if index > 0 else columns + index
        raise text.fail(f"there is no column {index}: {columns} columns")
    known = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "") if names else "there is no header line"
    raise text.fail(f"there is no column named {wanted!r} ({known})")


# ---- the data ----

@dataclass
class Data:
    """Rows of numbers, and for each row the number of its label in `labels` (None: a file without labels)."""
    path: str
    n: int
    d: int
    rows: ctypes.POINTER(ctypes.c_double) = field(repr=False)
    labels: list[str] | None
    label_of: array | None = field(repr=False)
    label_line: list[int] = field(repr=False, default_factory=list)
    label_column: int = 1
    names: list[str] | None = None
    owner: object = field(repr=False, default=None)

    def row(self, i: int) -> list[float]:
        return self.rows[i * self.d:(i + 1) * self.d]


def make_data(text: Text, result: Result, label: int | None, names: list[str] | None) -> Data:
    if result.n == 0:
        raise text.fail("no rows")
    if result.d == 0:
        raise text.fail("no features: there is only a label")
    data = Data(text.path, result.n, result.d, result.x, None, None, names=names, owner=result)
    if label is not None:
        data.labels, data.label_column = result.texts(), label + 1
        data.label_line = result.text_line[:result.labels]
        data.label_of = array("I", ctypes.string_at(result.label, 4 * result.n))
    return data


def read_csv(text: Text, label: str | None, header: str, features: int | None) -> Data:
    first = next((line for _, _, line in lines(text) if line and not line.startswith(b"#")), b"")
    how = Options(label=-1, separator=ord(separator_of(first)), comment=ord("#"))
    row = text.run("reader_first_row", how)
    fields = row.texts()
    columns = len(fields)
    if not fields:
        raise text.fail("no rows")
    named = header == "yes" or header == "auto" and has_header(fields, label, features, text)
    names = fields if named else None
    column = None if without_label(label, features, columns) else find_column(label, names, columns, text)
    how.columns, how.label = columns, -1 if column is None else column
    if named:
        text.start, text.line = text.start + row.end, row.line
        names = [name for i, name in enumerate(fields) if i != column]
    if columns == 1 and column is not None:
        raise text.fail("only one column: at least one feature and a label are needed", row.line - 1)
    data = make_data(text, text.run("reader_dense", how), column, names)
    if header == "auto" and not named and is_numbered(data):
        return read_csv(text, label, "yes", features)
    return data


def is_numbered(data: Data) -> bool:
    """Whether the first row is a header that numbers the columns: 0,1,2,label or 0,1,2,3. Its label comes only once, and is no
    number but that of its column."""
    if data.labels is None or data.d < 2 or data.n < 3 or data.label_of.count(data.label_of[0]) != 1:
        return False
    row, label = data.row(0), data.labels[data.label_of[0]]
    fits = not is_number(label) or float(label) in (row[0] - 1, row[-1] + 1)
    return fits and row in ([*range(data.d)], [*range(1, data.d + 1)])


def read_libsvm(text: Text, zero_based: bool, features: int | None) -> Data:
    how = Options(label=0, columns=features or 0, base=0 if zero_based else 1)
    return make_data(text, text.run("reader_libsvm", how), 0, None)


ATTRIBUTE = re.compile(r"""@attribute\s+('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s{]+)\s*(.*)""", re.I)


def arff_attributes(text: Text) -> list[tuple[int, str, str]]:
    """(line, name, type) of the attributes; leaves the text at the first line of data."""
    found = []
    for number, start, raw in lines(text, limit=len(text.content)):
        line = raw.decode("utf-8", "replace")
        if re.match(r"@data\b", line, re.I):
            stop = text.content.find(b"\n", start)
            text.start, text.line = (len(text.content) if stop < 0 else stop + 1), number + 1
            return found
        match = ATTRIBUTE.match(line)
        if match:
            name = match[1]
            if name[0] in "'\"":
                name = re.sub(r"\\(.)", r"\1", name[1:-1])
            found.append((number, name, match[2].strip()))
        elif line and not line.startswith("%") and not re.match(r"@relation\b", line, re.I):
            raise text.fail(f"not a line of an ARFF header: {quoted(line)}", number)
    raise text.fail("an ARFF file without @data")


def declared(kind: str) -> list[str] | None:
    r"""The values that an attribute declares; None if it declares none.

    >>> declared("{a, b}"), declared(r"{'it\'s, well', yes }"), declared("numeric"), declared("{}"), declared("{a b,c}")
    (['a', 'b'], ["it's, well", 'yes'], None, [], ['a b', 'c'])
    """
    if not kind.startswith("{"):
        return None
    found = re.findall(r"""\s*('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^,}]+)\s*[,}]""", kind[1:])
    return [re.sub(r"\\(.)", r"\1", value[1:-1]) if value[0] in "'\"" else value.strip() for value in found]


def is_numeric(kind: str) -> bool:
    """Numbers, or a list of numbers that starts with the 0 that sparse rows leave out.

    >>> [is_numeric(kind) for kind in ("REAL", "{0,1}", "{ 0, 0.5, '1' }", "{1,2}", "{0,a}", "{}", "string")]
    [True, True, True, False, False, False, False]
    """
    if re.match(r"(numeric|real|integer)\b", kind, re.I):
        return True
    values = declared(kind)
    return bool(values) and all(map(is_number, values)) and float(values[0]) == 0


def line_of_row(text: Text, row: int) -> int | None:
    """The line of a row of data, found again for a message."""
    rows = (number for number, _, line in lines(text, limit=len(text.content)) if line and not line.startswith(b"%"))
    return next(itertools.islice(rows, row, None), None)


def check_declared(text: Text, data: Data, attributes: list[tuple[int, str, str]], column: int | None) -> None:
    """Every value of an attribute that declares its values is one of these."""
    features = [i for i in range(len(attributes)) if i != column]
    for i, (_, name, kind) in enumerate(attributes):
        values = declared(kind)
        if values is None:
            continue
        if i == column:
            label = next((j for j, label in enumerate(data.labels) if label not in values), None)
            if label is not None:
                raise text.fail(f"{quoted(data.labels[label])} is not one of the values that {quoted(name)} declares",
                                data.label_line[label], i + 1)
            continue
        found, known = data.rows[features.index(i):data.n * data.d:data.d], set(map(float, values))
        row = next((row for row, value in enumerate(found) if value not in known), None)
        if row is not None:
            raise text.fail(f"'{found[row]:.9g}' is not one of the values that {quoted(name)} declares",
                            line_of_row(text, row), i + 1)


def read_arff(text: Text, label: str | None, features: int | None) -> Data:
    attributes = arff_attributes(text)
    names, columns = [name for _, name, _ in attributes], len(attributes)
    if columns == 0:
        raise text.fail("no attributes", text.line - 1)
    column = None if without_label(label, features, columns) else find_column(label, names, columns, text)
    for i, (number, name, kind) in enumerate(attributes):
        if i != column and not is_numeric(kind):
            raise text.fail(f"feature {name!r} is not numeric but {quoted(kind)}: code it as numbers", number, i + 1)
    how = Options(columns=columns, label=-1 if column is None else column, separator=ord(","), comment=ord("%"), arff=1)
    kept = [name for i, name in enumerate(names) if i != column]
    first = next((line for _, _, line in lines(text) if line and not line.startswith(b"%")), b"")
    if not first.startswith(b"{"):
        data = make_data(text, text.run("reader_dense", how), column, kept)
    else:  # a sparse row without a label has the first of the declared ones
        absent = ((declared(attributes[column][2]) if column is not None else None) or ["0"])[0].encode()
        data = make_data(text, text.run("reader_braces", how, absent, len(absent)), column, kept)
    check_declared(text, data, attributes, column)
    return data


def read(path: str, label: str | None = None, header: str = "auto", zero_based: bool = False,
         features: int | None = None) -> Data:
    """Reads a file. `features`, when it is known (the model's), tells a file without labels from one with."""
    text = open_text(path)
    kind = format_of(text)
    if kind == "libsvm":
        if label is not None:
            raise text.fail("--label does not apply: in LIBSVM text the label stands first")
        data = read_libsvm(text, zero_based, features)
    elif kind == "arff":
        data = read_arff(text, label, features)
    else:
        data = read_csv(text, label, header, features)
    if features is not None and data.d != features:
        raise text.fail(f"{data.d} features where {features} are expected")
    return data
