"use strict";
// report.js -- what moves in a report: the reject line, and the form that asks the exported header itself. All numbers of
// the page are in the element "facts"; texts go in by textContent only.
(() => {
  const facts = JSON.parse(document.getElementById("facts").textContent);
  const byId = (id) => document.getElementById(id);
  const percent = (share) => `${Number((100 * share).toPrecision(4))} %`;

  // ---- the reject line ----
  const slider = byId("reject");
  if (slider && facts.curve) {
    const curve = facts.curve,
      [left, right, low, high] = facts.margin_scale;
    const [dl, dr, farthest, dt, db, highest] = facts.reject_scale;
    const clamp = (v, a, b) => Math.min(Math.max(v, a), b);
    const place = (m) => left + (right - left) * clamp((m - low) / (high - low), 0, 1);
    const show = () => {
      const i = Number(slider.value),
        t = curve.thresholds[i],
        kept = curve.n - curve.rejected[i];
      const rejection = curve.rejected[i] / curve.n,
        error = kept ? curve.wrong[i] / kept : 0;
      for (const id of ["band-up", "band-down"]) {
        byId(id).setAttribute("x", place(-t));
        byId(id).setAttribute("width", place(t) - place(-t));
      }
      byId("reject-line").setAttribute("transform", `translate(${place(t) - place(0)} 0)`);
      const x = dl + (dr - dl) * clamp(rejection / farthest, 0, 1),
        y = db - (db - dt) * clamp(error / highest, 0, 1);
      byId("reject-dot").setAttribute(
        "transform",
        `translate(${x - dl} ${y - (db - (db - dt) * clamp(curve.wrong[0] / curve.n / highest, 0, 1))})`,
      );
      const words =
        `Margins below ${Number(t.toPrecision(4))} get no answer: ${percent(rejection)} of the rows ` +
        `(${curve.rejected[i]} of ${curve.n}); of the others ${percent(error)} are wrong (${curve.wrong[i]} of ${kept}).`;
      byId("reject-words").textContent = words;
      byId("reject-option").textContent = t > 0 ? `--reject ${t}` : "(nothing is rejected now)";
      slider.setAttribute("aria-valuetext", words);
      Object.assign(slider.dataset, { threshold: t, rejection, error });
    };
    const figure = byId("margins");
    const drag = (event) => {
      const box = figure.getBoundingClientRect(),
        x = ((event.clientX - box.left) * 360) / box.width;
      const m = Math.abs(low + ((high - low) * (x - left)) / (right - left));
      let best = 0;
      curve.thresholds.forEach((t, i) => {
        if (Math.abs(t - m) < Math.abs(curve.thresholds[best] - m)) best = i;
      });
      slider.value = best;
      show();
    };
    figure.addEventListener("pointerdown", (event) => {
      figure.setPointerCapture(event.pointerId);
      drag(event);
    });
    figure.addEventListener("pointermove", (event) => {
      if (figure.hasPointerCapture(event.pointerId)) drag(event);
    });
    slider.addEventListener("input", show);
    show();
  }

  // ---- the form ----
  const bytesOf = async (text) => {
    const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  };
  // The shortest decimal that is the same float32.
  const shortest = (value) => {
    for (let digits = 1; digits < 10; digits++) {
      const text = Number(value.toPrecision(digits));
      if (Math.fround(text) === value) return String(text);
    }
    return String(value);
  };
  const start = async () => {
    const rows = new Float32Array((await bytesOf(facts.rows.values)).buffer),
      d = facts.names.length;
    const module_ = await WebAssembly.instantiate(await bytesOf(facts.wasm), {});
    const wasm = module_.instance.exports,
      fields = [...document.querySelectorAll(".fields input")];
    const label = (c) => (c < facts.labels.length ? facts.labels[c] : "no class: not clear enough");

    // The answers of all formats to raw values: plain numbers, as the tests want them, too.
    const ask = (values) => {
      new Float32Array(wasm.memory.buffer, wasm.page_raw(), d).set(values);
      return facts.forms.map((form) => {
        const call = (name) => wasm[`page_${form.name}_${name}`]();
        const answer = { format: form.name, class: call("run") };
        for (const name of ["score", "margin", "probability", "value"]) answer[name] = call(name);
        return answer;
      });
    };
    // The first cells are words, the others numbers.
    const cells = (row, words, texts) =>
      texts.forEach((text, i) => {
        const cell = row.insertCell();
        cell.textContent = text;
        if (i >= words) cell.className = "n";
      });
    const short = (value) => String(Number(value.toPrecision(5)));
    const show = () => {
      const values = fields.map((field) => (field.value.trim() === "" ? NaN : Number(field.value)));
      fields.forEach((field, i) => field.setAttribute("aria-invalid", String(!Number.isFinite(values[i]))));
      const body = byId("answers");
      body.replaceChildren();
      if (!values.every(Number.isFinite)) {
        byId("answer").textContent = "A value is not a number.";
        return;
      }
      const found = ask(values);
      byId("answer").textContent =
        facts.answer === "value" ? short(found[0].value) : facts.answer ? `score ${short(found[0].score * (facts.forms[0].unit || 1))}` : label(found[0].class);
      found.forEach((one, i) => {
        const unit = facts.forms[i].unit,
          score = unit ? String(one.score) : String(Number(one.score.toPrecision(7)));
        if (facts.answer) {
          const value = String(Number((facts.answer === "value" ? one.value : one.score * (unit || 1)).toPrecision(7)));
          cells(body.insertRow(), 1, [one.format, ...(facts.answer === "value" ? [value, score] : [score, value])]);
          return;
        }
        cells(body.insertRow(), 2, [
          one.format,
          label(one.class),
          score,
          String(Number((one.margin * (unit || 1)).toPrecision(4))),
          ...(one.probability < 0 ? [] : [percent(one.probability)]),
        ]);
      });
    };
    const load = (i) => {
      fields.forEach((field, j) => {
        field.value = shortest(rows[i * d + j]);
      });
      [...byId("row-list").rows].forEach((row, k) => row.classList.toggle("now", k === i));
      show();
    };
    facts.rows.numbers.forEach((number, i) => {
      const row = byId("row-list").insertRow(),
        button = document.createElement("button");
      button.type = "button";
      button.textContent = `row ${number}`;
      button.addEventListener("click", () => load(i));
      row.insertCell().append(button);
      cells(
        row,
        facts.answer ? 0 : 2,
        facts.answer
          ? [short(facts.rows.targets[i]), short(facts.rows.answers[i])]
          : [
              label(facts.rows.classes[i]),
              label(facts.rows.answers[i]),
              String(Number(facts.rows.margins[i].toPrecision(4))),
            ],
      );
    });
    document.querySelectorAll("button[data-row]").forEach((button) => {
      const i = facts.rows.numbers.indexOf(Number(button.dataset.row));
      button.hidden = i < 0;
      button.addEventListener("click", () => {
        load(i);
        byId("try").scrollIntoView();
        fields[0].focus();
      });
    });
    fields.forEach((field) => field.addEventListener("input", show));
    facts.forms.forEach((form) => {
      if (wasm[`page_${form.name}_selftest`]() !== 0)
        throw new Error(`the self-test of ${form.name} fails in this browser`);
    });
    load(0);
    window.marginReport = { ask, row: (i) => [...rows.subarray(i * d, i * d + d)], facts };
    document.body.dataset.ready = "yes";
  };
  if (facts.wasm) {
    start().catch((error) => {
      byId("answer").textContent = `The form does not work here: ${error.message}`;
    });
  } else {
    document.body.dataset.ready = "yes";
  }
})();
