import { button, controls, keys, KEYS, readout, speaker } from "../kit/control.js";
import { clamp, element, fixed, round, set, shape } from "../kit/dom.js";
import { handle, plane } from "../kit/plane.js";
import { add, affine, relu } from "../kit/tensor.js";

const RANGE = [-2, 3],
  VIEW = [-2.4, 3.2],
  TICKS = [-2, -1, 0, 1, 2, 3];
const HALO = "stroke: var(--paper); stroke-width: 4; paint-order: stroke";
const inside = (x) => x >= 0 && x <= 1;

/** Writes h with its index into an SVG text. */
function indexed(text, index, rest = "") {
  text.replaceChildren("h");
  shape(text, "tspan", { dy: 3, "font-size": "0.8em" }, index);
  shape(text, "tspan", { dy: -3 }, rest);
}

/** The count that the learned network states after each step; empty where there is no network. */
function learned({ A, a, W, b, U, R, r }, x) {
  if (!A) return [];
  let h = new Array(U.shape[0]).fill(0);
  return x.map((value) => {
    h = relu(add(affine(W, relu(affine(A, [value], a)), b), affine(U, h)));
    return affine(R, h, r)[0];
  });
}

/** input {x, kept}: the states h_0 … h_T, each [last input, entrances], and the counts of the learned network. */
export function forward(tensors, data, { x, kept }) {
  const h = [[kept, 0]];
  for (const value of x) {
    const [previous, count] = h.at(-1);
    h.push([value, count + (inside(value) && !inside(previous) ? 1 : 0)]);
  }
  return { h, learned: learned(tensors, x) };
}

