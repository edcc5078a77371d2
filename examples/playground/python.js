"use strict";
// python.js -- what Python does in its own way, for the modules of gen that translate.py has turned into JavaScript.

// A float of Python's. Where it is computed with, it is a plain number; where it is spelled, it is told from an int.
class Real {
  constructor(value) {
    this.value = Number(value);
  }
  valueOf() {
    return this.value;
  }
}

const py = (() => {
  const number = (v) => typeof v === "number" || v instanceof Real;
  const fail = (words) => {
    throw new Error(words);
  };
  const real = (v) => new Real(v);
  const truth = (v) => {
    if (v === null || v === undefined) return false;
    if (v instanceof Real) return v.value !== 0;
    if (typeof v === "string" || Array.isArray(v) || ArrayBuffer.isView(v)) return v.length > 0;
    if (v instanceof Map || v instanceof Set) return v.size > 0;
    return Boolean(v);
  };
  const eq = (a, b) => {
    if (number(a) && number(b)) return Number(a) === Number(b);
    if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((v, i) => eq(v, b[i]));
    return a === b;
  };
  const iter = (v) => {
    if (v instanceof Map) return [...v.keys()];
    if (v === null || v === undefined || typeof v[Symbol.iterator] !== "function") return fail("not iterable");
    return typeof v === "string" || v instanceof Set || !Array.isArray(v) ? [...v] : v;
  };
  const items = (v) => [...v.entries()];
  const key = (k) => (k instanceof Real ? k.value : k);
  const at = (v, i) => (Number(i) < 0 ? v.length + Number(i) : Number(i));
  const get = (v, i) => {
    if (v instanceof Map) return v.has(key(i)) ? v.get(key(i)) : fail(`KeyError: ${String(i)}`);
    const k = at(v, i);
    return k < v.length && k >= 0 ? v[k] : fail(`IndexError: ${k}`);
  };
  const set = (v, i, value) => (v instanceof Map ? v.set(key(i), value) : (v[at(v, i)] = value));
  const slice = (v, low, high, step) => {
    const by = step === null ? 1 : Number(step),
      n = v.length;
    const end = (e, none) => (e === null ? none : Math.min(Math.max(Number(e) < 0 ? n + Number(e) : Number(e), 0), n));
    const a = end(low, 0),
      b = end(high, n);
    if (by === 1) return typeof v === "string" ? v.slice(a, Math.max(a, b)) : [...v.slice(a, Math.max(a, b))];
    const out = [];
    for (let i = a; i < b; i += by) out.push(v[i]);
    return typeof v === "string" ? out.join("") : out;
  };
  const has = (v, x) => {
    if (v instanceof Map || v instanceof Set) return v.has(key(x));
    if (typeof v === "string") return v.includes(x);
    return iter(v).some((y) => eq(x, y));
  };
  const repeat = (v, n) =>
    typeof v === "string" ? v.repeat(Math.max(n, 0)) : [].concat(...Array(Math.max(n, 0)).fill(v));

  // ---- numbers as text ----
  // Digits of a positive number, rounded half to even as C does it, and its power of ten: 0.d1d2d3... would be 10^-1.
  const digitsOf = (value, count) => {
    const [mantissa, power] = value.toExponential(60).split("e");
    const all = mantissa.replace(".", ""),
      head = all.slice(0, count),
      rest = all.slice(count);
    const half = "5" + "0".repeat(rest.length - 1);
    const up = rest > half || (rest === half && Number(head[count - 1]) % 2 === 1);
    if (!up) return [head, Number(power)];
    const raised = String(BigInt(head) + 1n);
    return raised.length > count
      ? [raised.slice(0, count), Number(power) + 1]
      : [raised.padStart(count, "0"), Number(power)];
  };
  const exponent = (e) => `e${e < 0 ? "-" : "+"}${String(Math.abs(e)).padStart(2, "0")}`;
  const layout = (digits, e) =>
    e < 0
      ? `0.${"0".repeat(-e - 1)}${digits}`
      : digits.length <= e + 1
        ? digits.padEnd(e + 1, "0")
        : `${digits.slice(0, e + 1)}.${digits.slice(e + 1)}`;
  const general = (value, precision) => {
    const v = Number(value),
      sign = v < 0 || Object.is(v, -0) ? "-" : "";
    if (!Number.isFinite(v)) return Number.isNaN(v) ? "nan" : `${sign}inf`;
    if (v === 0) return `${sign}0`;
    const count = Math.max(precision, 1),
      [digits, e] = digitsOf(Math.abs(v), count);
    const short = digits.replace(/0+$/, "") || "0";
    if (e < -4 || e >= count) return `${sign}${short[0]}${short.length > 1 ? "." + short.slice(1) : ""}${exponent(e)}`;
    return sign + layout(short, e);
  };
  const fixed = (value, precision) => {
    const v = Math.abs(Number(value)),
      sign = Number(value) < 0 || Object.is(Number(value), -0) ? "-" : "";
    if (v === 0) return `${sign}${(0).toFixed(precision)}`;
    const count = Math.floor(Math.log10(v)) + 1 + precision;
    const e0 = Number(v.toExponential(60).split("e")[1]);
    const wanted = e0 + 1 + precision;
    if (wanted < 0 || count < -1) return `${sign}${(0).toFixed(precision)}`;
    if (wanted === 0) {
      const [d] = digitsOf(v, 1);
      return (
        sign + (v > 0.5 * 10 ** -precision || d > "5" ? (10 ** -precision).toFixed(precision) : (0).toFixed(precision))
      );
    }
    const [digits, e] = digitsOf(v, wanted),
      text = layout(digits, e);
    const [whole, part = ""] = text.split(".");
    return sign + whole + (precision ? `.${part.padEnd(precision, "0").slice(0, precision)}` : "");
  };
  const floatText = (value) => {
    const v = Number(value);
    if (!Number.isFinite(v)) return Number.isNaN(v) ? "nan" : v < 0 ? "-inf" : "inf";
    if (v === 0) return Object.is(v, -0) ? "-0.0" : "0.0";
    const sign = v < 0 ? "-" : "",
      [mantissa, power] = Math.abs(v).toExponential().split("e");
    const digits = mantissa.replace(".", ""),
      e = Number(power);
    if (e < -4 || e >= 16) return `${sign}${digits[0]}${digits.length > 1 ? "." + digits.slice(1) : ""}${exponent(e)}`;
    const text = layout(digits, e);
    return sign + (text.includes(".") ? text : `${text}.0`);
  };
  const str = (v) =>
    v === undefined
      ? ""
      : v === null
        ? "None"
        : v === true
          ? "True"
          : v === false
            ? "False"
            : v instanceof Real
              ? floatText(v)
              : String(v);
  const repr = (v) => (typeof v === "string" ? `'${v}'` : str(v));
  const format = (value, spec) => {
    if (spec === "") return str(value);
    const m = /^(?:(.)?([<>^]))?(0)?(\d+)?(,)?(?:\.(\d+))?([gfodse])?$/u.exec(spec) || fail(`format ${spec}`);
    const [, fill = " ", align, zero, width, comma, precision, kind] = m;
    let text =
      kind === "g"
        ? general(value, precision === undefined ? 6 : Number(precision))
        : kind === "f"
          ? fixed(value, precision === undefined ? 6 : Number(precision))
          : kind === "o"
            ? Number(value).toString(8)
            : str(value);
    if (comma) text = text.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
    const room = Number(width || 0);
    if (zero && !align) return text.padStart(room, "0");
    return align === ">" || (!align && number(value)) ? text.padStart(room, fill) : text.padEnd(room, fill);
  };

  // ---- operators ----
  const add = (a, b) =>
    Array.isArray(a) || ArrayBuffer.isView(a) ? [...a, ...b] : typeof a === "string" ? a + b : Number(a) + Number(b);
  const mul = (a, b) => (Array.isArray(a) || typeof a === "string" ? repeat(a, Number(b)) : Number(a) * Number(b));
  const percent = (a, b) => {
    const values = Array.isArray(b) ? [...b] : [b];
    return a.replace(/%(d|s|%)/g, (_, kind) => (kind === "%" ? "%" : str(values.shift())));
  };
  const kwargs = (args) => {
    const last = args[args.length - 1];
    return last && Object.getPrototypeOf(last) === Object.prototype ? [args.slice(0, -1), last] : [args, {}];
  };
  const most =
    (better) =>
    (...all) => {
      const [args, { key: by = (v) => v, default: none }] = kwargs(all);
      const list = args.length === 1 ? iter(args[0]) : args;
      if (!list.length) return none === undefined ? fail("empty sequence") : none;
      return list.reduce((a, b) => (better(by(b), by(a)) ? b : a));
    };
  const compare = (a, b) => {
    if (Array.isArray(a)) {
      for (let i = 0; i < Math.min(a.length, b.length); i++) {
        const c = compare(a[i], b[i]);
        if (c) return c;
      }
      return a.length - b.length;
    }
    if (typeof a === "string") {
      // by code points, as Python does
      const p = [...a],
        q = [...b];
      for (let i = 0; i < Math.min(p.length, q.length); i++)
        if (p[i] !== q[i]) return p[i].codePointAt(0) - q[i].codePointAt(0);
      return p.length - q.length;
    }
    return Number(a) - Number(b);
  };

  // ---- methods of texts, lists and dicts ----
  const strip = (text, chars, left, right) => {
    const inside = chars === undefined ? (c) => /\s/u.test(c) : (c) => chars.includes(c);
    let a = 0,
      b = text.length;
    while (left && a < b && inside(text[a])) a++;
    while (right && b > a && inside(text[b - 1])) b--;
    return text.slice(a, b);
  };
  const printable = (c) => c === " " || !/[\p{C}\p{Z}]/u.test(c);
  const text = {
    upper: (s) => s.toUpperCase(),
    lower: (s) => s.toLowerCase(),
    strip: (s, c) => strip(s, c, true, true),
    lstrip: (s, c) => strip(s, c, true, false),
    rstrip: (s, c) => strip(s, c, false, true),
    split: (s, by) => (by === undefined ? s.split(/\s+/u).filter(Boolean) : s.split(by)),
    rsplit: (s, by, count) => {
      const p = s.split(by);
      return p.length - 1 <= count ? p : [p.slice(0, p.length - count).join(by), ...p.slice(p.length - count)];
    },
    replace: (s, a, b) => s.split(a).join(b),
    join: (s, list) => iter(list).map(str).join(s),
    startswith: (s, a) => (Array.isArray(a) ? a : [a]).some((p) => s.startsWith(p)),
    endswith: (s, a) => (Array.isArray(a) ? a : [a]).some((p) => s.endsWith(p)),
    isprintable: (s) => [...s].every(printable),
    isalnum: (s) => /^[\p{L}\p{N}]+$/u.test(s),
    index: (s, a) => s.indexOf(a),
    count: (s, a) => s.split(a).length - 1,
    expandtabs: (s) => s.replace(/\t/g, " "),
    decode: (s) => s,
    encode: (s, how, errors) =>
      how === "utf-8"
        ? [...new TextEncoder().encode(s)]
        : errors !== "backslashreplace"
          ? fail("encode")
          : [...s]
              .map((c) => {
                const p = c.codePointAt(0);
                return p < 128
                  ? c
                  : p < 256
                    ? `\\x${p.toString(16).padStart(2, "0")}`
                    : p < 65536
                      ? `\\u${p.toString(16).padStart(4, "0")}`
                      : `\\U${p.toString(16).padStart(8, "0")}`;
              })
              .join(""),
  };
  const list = {
    append: (v, x) => {
      v.push(x);
      return null;
    },
    extend: (v, x) => {
      v.push(...iter(x));
      return null;
    },
    pop: (v) => v.pop(),
    index: (v, x) => {
      const i = v.findIndex((y) => eq(x, y));
      return i < 0 ? fail("ValueError") : i;
    },
    count: (v, x) => v.filter((y) => eq(x, y)).length,
  };
  const dict = {
    get: (v, k, none = null) => (v.has(key(k)) ? v.get(key(k)) : none),
    items,
    keys: (v) => [...v.keys()],
    values: (v) => [...v.values()],
    setdefault: (v, k, x) => {
      if (!v.has(key(k))) v.set(key(k), x);
      return v.get(key(k));
    },
    update: (v, x) => {
      items(x).forEach(([k, y]) => v.set(k, y));
      return null;
    },
  };
  const call = (v, name, ...args) => {
    const own =
      typeof v === "string" ? text : v instanceof Map ? dict : Array.isArray(v) || ArrayBuffer.isView(v) ? list : null;
    if (own && own[name]) return own[name](v, ...args);
    if (typeof v === "number" && name === "bit_length") return v === 0 ? 0 : Math.abs(v).toString(2).length;
    return v[name](...args);
  };

  const isKind = (v, kind) => {
    if (kind.$class) return v instanceof kind.$class;
    if (kind === py.float) return v instanceof Real;
    if (kind === py.str) return typeof v === "string";
    if (kind === py.int) return typeof v === "number";
    if (kind === py.list || kind === py.tuple) return Array.isArray(v);
    if (kind === py.Failure) return v instanceof Error;
    return kind === py.dict ? v instanceof Map : fail("isinstance");
  };

  // ---- modules ----
  const regex = (pattern, flags) => new RegExp(pattern, flags);
  // textwrap.wrap without breaks at hyphens.
  const wrap = (source, width, how = {}) => {
    if (how.break_on_hyphens !== false) fail("textwrap.wrap with breaks at hyphens");
    const chunks = source
        .replace(/[\t\n\v\f\r]/g, " ")
        .split(/( +)/)
        .filter(Boolean)
        .reverse(),
      lines = [];
    while (chunks.length) {
      const line = [];
      let size = 0;
      if (!chunks[chunks.length - 1].trim() && lines.length) chunks.pop();
      while (chunks.length && size + chunks[chunks.length - 1].length <= width) {
        size += chunks[chunks.length - 1].length;
        line.push(chunks.pop());
      }
      if (chunks.length && chunks[chunks.length - 1].length > width) {
        const room = width < 1 ? 1 : width - size;
        if (how.break_long_words !== false) {
          const long = chunks.pop();
          line.push(long.slice(0, room));
          chunks.push(long.slice(room));
        } else if (!line.length) line.push(chunks.pop());
      }
      if (line.length && !line[line.length - 1].trim()) line.pop();
      if (line.length) lines.push(line.join(""));
    }
    return lines;
  };

  return {
    real,
    truth,
    eq,
    iter,
    items,
    get,
    set,
    slice,
    has,
    format,
    repr,
    str,
    call,
    add,
    mul,
    floatText,
    is: (a, b) => (a === undefined ? null : a) === b,
    minus: (a) => (a instanceof Real ? new Real(-a.value) : -a),
    and: (a, rest) => (truth(a) ? rest() : a),
    or: (a, rest) => (truth(a) ? a : rest()),
    sub: (a, b) => (a instanceof Set ? new Set([...a].filter((v) => !b.has(v))) : a - b),
    div: (a, b) => (Number(b) === 0 ? fail("ZeroDivisionError") : a / b),
    floordiv: (a, b) => Math.floor(a / b),
    mod: (a, b) => (typeof a === "string" ? percent(a, b) : ((a % b) + Number(b)) % b),
    pow: (a, b) => Number(a) ** Number(b),
    bitor: (a, b) => (a instanceof Set ? new Set([...a, ...b]) : a | b),
    bitand: (a, b) => a & b,
    lshift: (a, b) => a << b,
    rshift: (a, b) => a >> b,
    len: (v) => v.size ?? v.length,
    range: (a, b, step = 1) => {
      const [low, high] = b === undefined ? [0, a] : [a, b];
      const out = [];
      for (let i = Number(low); step > 0 ? i < high : i > high; i += Number(step)) out.push(i);
      return out;
    },
    enumerate: (v, from = 0) => iter(v).map((x, i) => [i + from, x]),
    zip: (...lists) => {
      const all = lists.map(iter);
      return all.length
        ? Array.from({ length: Math.min(...all.map((l) => l.length)) }, (_, i) => all.map((l) => l[i]))
        : [];
    },
    map: (f, ...lists) => (lists.length === 1 ? iter(lists[0]).map((v) => f(v)) : fail("map of several")),
    filter: (f, v) => iter(v).filter((x) => truth(f(x))),
    sorted: (v, how = {}) => {
      const by = how.key || ((x) => x);
      return [...iter(v)].sort((a, b) => compare(by(a), by(b)));
    },
    sum: (v, from = 0) => iter(v).reduce((a, b) => add(a, b), from),
    max: most((a, b) => compare(a, b) > 0),
    min: most((a, b) => compare(a, b) < 0),
    abs: (v) => Math.abs(v),
    int: (v) => Math.trunc(Number(v)),
    float: (v) => new Real(v),
    list: (v = []) => [...iter(v)],
    tuple: (v = []) => [...iter(v)],
    set_: (v = []) => new Set(iter(v)),
    dict: (v = []) => new Map(v instanceof Map ? v : iter(v)),
    frozenset: (v = []) => new Set(iter(v)),
    round: (v, places) => {
      if (places !== undefined) return Number(fixed(v, places));
      const r = Math.round(v);
      return Math.abs(v % 1) === 0.5 && r % 2 ? r - 1 : r;
    },
    bool: truth,
    chr: (v) => String.fromCodePoint(v),
    next: (v, none) => {
      const l = iter(v);
      return l.length ? l[0] : none === undefined ? fail("StopIteration") : none;
    },
    any: (v) => iter(v).some(truth),
    all: (v) => iter(v).every(truth),
    reversed: (v) => [...iter(v)].reverse(),
    isinstance: (v, kinds) => (Array.isArray(kinds) ? kinds : [kinds]).some((kind) => isKind(v, kind)),
    ValueError: (words) => new Error(words),
    Failure: (words) => Object.assign(new Error(words), { failure: true }),
    re_sub: (pattern, by, source) => source.replace(regex(pattern, "gu"), by),
    re_fullmatch: (pattern, source) => regex(`^(?:${pattern})$`, "u").exec(source),
    spread: (v, before, after) => {
      const all = iter(v), end = all.length - after;
      return [...all.slice(0, before), all.slice(before, end), ...all.slice(end)];
    },
    textwrap_wrap: wrap,
    compare,
    bin: (v) => `0b${Number(v).toString(2)}`,
  };
})();
const M = {
  own: {
    to_single: (v) => {
      const s = Math.fround(v);
      if (!Number.isFinite(s)) throw new Error(`not a finite float: ${v}`);
      return s;
    },
  },
};
