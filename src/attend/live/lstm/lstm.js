import { button, choices, controls, KEYS, keys, speaker } from "../kit/control.js";
import { clamp, fixed, round, set, shape } from "../kit/dom.js";
import { handle, plane } from "../kit/plane.js";

/** The cell, what is shown of it, and what of the pulse is in it after every step. The gates are lists of T numbers. */
export function forward(tensors, data, { at, size, input, forget, output }) {
  let c = 0,
    share = 0;
  const cell = [],
    summary = [],
    arrives = [];
  data.inputs.forEach((x, t) => {
    const update = Math.tanh(t + 1 === at ? size : x);
    c = forget[t] * c + input[t] * update;
    share = forget[t] * share + (t + 1 === at ? input[t] * update : 0);
    cell.push(c);
    summary.push(output[t] * Math.tanh(c));
    arrives.push(share);
  });
  return { cell, summary, arrives };
}

const GATES = { input: "input gate", forget: "forget gate", output: "output gate" };

/** Three ways to begin: what σ makes of biases of 0, of a forget bias of 1, and the gates as a hand would set them. */
const starts = (T, at) => ({
  half: { input: Array(T).fill(0.5), forget: Array(T).fill(0.5), output: Array(T).fill(0.5) },
  one: { input: Array(T).fill(0.5), forget: Array(T).fill(0.731), output: Array(T).fill(0.5) },
  kept: {
    input: Array.from({ length: T }, (_, t) => Number(t + 1 === at)),
    forget: Array(T).fill(1),
    output: Array.from({ length: T }, (_, t) => Number(t + 1 > T - 5)),
  },
});

/** A gate to draw: by mouse or finger along the strip, or by the arrow keys at one step. onDraw(t, value) for t from 0. */
function strip({ parent, width, edge, T, kind, name, onDraw, onEnd }) {
  const on = plane({
    parent,
    width,
    height: 84,
    x: [0.5, T + 0.5],
    y: [0, 1],
    yTicks: [0, 1],
    margin: { ...edge, top: 24 },
  });
  shape(on.svg, "text", { x: on.X(0.5) + 6, y: 15, class: "gate", "aria-hidden": "true" }, name);
  const line = shape(on.svg, "path", { class: "gate" });
  const dot = shape(on.svg, "circle", { class: "gate", r: 5 });
  const pad = shape(on.svg, "rect", {
    x: on.X(0.5),
    y: on.Y(1) - 10,
    width: on.X(T + 0.5) - on.X(0.5),
    height: on.Y(0) - on.Y(1) + 20,
    fill: "transparent",
    style: "cursor:crosshair;touch-action:pan-y",
    tabindex: 0,
    role: "slider",
    "aria-label": kind,
    "aria-valuemin": 0,
    "aria-valuemax": 1,
    ...KEYS,
  });
  let values = [],
    at = Math.round(T / 2),
    last = null,
    before = null;

  const show = () => {
    set(line, {
      d: on.curve(
        values.flatMap((v, t) => [
          [t + 0.5, v],
          [t + 1.5, v],
        ]),
      ),
    });
    set(dot, { cx: on.X(at + 1), cy: on.Y(values[at]) });
    set(pad, { "aria-valuenow": values[at], "aria-valuetext": `step ${at + 1}: ${fixed(values[at])}` });
  };
  const draw = (t, value) => {
    const from = last ?? t,
      step = Math.sign(t - from) || 1;
    for (let k = from; k !== t + step; k += step) onDraw(k, value);
    [at, last] = [t, t];
    onEnd();
  };
  const place = (event) => {
    const [x, y] = on.invert(event);
    draw(clamp(Math.round(x), 1, T) - 1, round(clamp(y, 0, 1), 0.05));
  };
  pad.addEventListener("pointerdown", (event) => {
    before = [...values];
    last = null;
    pad.setPointerCapture(event.pointerId);
    pad.focus({ preventScroll: true });
    place(event);
  });
  pad.addEventListener("pointermove", (event) => {
    if (before) place(event);
  });
  pad.addEventListener("pointerup", () => {
    before = null;
  });
  pad.addEventListener("pointercancel", () => {
    before?.forEach((value, t) => onDraw(t, value));
    before = null;
    onEnd();
  });
  keys(pad, ([dx, dy], big) => {
    at = clamp(at + dx * (big ? 10 : 1), 0, T - 1);
    last = null;
    if (dy) draw(at, round(clamp(values[at] + dy * (big ? 0.5 : 0.05), 0, 1), 0.05));
    else show();
  });
  return {
    set: (to) => {
      values = to;
      show();
    },
  };
}