export function render({ root, width, data, tensors, publish }) {
  const T = data.series.length,
    wide = width >= 600;
  let x = [...data.series],
    kept = data.kept,
    t = data.step;

  const stage = element("div", { style: "display: flex; flex-wrap: wrap; gap: 0 16px" });
  root.append(stage);
  const left = wide ? Math.round(width * 0.58) : width,
    right = wide ? width - left - 16 : width;
  const series = plane({
    parent: stage,
    width: left,
    height: 290,
    x: [-0.4, T + 0.5],
    y: VIEW,
    yTicks: TICKS,
    yLabel: "input x",
    margin: { left: 44, right: 8, bottom: 46 },
    label: "The series, and the band from 0 to 1",
  });
  const memory = plane({
    parent: stage,
    width: right,
    height: wide ? 290 : 230,
    x: VIEW,
    y: [-0.4, Math.ceil(T / 2) + 0.4],
    xTicks: TICKS,
    yTicks: [...Array(Math.ceil(T / 2) + 1).keys()],
    xLabel: "last input",
    yLabel: "count",
    margin: { left: 44, right: 12 },
    label: "The state as a point",
  });
  band(series, "y");
  band(memory, "x");

  const cursor = shape(series.svg, "line", {
    class: "summary",
    y1: series.Y(VIEW[1]),
    y2: series.Y(VIEW[0]),
    "stroke-dasharray": "2 4",
    style: "stroke-width: 1.5",
  });
  const ahead = shape(series.svg, "path", { class: "input", style: "opacity: .35" });
  const read = shape(series.svg, "path", { class: "input" });
  const whole = wholeSeries();
  const marks = series.layer("counts");
  const spacing = (series.X(1) - series.X(0)) / 2;
  const first = handle({
    plane: series,
    at: [0, kept],
    axis: "y",
    step: 0.1,
    kind: "summary",
    radius: 7,
    reach: Math.max(12, spacing),
    limits: [[0, 0], RANGE],
    label: "The last input that h 0 holds, before the series",
    text: (_, y) => spoken(y),
    onMove: (_, y) => {
      kept = y;
      draw();
    },
  });
  const points = x.map((value, i) =>
    handle({
      plane: series,
      at: [i + 1, value],
      axis: "y",
      step: 0.1,
      radius: 7,
      reach: Math.max(12, spacing),
      limits: [[i + 1, i + 1], RANGE],
      label: `Input ${i + 1}`,
      text: (_, y) => spoken(y),
      onMove: (_, y) => {
        x[i] = y;
        draw();
      },
    }),
  );
  const reader = handle({
    plane: series,
    at: [t, VIEW[0]],
    axis: "x",
    step: 1,
    kind: "summary",
    radius: 9,
    limits: [[0, T], VIEW],
    label: "Steps read",
    text: (step) => `step ${step} of ${T}`,
    onMove: (step) => {
      t = step;
      draw();
    },
  });
  indexed(
    shape(first.element, "text", {
      class: "summary",
      x: spacing < 15 ? 0 : 11,
      y: spacing < 15 ? 24 : 5,
      "text-anchor": spacing < 15 ? "middle" : "start",
    }),
    0,
  );
  const name = shape(reader.element, "text", { class: "summary", y: 30, "text-anchor": "middle" });

  const path = shape(memory.svg, "path", { class: "summary", style: "opacity: .5" });
  const past = memory.layer("past"),
    now = shape(memory.svg, "circle", { class: "summary", r: 7 });
  const here = shape(memory.svg, "text", { class: "summary", style: HALO });
  const words = element("div", { style: `min-height: ${wide ? 2 : 3.4}em` });
  root.append(words);
  const says = speaker({ parent: words, seen: true }),
    line = controls(root);
  const entered = readout({ parent: line, label: "entrances counted", kind: "summary" });
  const network = tensors.A && readout({ parent: line, label: "the learned network says" });
  button({
    parent: line,
    label: "Start again",
    onPress: () => {
      x = [...data.series];
      kept = data.kept;
      t = data.step;
      place();
      draw();
    },
  });

  function band(on, axis) {
    const across = axis === "y",
      [from, to] = across ? [series.X(-0.4), series.X(T + 0.5)] : [memory.Y(on.y[1]), memory.Y(on.y[0])];
    const side = across
      ? { x: from, width: to - from, y: on.Y(1), height: on.Y(0) - on.Y(1) }
      : { y: from, height: to - from, x: on.X(0), width: on.X(1) - on.X(0) };
    shape(on.svg, "rect", { ...side, style: "fill: var(--line); fill-opacity: .4" });
  }

  function wholeSeries() {
    const made = shape(series.svg, "path", {
      tabindex: 0,
      role: "slider",
      "aria-label": "The whole series",
      "aria-orientation": "vertical",
      ...KEYS,
      style:
        "fill: none; stroke: transparent; stroke-width: 22; pointer-events: stroke; cursor: grab; touch-action: none; outline: none",
    });
    const show = (seen) =>
      Object.assign(made.style, { stroke: seen ? "var(--summary)" : "transparent", strokeOpacity: 0.4 });
    made.addEventListener("focus", () => show(made.matches(":focus-visible")));
    made.addEventListener("blur", () => show(false));
    let from = null;
    const shift = (by, base) => {
      const up = clamp(round(by, 0.1), RANGE[0] - Math.min(...base), RANGE[1] - Math.max(...base));
      x = base.map((value) => round(value + up, 0.1));
      place();
      draw();
    };
    keys(made, ([, dy], big) => shift(dy * (big ? 1 : 0.1), x));
    made.addEventListener("pointerdown", (event) => {
      from = [series.invert(event)[1], [...x]];
      made.setPointerCapture(event.pointerId);
      made.focus({ preventScroll: true });
      event.preventDefault();
    });
    made.addEventListener("pointermove", (event) => {
      if (from) shift(series.invert(event)[1] - from[0], from[1]);
    });
    for (const end of ["pointerup", "pointercancel"])
      made.addEventListener(end, () => {
        from = null;
      });
    return made;
  }

  function spoken(value) {
    return `${fixed(value, 1)}, ${inside(value) ? "inside" : "outside"}`;
  }

  function place() {
    x.forEach((value, i) => points[i].set(i + 1, value));
    first.set(0, kept);
    reader.set(t, VIEW[0]);
  }

  function sentence(h) {
    if (t === 0)
      return `Nothing read yet. The state holds ${fixed(kept, 1)}, ${inside(kept) ? "inside: the first entrance would be missed" : "outside"}, and the count 0.`;
    const [was, before] = h[t - 1],
      [value, count] = h[t],
      enters = count > before;
    const held = `the state held ${fixed(was, 1)}, ${inside(was) ? "inside" : "outside"}`;
    const outcome = enters ? `an entrance, ${before} + 1 = ${count}` : `no entrance, the count stays ${count}`;
    return `x = ${fixed(value, 1)} is ${inside(value) ? "inside" : "outside"}; ${held}: ${outcome}.`;
  }

  function draw() {
    const { h, learned: said } = forward(tensors, data, { x, kept }),
      all = x.map((value, i) => [i + 1, value]);
    set(read, { d: series.curve(all.slice(0, t)) });
    set(ahead, { d: series.curve(all.slice(Math.max(t - 1, 0))) });
    set(whole, {
      d: series.curve(all),
      "aria-valuemin": RANGE[0],
      "aria-valuemax": RANGE[1],
      "aria-valuenow": x[0],
      "aria-valuetext": `first input ${fixed(x[0], 1)}, ${h[T][1]} entrances`,
    });
    set(cursor, { x1: series.X(t), x2: series.X(t) });
    marks.replaceChildren();
    past.replaceChildren();
    for (let i = 1; i <= t; i++) {
      if (h[i][1] > h[i - 1][1])
        shape(
          marks,
          "text",
          {
            class: "summary",
            x: series.X(i),
            y: series.Y(x[i - 1]) - 13,
            "text-anchor": "middle",
            style: `font-weight: 700; ${HALO}`,
          },
          h[i][1],
        );
      shape(past, "circle", { class: "summary", r: 3, cx: memory.X(h[i - 1][0]), cy: memory.Y(h[i - 1][1]) });
    }
    points.forEach(({ element: point }, i) => set(point, { opacity: i < t ? null : 0.45 }));
    set(path, { d: memory.curve(h.slice(0, t + 1)) });
    const [cx, cy] = [memory.X(h[t][0]), memory.Y(h[t][1])];
    set(now, { cx, cy });
    const end = h[t][0] > 0.8;
    set(here, { x: cx + (end ? -12 : 12), y: cy - 10, "text-anchor": end ? "end" : "start" });
    indexed(here, t, ` = (${fixed(h[t][0], 1)}, ${h[t][1]})`);
    name.textContent = `t = ${t}`;
    says(sentence(h));
    entered(String(h[T][1]));
    network?.(fixed(said[T - 1], 2));
    publish({ x: [...x], kept, step: t, h: h[t], entrances: h[T][1], learned: said });
  }

  draw();
}
