// playground.js -- the page: points in, pictures out. All learning, answers and text come from engine.js.
(() => {
  const byId = (id) => document.getElementById(id);
  const make = (tag, text, attributes = {}) => {
    const element = document.createElement(tag);
    if (text) element.textContent = text;
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };
  const svgNode = (tag, attributes) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };
  const percent = (share) => `${Number((100 * share).toPrecision(3))} %`;
  const thousands = (n) => String(n).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
  const canvas = byId("canvas");

  // ---- methods and their options, as this page offers them ----
  const log = (low, high) => ({ low, high, log: true });
  const line = (low, high, step) => ({ low, high, step });
  const OPTIONS = {
    kernel: { words: "Kernel", choices: ["linear", "rbf", "poly"] },
    gamma: {
      words: "Gamma: how narrow the kernel is",
      ...log(0.02, 50),
      value: "1",
      when: (o) => o.kernel === "rbf" || o.kernel === "poly",
    },
    C: { words: "C: price of a point inside the margin", ...log(0.01, 1000), value: "1" },
    lambda: { words: "Lambda: 0 hard margin, 1 difference of means", ...line(0, 1, 0.01), value: "0.1" },
    theta: { words: "Theta: margin that all points should have", ...line(-0.5, 0.9, 0.05), value: "0.2" },
    models: { words: "Prototypes of each class", ...line(1, 8, 1), value: "1" },
    tangents: { words: "Tangents of each prototype", ...line(0, 1, 1), value: "1" },
    start: { words: "Where prototypes start", choices: ["hss", "clusters", "centroids", "random"] },
    "eta-pos": { words: "Error rate allowed on the last class", ...line(0.02, 0.98, 0.01), value: "0.5" },
    "eta-neg": { words: "Error rate allowed on the first class", ...line(0.02, 0.98, 0.01), value: "0.5" },
    "most-cuts": { words: "Cuts at most", ...line(1, 8, 1), value: "4" },
    "min-left": { words: "Points of each class that a cut must leave", ...line(4, 60, 1), value: "8" },
    greedy: { words: "Cut although no cut promises a gain", flag: true },
    cheap: { words: "Few candidates (fast)", flag: true },
    balanced: { words: "Classes weigh the same", flag: true },
    intercept: { words: "Threshold midway between the classes", flag: true },
    neighbours: { words: "Neighbours that decide", ...line(1, 7, 2), value: "1" },
  };
  const METHODS = {
    svm: ["svm: soft-margin support vector machine", ["kernel", "gamma", "C"]],
    kmomd: ["kmomd: distribution of margins", ["lambda", "kernel", "gamma"]],
    mam: ["mam: largest average margin", ["kernel", "gamma", "balanced", "intercept"]],
    rates: ["rates: error rates given in advance", ["eta-pos", "eta-neg", "kernel", "gamma"]],
    seco: ["seco: a list of cuts", ["most-cuts", "min-left", "greedy", "cheap", "kernel", "gamma"]],
    tvq: ["tvq: prototypes with tangents", ["models", "tangents", "theta", "start"]],
    hss: ["hss: mean and leading directions", ["models", "tangents", "start"]],
    lvq: ["lvq: learning vector quantisation", ["models"]],
    nn: ["nn: nearest neighbours", ["neighbours"]],
    omam: ["omam: classes in order", ["kernel", "gamma"]],
    lssvm: ["lssvm: classes in order, least squares", ["kernel", "gamma", "C"]],
  };

  // ---- data ----
  const state = {
    points: [],
    labels: ["1", "2", "3", "4"],
    names: ["x", "y"],
    axes: [0, 1],
    drawn: true,
    current: 0,
    method: "svm",
    options: {},
    idea: -1,
    cross: [0, 0],
    result: null,
  };
  const random = (seed) => () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32;
  };
  const normal = (next) => () => Math.sqrt(-2 * Math.log(next() + 1e-12)) * Math.cos(2 * Math.PI * next());
  const round = (v) => Number(v.toFixed(3)) + 0; // never minus zero, which a file would not keep
  const cloud = (list, n, label, x, y, sx, sy, g, turn = 0) => {
    for (let i = 0; i < n; i++) {
      const a = sx * g(),
        b = sy * g();
      list.push({
        x: [round(x + a * Math.cos(turn) - b * Math.sin(turn)), round(y + a * Math.sin(turn) + b * Math.cos(turn))],
        label,
      });
    }
  };
  const IDEAS = [
    {
      title: "Margins",
      words: "kmomd: from the hard margin to the means",
      method: "kmomd",
      options: { lambda: "0.1", kernel: "linear" },
      story:
        "Move lambda. At 0 only the points next to the border count: the hard margin. At 1 the border stands at a right angle to the line between the means (the crosses). In between, the whole distribution of margins counts.",
      data: (g) => {
        const p = [];
        cloud(p, 26, "1", -0.4, -0.25, 0.1, 0.34, g, 0.9);
        cloud(p, 26, "2", 0.38, 0.3, 0.1, 0.3, g, 0.5);
        return p.filter(
          (q) => (q.label === "1") === q.x[0] + q.x[1] * 0.6 < 0 && Math.max(...q.x.map(Math.abs)) < 0.95,
        );
      },
    },
    {
      title: "Tangents",
      words: "tvq: prototypes that bend round a class",
      method: "tvq",
      options: { models: "3", tangents: "1", theta: "0.2", start: "clusters" },
      story:
        "Each prototype is a point with a line along which distance does not count. A few of them bend round a class that a single mean cannot describe.",
      data: (g, next) => {
        const p = [];
        for (let i = 0; i < 90; i++) {
          const t = Math.PI * (0.05 + 0.9 * next());
          p.push({
            x: [round(0.75 * Math.cos(t) + 0.05 * g()), round(0.85 * Math.sin(t) - 0.45 + 0.05 * g())],
            label: "1",
          });
        }
        cloud(p, 50, "2", 0, -0.35, 0.22, 0.1, g);
        return p;
      },
    },
    {
      title: "Cuts",
      words: "seco: a list of cuts peels strips",
      method: "seco",
      options: { "most-cuts": "4", "min-left": "8", greedy: true, cheap: true, kernel: "linear" },
      story:
        "Each cut takes away a half plane in which nearly all points are of one class; the next looks only at what is left. The numbers are the order in which the chip asks.",
      data: (g, next) => {
        const p = [];
        for (let i = 0; i < 240; i++) {
          const u = 2 * next() - 1,
            v = 2 * next() - 1,
            s = u + 0.35 * v;
          p.push({ x: [round(0.92 * u), round(0.92 * v)], label: s > 0.62 || (s > -0.62 && s < 0) ? "2" : "1" });
        }
        return p;
      },
    },
    {
      title: "Error rates",
      words: "rates: ellipsoids touch the border",
      method: "rates",
      options: { "eta-pos": "0.25", "eta-neg": "0.4", kernel: "linear" },
      story:
        "You ask for the largest error rate of each class. The ellipse of a class grows as its rate gets smaller; the border keeps out of both. Ask for too little, and the answer is that it cannot be had.",
      data: (g) => {
        const p = [];
        cloud(p, 60, "1", -0.42, -0.1, 0.16, 0.3, g, 0.5);
        cloud(p, 60, "2", 0.42, 0.15, 0.2, 0.13, g, -0.3);
        return p;
      },
    },
    {
      title: "Ranks",
      words: "omam: one score, thresholds between",
      method: "omam",
      options: { kernel: "linear" },
      story:
        "Classes in order share one direction. The score along it ranks the points, and thresholds cut it into classes: parallel borders.",
      data: (g) => {
        const p = [];
        ["1", "2", "3", "4"].forEach((label, i) =>
          cloud(p, 28, label, -0.66 + 0.44 * i, -0.42 + 0.28 * i, 0.12, 0.2, g, 0.5),
        );
        return p;
      },
    },
  ];
  const START = {
    method: "svm",
    options: { kernel: "rbf", gamma: "1", C: "10" },
    story: "Draw more points, or start from one of the ideas above.",
    data: (g, next) => {
      const p = [];
      for (let i = 0; i < 120; i++) {
        const t = 2 * Math.PI * next(),
          r = i % 2 ? 0.62 + 0.07 * g() : 0.26 * Math.abs(g());
        p.push({ x: [round(r * Math.cos(t) * 1.2), round(r * Math.sin(t))], label: i % 2 ? "2" : "1" });
      }
      return p;
    },
  };

  const isNumber = (text) => /^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/.test(text);
  // Labels in the order of gen: by value if all are numbers, else as text.
  const labelsOf = (points) => {
    const seen = [...new Set(points.map((p) => p.label))],
      numeric = seen.every(isNumber),
      first = new Map();
    seen.forEach((label) => {
      const key = numeric ? Number(label) : label;
      if (!first.has(key)) first.set(key, label);
    });
    return {
      names: [...first.keys()].sort(py.compare).map((key) => first.get(key)),
      key: (label) => first.get(numeric ? Number(label) : label),
    };
  };

  // One line of CSV with its quotes.
  const fieldsOf = (text, by) => {
    const fields = [];
    let field = "",
      quoted = false;
    for (let i = 0; i < text.length; i++) {
      const c = text[i];
      if (quoted && c === '"' && text[i + 1] === '"') {
        field += '"';
        i++;
      } else if (c === '"') quoted = !quoted;
      else if (c === by && !quoted) {
        fields.push(field.trim());
        field = "";
      } else field += c;
    }
    return [...fields, field.trim()];
  };
  const readCsv = (text) => {
    const lines = text
      .replace(/^\ufeff/, "")
      .split(/\r?\n/)
      .filter((one) => one.trim() && !one.startsWith("#"));
    if (lines.length < 2) throw new Error("The file has no rows.");
    const by = [";", ",", "\t"].reduce(
      (best, c) => (lines[0].split(c).length > lines[0].split(best).length ? c : best),
      ";",
    );
    const rows = lines.map((one) => fieldsOf(one, lines[0].includes(by) ? by : " ")),
      width = rows[0].length;
    const words = rows[0].slice(0, -1).filter((f) => f !== "" && f !== "?");
    const named = words.length > 2 * words.filter(isNumber).length;
    const names = named ? rows.shift().slice(0, -1) : null;
    if (width < 2) throw new Error("A row needs at least one feature and a label.");
    rows.forEach((row, i) => {
      if (row.length !== width) throw new Error(`Row ${i + 1} has ${row.length} columns where ${width} are expected.`);
      row.slice(0, -1).forEach((f, j) => {
        if (!isNumber(f)) throw new Error(`Row ${i + 1}, column ${j + 1}: not a number: ${f}`);
      });
    });
    if (rows.length > 4000 || rows.length * width > 400000)
      throw new Error("The file is too large for this page: use gen.");
    return { names, points: rows.map((row) => ({ x: row.slice(0, -1).map(Number), label: row[width - 1] })) };
  };
  const quote = (text) => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
  const csvText = () =>
    [
      state.names ? [...state.names, "class"].map(quote).join(",") : null,
      ...state.points.map((p) => [...p.x.map(String), quote(p.label)].join(",")),
    ]
      .filter((one) => one !== null)
      .join("\n") + "\n";

  // ---- training ----
  const chosenOptions = () => {
    // as the command line would have them, in its order
    const shown = METHODS[state.method][1].filter((name) => !OPTIONS[name].when || OPTIONS[name].when(state.options));
    const chosen = new Map();
    for (const name of FACTS.methods[state.method].options) {
      if (!shown.includes(name)) continue;
      const value = state.options[name] ?? OPTIONS[name].value;
      if (FACTS.flags.includes(name)) {
        if (value) chosen.set(name, true);
      } else if (FACTS.words[name]) chosen.set(name, value ?? OPTIONS[name].choices[0]);
      else if (value !== undefined)
        chosen.set(name, FACTS.whole.includes(name) ? parseInt(value, 10) : new Real(Number(value)));
    }
    return chosen;
  };
  const problemOf = () => {
    const { names: labels, key } = labelsOf(state.points),
      d = state.points[0].x.length;
    const y = state.points.map((p) => labels.indexOf(key(p.label)));
    return {
      labels,
      names: state.names,
      rows: new Engine.Rows(
        Float64Array.from(state.points.flatMap((p) => p.x)),
        state.points.length,
        d,
        y,
        null,
        labels.length,
      ),
    };
  };
  const budget = () => {
    const bytes = Number(byId("flash").value);
    return Number.isInteger(bytes) && bytes > 0 ? bytes : null;
  };
  // What the format and the budget make of the model, in a line, and whether there is anything to download.
  const showBudget = () => {
    const line = byId("budget"),
      flash = budget();
    byId("command").textContent = commandOf(chosenOptions(), byId("format").value);
    line.textContent = "";
    if (!state.result) return;
    byId("save-header").disabled = false;
    if (flash === null) return;
    const { found, problem } = state.result;
    try {
      const one = Engine.chosen(found.model, byId("format").value, flash, problem.rows),
        cost = M.compress.cost(found.model, one, problem.rows);
      const vectors = one.vectors ? `, ${one.vectors} of ${found.model.machine.shape.vectors} vectors` : "";
      line.textContent = `${one.form}: ${one.bytes} bytes of tables${vectors}. ${sentence(cost.words())}`;
      if (cost.ruins) line.textContent += " That is too much to lose: nothing is written.";
      byId("save-header").disabled = cost.ruins;
    } catch (error) {
      if (!error.failure) throw error;
      line.textContent = sentence(error.message);
      byId("save-header").disabled = true;
    }
  };
  const commandOf = (chosen, form) =>
    [
      "python3 -m gen train data.csv --method",
      state.method,
      ...[...chosen].map(([name, value]) =>
        value === true ? `--${name}` : `--${name} ${String(value instanceof Real ? value.value : value)}`,
      ),
      ...(form === "any" || (form === "f32" && budget() === null) ? [] : ["--format", form]),
      ...(budget() === null ? [] : ["--flash", budget()]),
      "-o model.h",
    ].join(" ");

  let timer = 0;
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(train, 60);
  };
  const train = () => {
    clearTimeout(timer);
    timer = 0;
    state.result = null;
    const say = (words) => {
      byId("words").textContent = words;
    };
    const counts = new Map();
    state.points.forEach((p) => counts.set(p.label, (counts.get(p.label) || 0) + 1));
    byId("command").textContent = commandOf(chosenOptions(), byId("format").value);
    byId("save-header").disabled = true;
    if (counts.size < 2) {
      say("Draw points of at least two classes.");
      draw();
      return;
    }
    const start = performance.now();
    try {
      const problem = problemOf(),
        chosen = chosenOptions(),
        found = Engine.train(problem, state.method, chosen);
      const trained = performance.now() - start;
      const forms = [{ form: "f32", bytes: Engine.tableBytes(found.model, null), quantised: null }];
      for (const form of ["q15", "q7"]) {
        try {
          const quantised = new Engine.Quantised(found.model, form);
          forms.push({ form, quantised, bytes: Engine.tableBytes(found.model, quantised) });
        } catch (error) {
          forms.push({ form, error: error.message });
        }
      }
      state.result = { problem, chosen, found, forms, trained, answers: found.model.machine.answers(problem.rows) };
      say(state.story || "");
      showBudget();
    } catch (error) {
      say(
        /cannot be had/.test(error.message) && error.told
          ? `${sentence(error.message)} ${rateAdvice(error.told)}`
          : sentence(error.message),
      );
    }
    draw();
  };
  const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}.`;
  const rateAdvice = (told) =>
    told.has("eta_pos_touch")
      ? `What is above ${percent(Number(told.get("eta_pos_touch")))} and ${percent(Number(told.get("eta_neg_touch")))} can be had.`
      : "";

  // ---- pictures ----
  const colours = () => {
    const style = getComputedStyle(document.documentElement),
      get = (name) => style.getPropertyValue(name).trim();
    return {
      ink: get("--ink"),
      muted: get("--muted"),
      paper: get("--paper"),
      c: [0, 1, 2, 3, 4, 5].map((i) => get(`--c${i}`)),
    };
  };
  const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
  const bounds = () => {
    if (state.drawn)
      return [
        [-1, 1],
        [-1, 1],
      ];
    return state.axes.map((j) => {
      const values = state.points.map((p) => p.x[j]),
        low = Math.min(...values),
        high = Math.max(...values),
        room = 0.08 * (high - low) || 0.5;
      return [low - room, high + room];
    });
  };
  const placer = (width, height) => {
    const [[x0, x1], [y0, y1]] = bounds();
    return {
      to: (x, y) => [((x - x0) / (x1 - x0)) * width, height - ((y - y0) / (y1 - y0)) * height],
      from: (u, v) => [x0 + (u / width) * (x1 - x0), y0 + ((height - v) / height) * (y1 - y0)],
    };
  };
  // Answers on a grid of the plane that is shown, the other features at their medians.
  const gridOf = (across, up) => {
    const d = state.points[0].x.length,
      place = placer(across - 1, up - 1);
    const middle = Array.from({ length: d }, (_, j) => {
      const v = state.points.map((p) => p.x[j]).sort((a, b) => a - b);
      return v[v.length >> 1];
    });
    const x = new Float64Array(across * up * d);
    for (let i = 0; i < up; i++)
      for (let j = 0; j < across; j++) {
        const at = (i * across + j) * d,
          [u, v] = place.from(j, i);
        for (let k = 0; k < d; k++) x[at + k] = k === state.axes[0] ? u : k === state.axes[1] ? v : middle[k];
      }
    return new Engine.Rows(x, across * up, d);
  };
  const paint = (target, labels, clear, across, up, strong) => {
    const { c } = colours(),
      image = new ImageData(across, up),
      tones = c.map(rgb);
    labels.forEach((label, i) => {
      if (label >= 65535) return;
      const [r, g, b] = tones[label % 6];
      image.data.set([r, g, b, clear[i] >= strong ? 76 : 40], 4 * i);
    });
    const small = new OffscreenCanvas(across, up);
    small.getContext("2d").putImageData(image, 0, 0);
    const context = target.getContext("2d"),
      { a: ratio } = context.getTransform();
    context.clearRect(0, 0, target.width, target.height);
    context.imageSmoothingEnabled = true;
    context.drawImage(small, 0, 0, target.width / ratio, target.height / ratio);
  };
  // The line where a field on the grid is zero: marching squares.
  const contour = (context, field, across, up, level, width, height) => {
    const sx = width / (across - 1),
      sy = height / (up - 1);
    context.beginPath();
    for (let i = 0; i < up - 1; i++)
      for (let j = 0; j < across - 1; j++) {
        const ring = [
            [i, j],
            [i, j + 1],
            [i + 1, j + 1],
            [i + 1, j],
          ],
          v = ring.map(([a, b]) => field[a * across + b] - level),
          ends = [];
        for (let k = 0; k < 4; k++) {
          const n = (k + 1) % 4;
          if (v[k] >= 0 !== v[n] >= 0) {
            const t = v[k] / (v[k] - v[n]);
            ends.push([
              (ring[k][1] + t * (ring[n][1] - ring[k][1])) * sx,
              (ring[k][0] + t * (ring[n][0] - ring[k][0])) * sy,
            ]);
          }
        }
        for (let k = 0; k + 1 < ends.length; k += 2) {
          context.moveTo(...ends[k]);
          context.lineTo(...ends[k + 1]);
        }
      }
    context.stroke();
  };
  const shape = (context, x, y, index, size) => {
    context.beginPath();
    if (index % 4 === 0) context.arc(x, y, size, 0, 7);
    else if (index % 4 === 1) {
      context.moveTo(x, y - 1.3 * size);
      context.lineTo(x + 1.2 * size, y + size);
      context.lineTo(x - 1.2 * size, y + size);
      context.closePath();
    } else if (index % 4 === 2) context.rect(x - size, y - size, 2 * size, 2 * size);
    else {
      context.moveTo(x, y - 1.4 * size);
      context.lineTo(x + 1.4 * size, y);
      context.lineTo(x, y + 1.4 * size);
      context.lineTo(x - 1.4 * size, y);
      context.closePath();
    }
  };
  const unscaled = (machine, values, k) => {
    const o = machine.array("offset"),
      f = machine.array("factor");
    return o.length ? (f[k] ? values / f[k] + o[k] : o[k]) : values;
  };
  const indexOf = () => {
    const { names, key } = labelsOf(state.points);
    return (label) => names.indexOf(key(label));
  };

  // What is special about each kind of model.
  const overlays = (context, width, height, tone) => {
    const { found, problem, answers } = state.result,
      machine = found.model.machine,
      [a, b] = state.axes,
      place = placer(width, height).to;
    const d = machine.shape.d,
      kind = machine.shape.kind;
    context.lineWidth = 2;
    if (kind === 2 && d === 2) {
      // vectors of an expansion
      const v = machine.array("vectors");
      context.strokeStyle = tone.ink;
      for (let i = 0; i < v.length; i += d) {
        const [x, y] = place(unscaled(machine, v[i + a], a), unscaled(machine, v[i + b], b));
        context.beginPath();
        context.arc(x, y, 9, 0, 7);
        context.stroke();
      }
    }
    if (kind === 1 && state.method === "svm" && d === 2) {
      // points that hold the border: margins of at most 1
      context.strokeStyle = tone.ink;
      state.points.forEach((p, i) => {
        if (answers.own[i] <= 1.001) {
          const [x, y] = place(p.x[a], p.x[b]);
          context.beginPath();
          context.arc(x, y, 9, 0, 7);
          context.stroke();
        }
      });
    }
    if (kind === 3) {
      // prototypes and tangents
      const v = machine.array("vectors"),
        t = machine.numbers.get("tangents"),
        ends = machine.array("class_end"),
        n = machine.numbers.get("n");
      const o = machine.array("offset"),
        f = machine.array("factor"),
        raw = (vector, k) => (o.length && f[k] ? vector / f[k] : vector);
      for (let i = 0; i < n; i++) {
        const at = i * (1 + t) * d,
          label = ends.findIndex((end) => i < end),
          c = [unscaled(machine, v[at + a], a), unscaled(machine, v[at + b], b)],
          [x, y] = place(...c);
        context.strokeStyle = tone.c[label % 6];
        for (let k = 0; k < t; k++) {
          const s = 1.1,
            u = [raw(v[at + (1 + k) * d + a], a), raw(v[at + (1 + k) * d + b], b)];
          context.lineWidth = 4;
          context.beginPath();
          context.moveTo(...place(c[0] - s * u[0], c[1] - s * u[1]));
          context.lineTo(...place(c[0] + s * u[0], c[1] + s * u[1]));
          context.stroke();
        }
        context.fillStyle = tone.c[label % 6];
        context.strokeStyle = tone.ink;
        context.lineWidth = 2.5;
        shape(context, x, y, label, n > 60 ? 5 : 9);
        context.fill();
        context.stroke();
      }
    }
    if (kind === 4 && d === 2 && machine.numbers.get("kernel") === 0) {
      // cuts of a list, numbered in their order
      const n = machine.numbers.get("n"),
        m = machine.numbers.get("width"),
        coef = machine.array("coef"),
        v = machine.array("vectors"),
        bias = machine.array("bias");
      const o = machine.array("offset"),
        f = machine.array("factor");
      for (let j = 0; j < m; j++) {
        const w = [0, 1].map((k) => {
          let s = 0;
          for (let i = 0; i < n; i++) s += coef[i * m + j] * v[i * d + k];
          return o.length ? s * f[k] : s;
        });
        const c = bias[j] - (o.length ? w[0] * o[0] + w[1] * o[1] : 0),
          size = Math.hypot(...w) || 1,
          p = [(-c * w[0]) / size ** 2, (-c * w[1]) / size ** 2],
          u = [-w[1] / size, w[0] / size];
        context.strokeStyle = tone.ink;
        context.lineWidth = 1.5;
        context.setLineDash([7, 5]);
        context.beginPath();
        context.moveTo(...place(p[0] - 4 * u[0], p[1] - 4 * u[1]));
        context.lineTo(...place(p[0] + 4 * u[0], p[1] + 4 * u[1]));
        context.stroke();
        context.setLineDash([]);
        const s = 0.62 - 0.13 * j,
          [x, y] = place(p[0] + s * u[0], p[1] + s * u[1]);
        context.fillStyle = tone.paper;
        context.beginPath();
        context.arc(x, y, 13, 0, 7);
        context.fill();
        context.stroke();
        context.fillStyle = tone.ink;
        context.font = "600 15px system-ui, sans-serif";
        context.textAlign = "center";
        context.textBaseline = "middle";
        context.fillText(String(j + 1), x, y + 1);
      }
    }
    if ((state.method === "rates" || state.method === "kmomd") && d === 2)
      moments(context, place, tone, problem, found);
  };
  // Means of the classes; for rates the ellipses that the error rates stand for: kappa = sqrt((1 - eta) / eta).
  const moments = (context, place, tone, problem, found) => {
    problem.labels.forEach((_, c) => {
      const own = state.points.filter((_p, i) => problem.rows.y[i] === c).map((p) => p.x),
        n = own.length;
      const m = [0, 1].map((k) => own.reduce((s, x) => s + x[k], 0) / n);
      const [xx, xy, yy] = [
        [0, 0],
        [0, 1],
        [1, 1],
      ].map(([i, j]) => own.reduce((s, x) => s + (x[i] - m[i]) * (x[j] - m[j]), 0) / n);
      const [x, y] = place(...m);
      context.strokeStyle = tone.c[c % 6];
      context.lineWidth = 3;
      context.beginPath();
      context.moveTo(x - 9, y);
      context.lineTo(x + 9, y);
      context.moveTo(x, y - 9);
      context.lineTo(x, y + 9);
      context.stroke();
      if (state.method !== "rates" || state.options.kernel === "rbf") return;
      const eta = Number(state.options[c ? "eta-pos" : "eta-neg"] ?? 0.5),
        kappa = Math.sqrt((1 - eta) / eta);
      const l11 = Math.sqrt(xx),
        l21 = xy / l11,
        l22 = Math.sqrt(Math.max(yy - l21 * l21, 0));
      context.lineWidth = 2;
      context.beginPath();
      for (let k = 0; k <= 72; k++) {
        const t = (k / 36) * Math.PI,
          p = place(m[0] + kappa * l11 * Math.cos(t), m[1] + kappa * (l21 * Math.cos(t) + l22 * Math.sin(t)));
        k ? context.lineTo(...p) : context.moveTo(...p);
      }
      context.stroke();
    });
  };

  const draw = () => {
    const ratio = devicePixelRatio || 1,
      width = canvas.clientWidth || 720,
      height = (width * 3) / 4; // marks keep their size on any screen
    if (canvas.width !== Math.round(width * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const tone = colours(),
      context = canvas.getContext("2d"),
      place = placer(width, height).to;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const fine = state.result && state.result.found.model.machine.shape.kind === 4 ? 3 : 1; // margins of a list jump: nothing to interpolate by
    const across = 120 * fine + 1,
      up = 90 * fine + 1;
    context.clearRect(0, 0, width, height);
    if (state.result) {
      const { found } = state.result,
        rows = gridOf(across, up),
        grid = found.model.machine.answers(rows),
        binary = found.model.machine.shape.binary;
      const unit = binary && found.model.machine.shape.kind < 3;
      const strong = unit ? 1 : [...grid.elected].sort((a, b) => a - b)[grid.elected.length >> 1];
      paint(canvas, grid.label, grid.elected, across, up, strong);
      context.strokeStyle = tone.ink;
      for (const label of new Set(grid.label)) {
        const field = grid.elected.map((m, i) => (grid.label[i] === label ? m : -m));
        context.lineWidth = 2;
        contour(context, field, across, up, 0, width, height);
        if (unit) {
          context.lineWidth = 1;
          context.setLineDash([5, 5]);
          contour(context, field, across, up, 1, width, height);
          context.setLineDash([]);
        }
        if (binary) {
          if (unit) {
            context.lineWidth = 1;
            context.setLineDash([5, 5]);
            contour(context, field, across, up, -1, width, height);
            context.setLineDash([]);
          }
          break;
        }
      }
      showFormats(rows, grid, across, up, strong);
    } else byId("formats").replaceChildren();
    const index = state.points.length ? indexOf() : () => 0;
    for (const p of state.points) {
      const [x, y] = place(p.x[state.axes[0]], p.x[state.axes[1] ?? 0]),
        c = state.drawn ? state.labels.indexOf(p.label) : index(p.label);
      const colour = state.result ? index(p.label) : c;
      context.fillStyle = tone.c[colour % 6];
      context.strokeStyle = tone.paper;
      context.lineWidth = 1.2;
      shape(context, x, y, colour, 4.6);
      context.fill();
      context.stroke();
    }
    if (state.result) overlays(context, width, height, tone);
    if (document.activeElement === canvas && state.drawn) {
      const [x, y] = place(...state.cross);
      context.strokeStyle = tone.ink;
      context.lineWidth = 2;
      context.beginPath();
      context.moveTo(x - 14, y);
      context.lineTo(x + 14, y);
      context.moveTo(x, y - 14);
      context.lineTo(x, y + 14);
      context.stroke();
    }
    showTiles();
    histogram();
    chips();
    document.body.dataset.drawn = String(Number(document.body.dataset.drawn || 0) + 1);
  };

  const showFormats = (rows, grid, across, up, strong) => {
    const parts = state.result.forms.map((one) => {
      const figure = make("figure"),
        caption = make("figcaption"),
        view = make("canvas", "", { width: 360, height: 270, role: "img" });
      caption.append(make("h3", one.form));
      if (one.error) {
        caption.append(make("p", one.error));
        figure.append(caption);
        return figure;
      }
      let labels = grid.label,
        clear = grid.elected,
        differ = 0;
      if (one.quantised) {
        const [label, , margin] = one.quantised.answer(one.quantised.inputs(rows)),
          unit = Number(one.quantised.report.unit),
          simple = state.result.found.model.machine.shape.scheme === 0;
        labels = label;
        clear = Array.from(margin, (v) => (simple ? Math.abs(v) : v) * unit);
        if (state.result.found.model.machine.shape.ordinal) clear = grid.elected;
        differ = labels.reduce((n, v, i) => n + (v !== grid.label[i]), 0);
      }
      const own = one.quantised
        ? one.quantised.predict(one.quantised.inputs(state.result.problem.rows))[0]
        : [...state.result.answers.label];
      const wrong = own.filter((label, i) => label !== state.result.problem.rows.y[i]).length;
      caption.append(
        make(
          "p",
          `${thousands(one.bytes)} bytes of tables; ${wrong} of ${own.length} points wrong${one.quantised ? `; ${percent(differ / labels.length)} of the picture differs` : ""}`,
        ),
      );
      paint(view, labels, clear, across, up, strong);
      const context = view.getContext("2d"),
        tone = colours();
      context.fillStyle = tone.ink;
      if (one.quantised)
        labels.forEach((v, i) => {
          if (v !== grid.label[i])
            context.fillRect(((i % across) / across) * 360, (Math.floor(i / across) / up) * 270, 3, 3);
        });
      view.setAttribute(
        "aria-label",
        `Regions in ${one.form}: ${one.bytes} bytes, ${wrong} points wrong, ${differ} places differ from f32`,
      );
      figure.append(caption, view);
      return figure;
    });
    byId("formats").replaceChildren(...parts);
  };

  const showTiles = () => {
    const tile = (name, value, more) => {
      const box = make("div");
      box.append(make("dt", name), make("dd", value), make("dd", more));
      return box;
    };
    const r = state.result;
    if (!r) {
      byId("tiles").replaceChildren();
      return;
    }
    const wrong = [...r.answers.label].filter((label, i) => label !== r.problem.rows.y[i]).length,
      n = r.problem.rows.n,
      machine = r.found.model.machine;
    const size = machine.shape.vectors
      ? [String(machine.shape.vectors), machine.shape.kind === 3 ? "prototypes" : "vectors"]
      : [String(machine.shape.d * (machine.shape.ordinal ? 1 : machine.shape.machines)), "weights"];
    const sizes = r.forms
      .filter((one) => one.bytes)
      .map((one) => `${one.form} ${thousands(one.bytes)}`)
      .join(", ");
    byId("tiles").replaceChildren(
      tile("points wrong", percent(wrong / n), `${wrong} of ${n}`),
      tile(
        `trained in`,
        `${r.trained < 10 ? r.trained.toFixed(1) : Math.round(r.trained)} ms`,
        r.found.report.iterations ? `${r.found.report.iterations} steps` : "in closed form",
      ),
      tile(
        size[1],
        size[0],
        machine.shape.kind === 3 ? `${machine.numbers.get("tangents")} tangents each` : "in the model",
      ),
      tile(
        "bytes of tables",
        thousands(Math.min(...r.forms.filter((one) => one.bytes).map((one) => one.bytes))),
        sizes,
      ),
    );
  };

  const histogram = () => {
    const holder = byId("histogram");
    holder.replaceChildren();
    if (!state.result) return;
    const { answers, problem } = state.result,
      values = [...answers.elected].map((m, i) => (answers.label[i] === problem.rows.y[i] ? m : -m));
    const sorted = [...values].sort((a, b) => a - b),
      low = Math.min(0, sorted[0]),
      high = Math.max(sorted[sorted.length - 1], low + 1e-9),
      bins = 30,
      counts = Array(bins).fill(0);
    values.forEach((v) => {
      counts[Math.min(bins - 1, Math.floor(((v - low) / (high - low)) * bins))]++;
    });
    const top = Math.max(...counts),
      x = (v) => 8 + (344 * (v - low)) / (high - low),
      bad = values.filter((v) => v < 0).length;
    const figure = svgNode("svg", {
      viewBox: "0 0 360 190",
      role: "img",
      "aria-label": `Margins of ${values.length} points: ${bad} below zero, median ${sorted[sorted.length >> 1].toPrecision(3)}`,
    });
    counts.forEach((count, i) =>
      figure.append(
        svgNode("rect", {
          x: 8 + (344 * i) / bins + 0.5,
          width: 344 / bins - 1,
          y: 140 - (120 * count) / top,
          height: (120 * count) / top,
          class: low + ((i + 0.5) * (high - low)) / bins < 0 ? "f1" : "f0",
        }),
      ),
    );
    figure.append(
      svgNode("line", { x1: 8, x2: 352, y1: 140, y2: 140, class: "axis" }),
      svgNode("line", { x1: x(0), x2: x(0), y1: 14, y2: 140, class: "zero" }),
    );
    const words = (at, y, text, anchor) => {
      const t = svgNode("text", { x: at, y, "text-anchor": anchor, class: "tick" });
      t.textContent = text;
      figure.append(t);
    };
    words(8, 156, Number(low.toPrecision(3)), "start");
    words(352, 156, Number(high.toPrecision(3)), "end");
    if (x(0) > 40 && x(0) < 320) words(x(0), 156, "0", "middle");
    words(352, 176, "margin", "end");
    if (bad) words(Math.min(x(0) - 4, 340), 10, `${bad} wrong`, x(0) > 60 ? "end" : "start");
    holder.append(figure);
  };

  // Flash, stack and instructions on the targets that gen knows.
  const chips = () => {
    const holder = byId("chips");
    holder.replaceChildren();
    if (!state.result) return;
    const table = make("table"),
      head = make("thead"),
      body = make("tbody"),
      row = make("tr");
    ["target", "format", "flash", "stack", "instructions"].forEach((text, i) =>
      row.append(make("th", text, { scope: "col", ...(i > 1 ? { class: "n" } : {}) })),
    );
    head.append(row);
    for (const target of Object.keys(FACTS.targets))
      for (const one of state.result.forms) {
        if (one.error) continue;
        const found = M.cost.estimate(M.cost.shape_of(state.result.found.model, one.form, one.quantised), target),
          line_ = make("tr");
        if (!found.known) continue;
        [
          target,
          one.form,
          thousands(found.flash),
          thousands(found.stack),
          found.cycles === null ? "–" : thousands(found.cycles),
        ].forEach((text, i) => line_.append(make("td", text, i > 1 ? { class: "n" } : {})));
        body.append(line_);
      }
    table.append(head, body);
    holder.append(table);
  };

  // ---- controls ----
  const showOptions = () => {
    const holder = byId("options");
    holder.replaceChildren();
    for (const name of METHODS[state.method][1]) {
      const o = OPTIONS[name];
      if (o.when && !o.when(state.options)) continue;
      const label = make("label", "", { for: `o-${name}` });
      const changed = (value) => {
        state.options[name] = value;
        if (name === "kernel") showOptions();
        later();
      };
      if (o.flag) {
        const box = make("input", "", { type: "checkbox", id: `o-${name}` });
        box.checked = Boolean(state.options[name]);
        box.addEventListener("change", () => changed(box.checked));
        label.className = "flag";
        label.append(box, make("span", o.words));
      } else if (o.choices) {
        const select = make("select", "", { id: `o-${name}` });
        o.choices.forEach((choice) => select.append(make("option", choice, { value: choice })));
        select.value = state.options[name] ?? o.choices[0];
        select.addEventListener("change", () => {
          changed(select.value);
          byId(`o-${name}`).focus();
        });
        label.append(make("span", o.words), select);
      } else {
        const slider = make("input", "", {
            type: "range",
            id: `o-${name}`,
            min: o.log ? 0 : o.low,
            max: o.log ? 100 : o.high,
            step: o.log ? 1 : o.step,
          }),
          out = make("output");
        const value = Number(state.options[name] ?? o.value);
        slider.value = o.log ? (100 * Math.log(value / o.low)) / Math.log(o.high / o.low) : value;
        out.textContent = String(value);
        slider.addEventListener("input", () => {
          const v = o.log
            ? Number((o.low * (o.high / o.low) ** (slider.value / 100)).toPrecision(3))
            : Number(slider.value);
          out.textContent = String(v);
          changed(String(v));
        });
        label.append(make("span", o.words), out, slider);
      }
      holder.append(label);
    }
    byId("method-words").textContent = sentence(FACTS.methods[state.method].help);
  };
  const showClasses = () => {
    byId("classes").replaceChildren(
      ...state.labels.map((name, i) => {
        const label = make("label"),
          radio = make("input", "", { type: "radio", name: "class", value: name }),
          icon = svgNode("svg", { viewBox: "-8 -8 16 16", "aria-hidden": "true" });
        const d = [
          "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z",
          "M0-6l5.6 10.5h-11.2z",
          "M-4.5-4.5h9v9h-9z",
          "M0-6.5l6.5 6.5l-6.5 6.5l-6.5-6.5z",
        ][i % 4];
        icon.append(svgNode("path", { d, class: `f${i % 6}` }));
        radio.checked = i === state.current;
        radio.addEventListener("change", () => {
          state.current = i;
        });
        label.append(radio, icon, make("span", `class ${name}`));
        return label;
      }),
    );
  };
  const showAxes = () => {
    byId("axes").hidden = state.drawn || state.points[0].x.length < 3;
    const names = state.names ?? state.points[0]?.x.map((_, j) => `x${j + 1}`) ?? [];
    ["axis-x", "axis-y"].forEach((id, k) => {
      byId(id).replaceChildren(...names.map((name, j) => make("option", name, { value: j })));
      byId(id).value = state.axes[k];
    });
  };
  const use = (idea, index) => {
    const next = random(7 + index),
      g = normal(next);
    Object.assign(state, {
      points: idea.data(g, next),
      names: ["x", "y"],
      labels: ["1", "2", "3", "4"],
      axes: [0, 1],
      drawn: true,
      method: idea.method,
      options: { ...idea.options },
      story: idea.story,
      idea: index,
    });
    [...byId("ideas").children].forEach((button, i) => button.setAttribute("aria-pressed", String(i === index)));
    byId("method").value = idea.method;
    showOptions();
    showClasses();
    showAxes();
    train();
  };
  const loaded = (name, text) => {
    try {
      const { names, points } = readCsv(text);
      Object.assign(state, {
        points,
        names,
        drawn: false,
        axes: points[0].x.length > 1 ? [0, 1] : [0, 0],
        story: `${name}: ${points.length} rows, ${points[0].x.length} features. It stays in this page.`,
        idea: -1,
      });
      state.labels = labelsOf(points).names;
      showClasses();
      showAxes();
      train();
    } catch (error) {
      byId("words").textContent = `${name}: ${error.message}`;
    }
  };
  const download = (name, text, type) => {
    const link = make("a", "", { download: name });
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };

  const addPoint = (x, y) => {
    if (!state.drawn) {
      byId("words").textContent = "These rows come from a file. Clear to draw.";
      return;
    }
    state.points.push({
      x: [round(Math.max(-1, Math.min(1, x))), round(Math.max(-1, Math.min(1, y)))],
      label: state.labels[state.current],
    });
    later();
  };
  const erase = (x, y, reach) => {
    if (!state.drawn || !state.points.length) return;
    const distance = (p) => Math.hypot(p.x[0] - x, p.x[1] - y),
      nearest = state.points.reduce((a, b) => (distance(b) < distance(a) ? b : a));
    if (distance(nearest) <= reach) {
      state.points.splice(state.points.indexOf(nearest), 1);
      later();
    }
  };
  const whereIs = (event) => {
    const box = canvas.getBoundingClientRect();
    return placer(box.width, box.height).from(event.clientX - box.left, event.clientY - box.top);
  };
  const next = random(99),
    spread = normal(next);
  let last = 0;
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    const [x, y] = whereIs(event);
    event.shiftKey ? erase(x, y, 0.15) : addPoint(x, y);
    last = performance.now();
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!canvas.hasPointerCapture(event.pointerId) || performance.now() - last < 50) return;
    const [x, y] = whereIs(event);
    event.shiftKey ? erase(x, y, 0.15) : addPoint(x + 0.03 * spread(), y + 0.03 * spread());
    last = performance.now();
  });
  canvas.addEventListener("keydown", (event) => {
    const step = event.shiftKey ? 0.2 : 0.05,
      move = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] }[event.key];
    if (move) state.cross = state.cross.map((v, i) => round(Math.max(-1, Math.min(1, v + move[i]))));
    else if (event.key === "Enter" || event.key === " ") addPoint(...state.cross);
    else if (event.key === "Delete" || event.key === "Backspace") erase(...state.cross, 0.3);
    else if (/^[1-4]$/.test(event.key) && state.drawn) {
      state.current = Number(event.key) - 1;
      showClasses();
    } else return;
    event.preventDefault();
    byId("words").textContent =
      `Cross at ${state.cross.join(", ")}; ${state.points.length} points; class ${state.labels[state.current]}.`;
    draw();
  });
  canvas.addEventListener("focus", () => draw());
  canvas.addEventListener("blur", () => draw());
  byId("undo").addEventListener("click", () => {
    state.points.pop();
    train();
  });
  byId("clear").addEventListener("click", () => {
    Object.assign(state, {
      points: [],
      drawn: true,
      names: ["x", "y"],
      labels: ["1", "2", "3", "4"],
      axes: [0, 1],
      current: 0,
    });
    showClasses();
    showAxes();
    train();
  });
  byId("file").addEventListener("change", async (event) => {
    const file = event.target.files[0];
    if (file) loaded(file.name, await file.text());
    event.target.value = "";
  });
  const stage = byId("stage");
  stage.addEventListener("dragover", (event) => {
    event.preventDefault();
    stage.classList.add("over");
  });
  stage.addEventListener("dragleave", () => stage.classList.remove("over"));
  stage.addEventListener("drop", async (event) => {
    event.preventDefault();
    stage.classList.remove("over");
    const file = event.dataTransfer.files[0];
    if (file) loaded(file.name, await file.text());
  });
  ["axis-x", "axis-y"].forEach((id, k) =>
    byId(id).addEventListener("change", (event) => {
      state.axes[k] = Number(event.target.value);
      draw();
    }),
  );
  byId("save-data").addEventListener("click", () => download("data.csv", csvText(), "text/csv"));
  byId("save-header").addEventListener("click", () =>
    download(
      "model.h",
      Engine.header(state.result.found.model, "model", byId("format").value, budget(), state.result.problem.rows),
      "text/plain",
    ),
  );
  byId("format").addEventListener("change", showBudget);
  byId("flash").addEventListener("input", showBudget);
  byId("method").append(
    ...Object.entries(METHODS)
      .filter(([name]) => FACTS.methods[name])
      .map(([name, [words]]) => make("option", words, { value: name })),
  );
  byId("method").addEventListener("change", (event) => {
    state.method = event.target.value;
    state.story = "";
    showOptions();
    train();
  });
  IDEAS.forEach((idea, i) => {
    const button = make("button", "", { type: "button", "aria-pressed": "false" });
    button.append(make("b", idea.title), make("span", idea.words));
    button.addEventListener("click", () => use(idea, i));
    byId("ideas").append(button);
  });
  let room = 0;
  new ResizeObserver(() => {
    if (Math.abs(canvas.clientWidth - room) > 1) {
      room = canvas.clientWidth;
      draw();
    }
  }).observe(canvas);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => draw());

  const bytesOf = async (text) => {
    const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    return new Uint8Array(
      await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer(),
    );
  };
  (async () => {
    await Engine.start(FACTS, await bytesOf(FACTS.double), await bytesOf(FACTS.float));
    window.marginPlayground = {
      state,
      csvText,
      header: (form) => Engine.header(state.result.found.model, "model", form, budget(), state.result.problem.rows),
      chosen: () => commandOf(chosenOptions(), "f32"),
      use: (i) => use(i < 0 ? START : IDEAS[i], i),
      train,
      idle: () => timer === 0,
      loaded,
    };
    use(START, -1);
    document.body.dataset.ready = "yes";
  })().catch((error) => {
    byId("words").textContent = `The playground does not work here: ${error.message}`;
  });
})();