export function render({ root, width, data, publish }) {
  const T = data.inputs.length,
    x = [0.5, T + 0.5],
    edge = { left: 44, right: 12, bottom: 10 };
  let at, size, gates;

  const rain = plane({
    parent: root,
    width,
    height: 112,
    x,
    y: [-1.6, 1.6],
    yTicks: [-1, 0, 1],
    margin: { ...edge, top: 22 },
  });
  shape(rain.svg, "path", {
    d: rain.curve([
      [x[0], 0],
      [x[1], 0],
    ]),
    style: "stroke:var(--line);fill:none",
  });
  shape(rain.svg, "text", { x: rain.X(0.5) + 6, y: 14, class: "input", "aria-hidden": "true" }, "input x");
  const drops = shape(rain.svg, "path", { class: "input" });

  const strips = Object.fromEntries(
    Object.entries(GATES).map(([kind, name]) => [
      kind,
      strip({
        parent: root,
        width,
        edge,
        T,
        kind: name,
        name: `${name} ${kind[0]}`,
        onDraw: (t, value) => {
          gates[kind][t] = value;
          start.set("mine");
        },
        onEnd: () => draw(),
      }),
    ]),
  );

  const shown = plane({
    parent: root,
    width,
    height: 190,
    x,
    y: [-2, 2],
    yTicks: [-2, -1, 0, 1, 2],
    xLabel: "step",
    xTicks: [1, ...[0.25, 0.5, 0.75, 1].map((part) => Math.round(part * T))].map((t) => [t, String(t)]),
    margin: { ...edge, top: 24, bottom: 44 },
  });
  shape(shown.svg, "path", {
    d: shown.curve([
      [x[0], 0],
      [x[1], 0],
    ]),
    style: "stroke:var(--line);fill:none",
  });
  const title = shape(shown.svg, "text", { x: shown.X(0.5) + 6, y: 15, "aria-hidden": "true" });
  for (const [kind, text] of [
    ["summary", width < 480 ? "cell c, shown h (bars)" : "cell c (line), shown h (bars)"],
    ["input", width < 480 ? "  pulse (dashed)" : "   what of the pulse is in c (dashed)"],
  ]) {
    const part = document.createElementNS("http://www.w3.org/2000/svg", "tspan");
    set(part, { style: `fill:var(--${kind});white-space:pre` });
    part.textContent = text;
    title.append(part);
  }
  const bars = shape(shown.svg, "path", { class: "summary", style: "stroke-width:5;stroke-opacity:.45" });
  const kept = shape(shown.svg, "path", { class: "summary" });
  const trace = shape(shown.svg, "path", { class: "input", style: "stroke-dasharray:5 4" });

  const grip = handle({
    plane: rain,
    at: [data.at, data.size],
    label: "Pulse",
    radius: 8,
    step: 0.1,
    limits: [
      [1, T],
      [-1.5, 1.5],
    ],
    text: (t, value) => `${fixed(value, 1)} at step ${Math.round(t)}`,
    onMove: (t, value) => {
      const to = clamp(Math.round(t) === at && t !== at ? at + Math.sign(t - at) : Math.round(t), 1, T);
      [at, size] = [to, value];
      draw();
    },
  });

  const row = controls(root);
  const start = choices({
    parent: row,
    label: "Gates",
    value: "half",
    options: [
      ["half", "all at ½"],
      ["one", "forget bias 1"],
      ["kept", "write, keep, show"],
    ],
    onChange: (value) => {
      gates = starts(T, at)[value];
      draw();
    },
  });
  button({ parent: row, label: "Start again", onPress: reset });
  const say = speaker({ parent: root, seen: true });

  function reset() {
    [at, size] = [data.at, data.size];
    gates = starts(T, at).half;
    start.set("half");
    draw();
  }

  function draw() {
    const { cell, summary, arrives } = forward({}, data, { at, size, ...gates });
    const seen = (value) => clamp(value, -2.08, 2.08);
    set(drops, {
      d: data.inputs
        .map((value, t) =>
          rain.curve([
            [t + 1, 0],
            [t + 1, t + 1 === at ? size : value],
          ]),
        )
        .join(""),
    });
    grip.set(at, size);
    for (const kind of Object.keys(GATES)) strips[kind].set(gates[kind]);
    set(bars, {
      d: summary
        .map((h, t) =>
          shown.curve([
            [t + 1, 0],
            [t + 1, h],
          ]),
        )
        .join(""),
    });
    set(kept, { d: shown.curve(cell.map((c, t) => [t + 1, seen(c)])) });
    set(trace, { d: shown.curve(arrives.map((c, t) => [t + 1, seen(c)]).slice(at - 1)) });
    say(tell(cell.at(-1), summary.at(-1), arrives.at(-1)));
    publish({ at, size, ...gates, cell, summary, arrives });
  }

  function tell(c, h, share) {
    const passed = gates.forget.slice(at).reduce((product, f) => product * f, 1);
    const left =
      passed === 1
        ? "all of it"
        : passed >= 0.005
          ? `${Math.round(100 * passed)}\u00a0% of it`
          : passed === 0
            ? "nothing of it"
            : "less than 1\u00a0% of it";
    const written = fixed(gates.input[at - 1] * Math.tanh(size));
    return `Of the pulse ${written} was written, and ${left} is left at step ${T}: ${fixed(share)}. The cell holds ${fixed(c)} and shows ${fixed(h)}.`;
  }

  reset();
}
