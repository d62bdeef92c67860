import { KEYS, choices, controls, keys, speaker } from "../kit/control.js";
import { clamp, element, set, shape } from "../kit/dom.js";
import { handle, plane } from "../kit/plane.js";

const FLOOR = 0.002; // no mistakes at all is drawn as two in a thousand: the axis has no zero
const TICKS = {
  exact: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1],
  perplexity: [1.01, 1.02, 1.05, 1.1, 1.2, 1.5, 2, 5, 20, 100],
};
const NAMES = { exact: "numbers with a mistake", perplexity: "perplexity" };

/** What a verdict compares: the share with a mistake, or the perplexity. Less is better in both. */
const worth = (measure, value) => (measure === "exact" ? 1 - value : value);

/** Where a value stands on the axis: equal steps for equal factors of the mistakes, or of the surprise. */
const height = (measure, value) => Math.log10(measure === "exact" ? Math.max(value, FLOOR) : Math.log(value));

const mean = (values) => values.reduce((sum, v) => sum + v, 0) / values.length;

/** Every row at one place of the training, best first, and its verdict: apart from the base by more than its seeds are? */
export function forward(_, data, { at, measure }) {
  const values = (row) => row[measure].map((seed) => worth(measure, seed[at]));
  const base = values(data.rows.find((row) => row.name === data.base)),
    middle = mean(base);
  const margin = Math.max(...base) - Math.min(...base);
  const rows = data.rows.map((row) => {
    const all = values(row),
      by = mean(all) - middle;
    const verdict = row.name === data.base || Math.abs(by) <= margin ? "as the base" : by > 0 ? "worse" : "better";
    return { name: row.name, values: all, mean: mean(all), by, verdict };
  });
  rows.sort((a, b) => a.mean - b.mean);
  return { rows, base: { mean: middle, margin } };
}

/** A value in words: 5 of 100 numbers, or a perplexity. */
const spell = (measure, value) =>
  measure === "exact" ? `${(100 * value).toFixed(value < 0.0995 ? 1 : 0)} %` : value.toFixed(value < 10 ? 2 : 0);

