"use strict";
// engine.js -- gen in the browser: native.c as WebAssembly trains and answers, and the translated modules of gen write the
// header. What is here is the other side of native.py, quant.py and model.py; a test compares the bytes with gen's.

const Engine = (() => {
  const utf8 = new TextEncoder(),
    decoder = new TextDecoder();
  let double_, float_; // the library in double, with the trainers; and in float, as on the device

  // ---- memory of a module ----
  class Memory {
    constructor(exports) {
      this.exports = exports;
    }
    take(Kind, source) {
      // a copy of some numbers in the memory of the module; its address
      const values = typeof source === "number" ? null : source,
        count = values ? values.length : source;
      const at = this.exports.page_malloc(Math.max(count, 1) * Kind.BYTES_PER_ELEMENT);
      if (at === 0) throw new Error("the browser has not enough memory for this");
      const view = new Kind(this.exports.memory.buffer, at, count);
      if (values) view.set(values);
      else view.fill(0);
      return at;
    }
    read(Kind, at, count) {
      return Kind.from(new Kind(this.exports.memory.buffer, at, count));
    }
    text(at) {
      const bytes = new Uint8Array(this.exports.memory.buffer);
      let end = at;
      while (bytes[end]) end++;
      return decoder.decode(bytes.slice(at, end));
    }
    string(text) {
      return this.take(Uint8Array, [...utf8.encode(text), 0]);
    }
  }

  const load = async (bytes) => {
    const memory = {};
    const spell = (value, out, size) => {
      // any spelling that reads back as the same number
      const text = utf8.encode(String(value)).slice(0, size - 1);
      new Uint8Array(memory.of.buffer).set([...text, 0], out);
      return text.length;
    };
    const { instance } = await WebAssembly.instantiate(bytes, { page: { spell } });
    memory.of = instance.exports.memory;
    return new Memory(instance.exports);
  };

  // ---- rows, and the parts of a model ----
  class Rows {
    constructor(x, n, d, y = null, targets = null, classes = 0) {
      Object.assign(this, { x, n, d, y, targets, classes });
    }
    into(memory) {
      const y = this.y ? memory.take(Uint16Array, this.y) : 0,
        t = this.targets ? memory.take(Float64Array, this.targets) : 0;
      memory.exports.page_set_rows(memory.take(Float64Array, this.x), y, t, this.n, this.d, this.classes);
    }
  }
  const rowsOf = (matrix, y = null, classes = 0) =>
    new Rows(Float64Array.from(matrix.flat()), matrix.length, matrix[0].length, y, null, classes);

  const KINDS = {
    "-4": ["int32_t", Int32Array],
    "-2": ["int16_t", Int16Array],
    "-1": ["int8_t", Int8Array],
    1: ["uint8_t", Uint8Array],
    2: ["uint16_t", Uint16Array],
    4: ["uint32_t", Uint32Array],
    8: ["size_t", Uint32Array],
  };
  const BESIDE = ["kind", "machines", "stage_offset", "stage_factor", "stage_shift"]; // no members of the struct
  class Parts {
    constructor(memory, count, Kind) {
      const e = memory.exports;
      this.numbers = new Map();
      this.arrays = new Map();
      this.fields = [];
      for (let i = 0; i < count; i++) {
        const path = memory.text(e.page_part_name(i)).replaceAll(" ", "");
        const name = M.native.short(path), size = e.page_part_count(i), type = e.page_part_type(i);
        const [word, Type] = type === 0 ? ["margin_real", Kind] : KINDS[type];
        if (size < 0) {
          this.numbers.set(name, type === 0 ? new Real(e.page_part_value(i)) : Math.trunc(e.page_part_value(i)));
        } else {
          this.arrays.set(name, { word, values: size ? [...memory.read(Type, e.page_part_at(i), size)] : [] });
        }
        if (!BESIDE.includes(path)) this.fields.push([path, name, word, size >= 0]);
      }
    }
    kind(name) {
      return this.arrays.get(name).word;
    }
    array(name) {
      return this.arrays.has(name) ? this.arrays.get(name).values : [];
    }
  }

  const check = (memory, status) => {
    if (status < 0) throw py.Failure(memory.text(memory.exports.page_status(status)));
    return status;
  };

  // ---- the model for the device ----
  class Machine {
    constructor() {
      this.handle = float_.exports.page_get();
      this.parts = new Parts(float_, float_.exports.page_parts(), Float32Array);
      const n = (this.numbers = this.parts.numbers);
      this.shape = {
        kind: n.get("kind"),
        d: n.get("d"),
        classes: n.get("classes"),
        scheme: n.get("scheme"),
        machines: n.get("machines"),
        vectors: n.get("n") ?? 0,
        kernel: n.get("kernel") ?? 0,
      };
      Object.assign(this.shape, {
        linear: this.shape.kind === 1,
        ordinal: this.shape.scheme === 4,
        binary: this.shape.scheme === 0,
      });
      this.calibrated = Number(n.get("slope")) !== 0;
    }
    array(name) {
      return this.parts.array(name);
    }
    answers(rows) {
      float_.exports.page_use(this.handle);
      return answers(float_, rows);
    }
    predict(rows) {
      const found = this.answers(rows);
      return [[...found.label], [...found.score]];
    }
    scores(matrix) {
      const rows = rowsOf(matrix),
        m = this.shape.machines;
      float_.exports.page_use(this.handle);
      rows.into(float_);
      const out = float_.take(Float64Array, rows.n * m);
      check(float_, float_.exports.page_scores(out));
      const all = [...float_.read(Float64Array, out, rows.n * m)];
      return matrix.map((_, i) => all.slice(i * m, i * m + m));
    }
  }
  const answers = (memory, rows) => {
    rows.into(memory);
    const take = (Kind) => memory.take(Kind, rows.n);
    const at = {
      label: take(Uint16Array),
      score: take(Float64Array),
      probability: take(Float64Array),
      own: take(Float64Array),
      elected: take(Float64Array),
    };
    check(memory, memory.exports.page_answers(at.label, at.score, at.probability, rows.y ? at.own : 0, at.elected));
    const found = {};
    for (const name of Object.keys(at))
      found[name] = memory.read(name === "label" ? Uint16Array : Float64Array, at[name], rows.n);
    return found;
  };

  class Model {
    constructor(image, notes) {
      Object.assign(this, { path: "playground", image, notes, labels: notes.get("labels"), numbers: false, ranks: false });
      this.sha256 = sha256(image);
      const e = float_.exports;
      const bytes = float_.take(Uint8Array, image);
      check(float_, e.page_open(bytes, image.length));
      this.machine = new Machine();
    }
    rowsIn(name) {
      const text = this.notes.get(name),
        d = this.machine.shape.d;
      if (!text) return [];
      const singles = new Float32Array(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
      return Array.from({ length: Math.floor(singles.length / d) }, (_, i) => [...singles.slice(i * d, i * d + d)]);
    }
    sample() {
      return this.rowsIn("sample");
    }
    ends() {
      return [...this.rowsIn("low").slice(0, 1), ...this.rowsIn("high").slice(0, 1)];
    }
  }
  const notedRows = (model) =>
    model.sample().length
      ? rowsOf(model.sample(), model.notes.get("sample_classes") ?? null, model.machine.shape.classes)
      : null;

  class Quantised {
    constructor(model, form) {
      const sample = model.sample(),
        ends = model.ends(),
        e = double_.exports,
        bits = form === "q15" ? 15 : 7;
      Object.assign(this, { form, bits, whole: model.notes.get("whole") === true, d: model.machine.shape.d });
      rowsOf([...sample, ...ends]).into(double_);
      const image = double_.take(Uint8Array, model.image);
      check(double_, e.page_quantize(image, model.image.length, ends.length, bits, this.whole ? 1 : 0));
      this.handle = e.page_quant_get(bits);
      this.parts = new Parts(double_, e.page_quant_parts(bits), Float64Array);
      this.numbers = this.parts.numbers;
      const report = double_.take(Float64Array, 6);
      e.page_quant_report(bits, report);
      this.report = { unit: new Real(double_.read(Float64Array, report, 6)[0]) };
    }
    use() {
      double_.exports.page_quant_use(this.bits, this.handle);
      return double_.exports;
    }
    input_scaling() {
      const e = double_.exports,
        d = this.use().page_quant_input(this.bits, 0, 0);
      if (!d) return null;
      const offset = double_.take(Float64Array, d),
        factor = double_.take(Float64Array, d);
      e.page_quant_input(this.bits, offset, factor);
      return [[...double_.read(Float64Array, offset, d)], [...double_.read(Float64Array, factor, d)]];
    }
    inputs(rows) {
      const scaling = this.input_scaling(),
        size = rows.n * rows.d;
      rows.into(float_);
      const [offset, factor] = scaling ? scaling.map((part) => float_.take(Float64Array, part)) : [0, 0],
        out = float_.take(Int16Array, size);
      check(float_, float_.exports.page_input(offset, factor, out));
      return float_.read(Int16Array, out, size);
    }
    answer(inputs) {
      const n = inputs.length / this.d,
        m = this.numbers.get("machines"),
        take = (Kind, count) => double_.take(Kind, count);
      const x = take(Int16Array, inputs),
        label = take(Uint16Array, n),
        scores = take(Int32Array, n * m),
        clear = take(Int32Array, n),
        k = this.numbers.get("classes"),
        chance = take(Uint16Array, n * k);
      check(double_, this.use().page_quant_predict(this.bits, x, n, label, scores, clear, chance));
      return [
        double_.read(Uint16Array, label, n),
        double_.read(Int32Array, scores, n * m),
        double_.read(Int32Array, clear, n),
        double_.read(Uint16Array, chance, n * k),
      ];
    }
    scores(inputs) {
      const m = this.numbers.get("machines"),
        all = [...this.answer(inputs)[1]];
      return Array.from({ length: all.length / m }, (_, i) => all.slice(i * m, i * m + m));
    }
    predict(inputs) {
      const [label, , clear, chance] = this.answer(inputs);
      return [[...label], [...clear], [...chance]];
    }
  }

  // ---- notes ----
  const jsonText = (value) => {
    if (value instanceof Real) return py.floatText(value);
    if (value instanceof Map)
      return `{${[...value.keys()]
        .sort(py.compare)
        .map((k) => `${JSON.stringify(k)}:${jsonText(value.get(k))}`)
        .join(",")}}`;
    if (Array.isArray(value)) return `[${value.map(jsonText).join(",")}]`;
    return JSON.stringify(value);
  };
  const sortedMap = (value) =>
    value instanceof Map ? new Map([...value.keys()].sort(py.compare).map((k) => [k, sortedMap(value.get(k))])) : value;
  const real = (v) => (v === null || v === undefined || !Number.isFinite(Number(v)) ? null : new Real(v));
  // What native.c told: Python reads its "%.17g", so whole numbers are ints.
  const told = (value) =>
    Array.isArray(value)
      ? value.map(told)
      : typeof value !== "number"
        ? value
        : Number.isInteger(value) && Math.abs(value) < 1e17
          ? value
          : new Real(value);
  const pack = (values) => {
    const bytes = new Uint8Array(Float32Array.from(values).buffer);
    let text = "";
    bytes.forEach((b) => {
      text += String.fromCharCode(b);
    });
    return btoa(text);
  };
  const sampleNotes = (rows) => {
    rows.into(double_);
    const low = double_.take(Float64Array, rows.d),
      high = double_.take(Float64Array, rows.d);
    const whole = double_.exports.page_ranges(low, high);
    const ends = [...double_.read(Float64Array, low, rows.d), ...double_.read(Float64Array, high, rows.d)];
    if (Math.max(...ends.map(Math.abs)) > 3.4e38) return [];
    const count = Math.min(rows.n, 256, Math.max(8, Math.floor(8192 / (4 * rows.d))));
    const chosen = Array.from({ length: count }, (_, i) => Math.floor((i * rows.n) / count));
    const sample = chosen.flatMap((i) => [...rows.x.slice(i * rows.d, i * rows.d + rows.d)]);
    return [
      ["sample", pack(sample)],
      ["sample_classes", rows.y && !rows.targets ? chosen.map((i) => rows.y[i]) : null],
      ["low", pack(ends.slice(0, rows.d))],
      ["high", pack(ends.slice(rows.d))],
      ["whole", whole ? true : null],
    ];
  };

  // ---- training ----
  // problem: { rows: Rows, labels, names (of features, or null) }; chosen: a Map of options as the command line has them:
  // numbers with a point are Real.
  const train = (problem, method, chosen) => {
    const e = double_.exports,
      facts = Engine.facts,
      rows = problem.rows;
    e.page_reset();
    float_.exports.page_reset();
    rows.into(double_);
    const names = [...chosen.keys(), "seed"].map((name) => double_.string(name));
    const values = [...chosen].map(([name, value]) =>
      facts.words[name] ? facts.words[name].indexOf(value) : Number(value),
    );
    const status = e.page_train(
      double_.string(method),
      double_.take(Uint32Array, names),
      double_.take(Float64Array, [...values, 1]),
      names.length,
    );
    const said = new Map(Object.entries(JSON.parse(`{${double_.text(e.page_told())}}`)).map(([k, v]) => [k, told(v)]));
    if (status < 0) {
      const error = new Error(double_.text(e.page_status(status)));
      error.told = said;
      throw error;
    }
    const report = Object.fromEntries(
      ["objective", "iterations", "support", "margin_min", "margin_mean", "converged", "arena"].map((name, i) => [
        name,
        e.page_report_value(i),
      ]),
    );
    const rates = new Map();
    if (!rows.targets) {
      const table = M.metrics.count([...rows.y], [...answers(double_, rows).label], problem.labels.length);
      for (const [key, value] of M.metrics.rates("train", table)) rates.set(key, real(value));
    }
    const result = new Map([
      ["method", method],
      ["n", rows.n],
      ["objective", real(report.objective)],
      ["support", report.support],
      ...rates,
      ["margin_min", real(report.margin_min)],
      ["margin_mean", real(report.margin_mean)],
      ["labels", problem.labels],
    ]);
    for (const key of facts.methods[method].noted) if (said.has(key)) result.set(key, said.get(key));
    const notes = new Map(
      [...result, ["options", chosen], ["names", problem.names], ...sampleNotes(rows)].filter(
        ([, v]) => v !== null && v !== undefined,
      ),
    );
    const model = modelOf(notes);
    return { model, report, told: said };
  };

  // The machine of the library in double as the model for the device.
  const modelOf = (notes) => {
    const e = double_.exports,
      text = utf8.encode(jsonText(notes)),
      size = e.page_image_size(text.length);
    const at = double_.take(Uint8Array, size);
    check(double_, e.page_image_write(double_.take(Uint8Array, text), text.length, at, size));
    return new Model(double_.read(Uint8Array, at, size), sortedMap(notes));
  };
  // As compress.fewer does it.
  const fewer = (found, vectors, noise, rows) => {
    rows.into(double_);
    const image = double_.take(Uint8Array, found.image);
    check(double_, double_.exports.page_compress(image, found.image.length, vectors, Number(noise)));
    const from = found.notes.get("compressed_from") ?? found.machine.shape.vectors;
    return modelOf(new Map([...found.notes, ["compressed_from", from]]));
  };

  // As compress.moved does it: null where vectors cannot be moved.
  const moved = (found, form, rows) => {
    const n = found.machine.numbers,
      get = (name) => Number(n.get(name) ?? 0);
    const schemes = [0, 2]; // two classes, or one machine a class
    if (found.machine.shape.kind !== 2 || get("kernel") !== 2 || !schemes.includes(get("scheme"))) return null;
    if (rows === null || !rows.y || get("slope") || get("reject") || get("n") > rows.n) return null;
    const passes = Math.min(
      100,
      Math.max(10, Math.trunc(M.compress.MOVED / (rows.n * get("n") * (get("d") + get("width"))))),
    );
    rows.into(double_);
    const image = double_.take(Uint8Array, found.image);
    check(double_, double_.exports.page_move(image, found.image.length, passes, form !== "q7" ? 1 : 0));
    return modelOf(new Map(found.notes));
  };

  // The model in a format, or, with a budget of bytes, in whatever form is best within it ("any", or the one asked for).
  const chosen = (model, form, flash, rows) => {
    if (flash === null) return M.compress.in_best_format(M.compress.Judge(model, null, rows), form === "any" ? "f32" : form);
    return M.compress.compress(model, form === "any" ? M.compress.FORMATS : [form], flash, null, rows)[0];
  };

  // The text of model.h, as `gen train -o` writes it; `rows` are those of the training. A model that answers much worse
  // than the one that was trained is refused, as gen refuses it.
  const header = (model, name, form, flash, rows) => {
    const found = chosen(model, form, flash, rows),
      noted = notedRows(model);
    const same = found.model === model && found.quantised === null;
    const cost = noted && !same ? M.compress.cost(model, found, noted) : null;
    const lost = same ? null : M.compress.cost(model, found, rows);
    if (lost && lost.ruins) throw py.Failure(`${found.form} answers much worse: ${lost.words()}`);
    return M.export.header(found.model, name, found.quantised, cost);
  };
  const tableBytes = (model, quantised) =>
    (quantised ? M.emit.integer_body(quantised) : M.emit.body_of(model.machine)).bytes;

  // ---- SHA-256 (FIPS 180-4): crypto.subtle is not there for a page that is a file ----
  const sha256 = (bytes) => {
    const primes = [];
    for (let p = 2; primes.length < 64; p++) if (primes.every((q) => p % q)) primes.push(p);
    const part = (v) => Math.floor((v - Math.floor(v)) * 2 ** 32) | 0;
    const k = primes.map((p) => part(Math.cbrt(p))),
      h = primes.slice(0, 8).map((p) => part(Math.sqrt(p)));
    const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64),
      view = new DataView(padded.buffer),
      w = new Int32Array(64);
    padded.set(bytes);
    padded[bytes.length] = 128;
    view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
    view.setUint32(padded.length - 4, (bytes.length * 8) >>> 0);
    const turn = (v, n) => (v >>> n) | (v << (32 - n));
    for (let start = 0; start < padded.length; start += 64) {
      for (let i = 0; i < 64; i++)
        w[i] =
          i < 16
            ? view.getInt32(start + 4 * i)
            : w[i - 16] +
              (turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ (w[i - 15] >>> 3)) +
              w[i - 7] +
              (turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ (w[i - 2] >>> 10));
      let [a, b, c, d, e, f, g, x] = h;
      for (let i = 0; i < 64; i++) {
        const one = (x + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + k[i] + w[i]) | 0;
        const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
        [a, b, c, d, e, f, g, x] = [(one + two) | 0, a, b, c, (d + one) | 0, e, f, g];
      }
      [a, b, c, d, e, f, g, x].forEach((v, i) => {
        h[i] = (h[i] + v) | 0;
      });
    }
    return h.map((v) => (v >>> 0).toString(16).padStart(8, "0")).join("");
  };

  // ---- what the translated modules ask for ----
  const finite = (values) => {
    if (!values.every((v) => Number.isFinite(Number(v)))) throw new Error("scores that are not finite");
    return null;
  };
  M.native = { check_scores: finite, Machine, Parts };
  M.quant = { noted_rows: (model) => notedRows(model), Quantised: (model, form) => new Quantised(model, form), rows_of: rowsOf };
  M.model = { Model };
  M.own.fewer = fewer;
  M.own.moved = moved;
  M.own.folded = (model) => model; // linear machines of the page are stored as weights already
  const start = async (facts, doubleBytes, floatBytes) => {
    Engine.facts = facts;
    [double_, float_] = await Promise.all([load(doubleBytes), load(floatBytes)]);
  };
  return { start, train, chosen, header, Rows, Quantised, tableBytes, notedRows, sha256, facts: null };
})();