export function render({ root, width, data, publish }) {
  const wide = Math.min(width, 640),
    line = 23,
    left = 146,
    top = 26;
  let measure = "exact",
    at = data.at,
    picked = data.picked,
    result;
  choices({
    parent: controls(root),
    label: "Measured by",
    options: Object.entries(NAMES),
    value: measure,
    onChange: (value) => {
      measure = value;
      frame();
      draw();
    },
  });
  const above = element("div", { class: "ablation-time" }),
    stage = element("div");
  root.append(above);
  const say = speaker({ parent: root, seen: true });
  root.append(stage);
  const svg = shape(stage, "svg", {
    class: "ranking",
    viewBox: `0 0 ${wide} ${top + line * data.rows.length + 8}`,
    width: wide,
    height: top + line * data.rows.length + 8,
  });
  let range, time, knob, step, lines, band, list, marks;

  /** The axes of one measure: what they must hold, over all rows and steps. */
  function frame() {
    const all = data.rows.flatMap((row) => row[measure].flat()).map((v) => height(measure, worth(measure, v)));
    range = [Math.min(...all) - 0.05, Math.max(...all) + 0.05];
    const ticks = TICKS[measure]
      .map((v) => [height(measure, v), measure === "exact" ? `${Number((100 * v).toFixed(1))} %` : String(v)])
      .filter(([h]) => h >= range[0] && h <= range[1]);
    above.replaceChildren();
    time = plane({
      parent: above,
      width: wide,
      height: 210,
      x: [0, data.steps.at(-1)],
      y: range,
      xLabel: "steps of training",
      xTicks: [0, 200, 400, 600].filter((s) => s <= data.steps.at(-1)),
      yTicks: sparse(ticks, 150),
      label: `${NAMES[measure]} while training`,
      margin: { left: 58 },
    });
    lines = time.layer("lines");
    step = shape(time.svg, "line", { class: "now", y1: time.Y(range[1]), y2: time.Y(range[0]) });
    const by = data.steps[1] - data.steps[0];
    knob = handle({
      plane: time,
      at: [data.steps[at], range[0]],
      label: "Step",
      kind: "summary",
      axis: "x",
      step: by,
      limits: [[data.steps[0], data.steps.at(-1)], range],
      text: (x) => `step ${x}`,
      onMove: (x) => {
        at = nearest(x);
        draw();
      },
    });
    time.svg.addEventListener("pointerdown", (event) => {
      if (!event.target.closest(".handle")) jump(event);
    });
    svg.replaceChildren();
    const axis = shape(svg, "g", { class: "axes", "aria-hidden": "true" });
    band = shape(svg, "rect", { class: "band", y: top - 4, height: line * data.rows.length + 4 });
    for (const [h, text] of sparse(ticks, wide - left - 20, 46)) {
      shape(axis, "line", { x1: X(h), x2: X(h), y1: top - 9, y2: top - 4 });
      shape(axis, "text", { x: X(h), y: top - 13, "text-anchor": "middle" }, text);
    }
    list = shape(svg, "g", {
      class: "list",
      tabindex: 0,
      role: "slider",
      "aria-label": "Change",
      "aria-valuemin": 1,
      "aria-valuemax": data.rows.length - 1,
      "aria-orientation": "vertical",
      ...KEYS,
    });
    keys(list, ([dx, dy]) => pick(dx - dy), { Home: () => pick(-Infinity), End: () => pick(Infinity) });
    marks = new Map(
      data.rows.map((row) => {
        const group = shape(list, "g", { class: "row" });
        shape(group, "rect", { class: "lane", x: 0, y: -line / 2, width: wide, height: line, rx: 3 });
        const name = shape(group, "text", { x: left - 12, y: 5, "text-anchor": "end" }, row.name);
        const dots = row[measure].map(() => shape(group, "circle", { r: 4.5 }));
        if (row.name !== data.base)
          group.addEventListener("click", () => {
            picked = row.name;
            draw();
          });
        return [row.name, { group, name, dots }];
      }),
    );
  }

  const X = (h) => left + ((h - range[0]) / (range[1] - range[0])) * (wide - left - 20);
  const nearest = (x) =>
    data.steps.reduce((best, s, i) => (Math.abs(s - x) < Math.abs(data.steps[best] - x) ? i : best), 0);

  /** A press beside the handle brings the step there. */
  function jump(event) {
    const to = nearest(time.invert(event)[0]);
    if (to === at) return;
    at = to;
    knob.set(data.steps[at], range[0]);
    draw();
  }

  /** Ticks with room between them, the last ones first. */
  function sparse(ticks, length, gap = 26) {
    const kept = [];
    for (const tick of [...ticks].reverse()) {
      if (!kept.length || ((kept.at(-1)[0] - tick[0]) / (range[1] - range[0])) * length >= gap) kept.push(tick);
    }
    return kept;
  }

  /** The arrow keys go down and up the ranking as it stands, past the base. */
  function pick(by) {
    const names = result.rows.map((row) => row.name).filter((name) => name !== data.base);
    picked = names[clamp(names.indexOf(picked) + by, 0, names.length - 1)];
    draw();
  }

  function draw() {
    result = forward(null, data, { at, measure });
    const x = time.X(data.steps[at]);
    set(step, { x1: x, x2: x });
    lines.replaceChildren();
    for (const name of [data.base, picked]) {
      for (const seed of data.rows.find((row) => row.name === name)[measure]) {
        shape(lines, "path", {
          class: name === data.base ? "of base" : "of picked",
          d: time.curve(data.steps.map((s, i) => [s, height(measure, worth(measure, seed[i]))])),
        });
      }
    }
    const { mean: middle, margin } = result.base,
      least = measure === "exact" ? FLOOR : 1.0001;
    const ends = [middle - margin, middle + margin].map((v) =>
      clamp(X(height(measure, Math.max(v, least))), left, wide),
    );
    set(band, { x: ends[0], width: ends[1] - ends[0] });
    result.rows.forEach((row, place) => {
      const { group, name, dots } = marks.get(row.name);
      group.style.transform = `translate(0px, ${top + line * (place + 0.5)}px)`;
      set(group, {
        class: `row ${row.name === data.base ? "base" : row.verdict.replaceAll(" ", "-")}${row.name === picked ? " picked" : ""}`,
      });
      set(name, { "font-weight": row.name === picked ? 600 : null });
      dots.forEach((dot, i) => set(dot, { cx: X(height(measure, row.values[i])), cy: 0 }));
    });
    const chosen = result.rows.find((row) => row.name === picked),
      ranks = result.rows.map((row) => row.name).filter((name) => name !== data.base);
    set(list, { "aria-valuenow": ranks.indexOf(picked) + 1, "aria-valuetext": `${picked}: ${chosen.verdict}` });
    const what = measure === "exact" ? "mistakes in " : "perplexity ";
    say(
      `After ${data.steps[at]} steps, ${picked} (strong lines): ${what}${spell(measure, chosen.mean)}, beside ${spell(measure, result.base.mean)} of the base (pale lines). Verdict: ${chosen.verdict}.${data.beside[picked] ? ` ${data.beside[picked]}` : ""}`,
    );
    publish({
      step: data.steps[at],
      measure,
      picked,
      verdict: chosen.verdict,
      order: result.rows.map((row) => row.name),
      verdicts: Object.fromEntries(result.rows.map((row) => [row.name, row.verdict])),
    });
  }

  frame();
  draw();
}
