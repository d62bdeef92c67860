import { button, choices, controls, slider, speaker } from "../kit/control.js";
import { clamp, element, fixed, round, set, shape } from "../kit/dom.js";
import { handle, plane } from "../kit/plane.js";

/** The hidden states h_1 … h_T that the inputs make, from zero. */
export function forward(tensors, data, { inputs, radius, kind }) {
  const U = data.shapes[kind].map((line) => line.map((value) => value * radius));
  let h = [0, 0];
  const states = inputs.map((x) => (h = U.map((u, i) => Math.tanh(u[0] * h[0] + u[1] * h[1] + data.entry[i] * x))));
  return { states };
}

const LEAST = -6;

/** 0.27, or 4 · 10⁻³ for what is smaller than a hundredth. */
function small(value) {
  if (value >= 0.01 || value === 0) return fixed(value);
  const power = Math.floor(Math.log10(value)),
    digits = [...String(-power)].map((digit) => "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"[digit]);
  return `${(value / 10 ** power).toFixed(0)} \u00b7 10\u207b${digits.join("")}`;
}

export function render({ root, width, data, publish }) {
  const wide = width >= 560,
    side = wide ? 250 : Math.min(width, 300),
    long = wide ? Math.min(width - side - 18, 440) : width,
    edge = { left: 64, right: 12 };
  const most = clamp(Math.floor((long - 76) / 24), 11, 20);
  let inputs,
    base,
    nudged,
    radius,
    kind,
    handles = [];

  const board = element("div", { style: "display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:flex-start" });
  const left = element("div"),
    right = element("div");
  board.append(left, right);
  root.append(board);

  const steps = [0.4, most + 0.6],
    every = Array.from({ length: Math.floor(most / 4) }, (_, i) => 4 * (i + 1));
  const strip = plane({
    parent: left,
    width: long,
    height: 150,
    x: steps,
    y: [-1.15, 1.15],
    yTicks: [-1, 0, 1],
    yLabel: "input x",
    margin: edge,
  });
  const bars = plane({
    parent: left,
    width: long,
    height: 165,
    x: steps,
    y: [LEAST, 0.5],
    xTicks: every,
    xLabel: "step",
    yLabel: "state moved",
    yTicks: [
      [0, "1"],
      [-2, "10\u207b\u00b2"],
      [-4, "10\u207b\u2074"],
      [-6, "10\u207b\u2076"],
    ],
    margin: edge,
  });
  const paths = plane({
    parent: right,
    width: side,
    height: side,
    x: [-1.1, 1.1],
    y: [-1.1, 1.1],
    xTicks: [-1, 0, 1],
    yTicks: [-1, 0, 1],
    xLabel: "hidden state, first number",
    yLabel: "second number",
  });

  shape(strip.svg, "path", {
    d: strip.curve([
      [steps[0], 0],
      [steps[1], 0],
    ]),
    style: "stroke:var(--line);fill:none",
  });
  const ground = shape(strip.svg, "rect", {
    x: strip.X(steps[0]),
    y: strip.Y(1.15),
    fill: "transparent",
    style: "cursor:copy",
  });
  set(ground, { width: strip.X(steps[1]) - strip.X(steps[0]), height: strip.Y(-1.15) - strip.Y(1.15) });
  ground.addEventListener("click", (event) => add(strip.invert(event)[1]));
  const marks = strip.layer(),
    columns = bars.layer(),
    dots = strip.layer();
  const ghost = shape(paths.svg, "path", { class: "rival", style: "stroke-dasharray:5 4" });
  const path = shape(paths.svg, "path", { class: "summary" }),
    beads = paths.layer();
  const names = ["rival", "summary"].map((name, i) =>
    shape(
      paths.svg,
      "text",
      { class: name, x: paths.X(-1), y: paths.Y(1) + 20 * i },
      ["\u2504 before the change", "\u25cf after it"][i],
    ),
  );

  const line = controls(root);
  const dial = slider({
    parent: line,
    label: "radius of U",
    min: 0.5,
    max: 1.3,
    step: 0.05,
    value: data.radius,
    onInput: (value) => {
      radius = value;
      draw();
    },
  });
  const which = choices({
    parent: line,
    label: "U",
    options: [
      ["mixes", "mixes"],
      ["turns", "turns"],
    ],
    value: "mixes",
    onChange: (value) => {
      kind = value;
      draw();
    },
  });
  const more = button({
    parent: line,
    label: "Add an input",
    onPress: () => add(data.more[(inputs.length - data.inputs.length) % data.more.length]),
  });
  button({ parent: line, label: "Start again", onPress: reset });
  const say = speaker({ parent: root, seen: true });

  function add(value) {
    if (inputs.length >= most) return;
    const x = round(clamp(value, -1, 1), 0.05);
    inputs.push(x);
    base.push(x);
    place(inputs.length - 1);
    draw();
  }

  function place(i) {
    handles.push(
      handle({
        plane: strip,
        parent: dots,
        at: [i + 1, inputs[i]],
        label: `Input ${i + 1}`,
        axis: "y",
        radius: 7,
        reach: 12,
        limits: [steps, [-1, 1]],
        onMove: (_, value) => {
          if (nudged !== i) {
            base = [...inputs];
            nudged = i;
          }
          inputs[i] = value;
          draw();
        },
      }),
    );
  }

  function reset() {
    inputs = [...data.inputs];
    base = [data.before, ...data.inputs.slice(1)];
    nudged = 0;
    radius = data.radius;
    kind = "mixes";
    dots.replaceChildren();
    handles = [];
    inputs.forEach((_, i) => place(i));
    dial.set(radius);
    which.set(kind);
    draw();
  }

  function draw() {
    const after = forward({}, data, { inputs, radius, kind }).states,
      before = forward({}, data, { inputs: base, radius, kind }).states;
    const nudge = Math.abs(inputs[nudged] - base[nudged]);
    const moved = after.map((h, t) => (nudge ? Math.hypot(h[0] - before[t][0], h[1] - before[t][1]) / nudge : 0));
    columns.replaceChildren();
    moved.forEach((size, t) => {
      const top = clamp(Math.log10(size || 1e-30), LEAST, 0.5);
      if (top > LEAST)
        shape(columns, "rect", {
          class: "summary",
          x: bars.X(t + 1) - 5,
          width: 10,
          y: bars.Y(top),
          height: bars.Y(LEAST) - bars.Y(top),
        });
    });
    marks.replaceChildren();
    if (nudge) {
      shape(marks, "path", {
        d: strip.curve([
          [nudged + 1, base[nudged]],
          [nudged + 1, inputs[nudged]],
        ]),
        class: "input",
      });
      shape(marks, "circle", {
        cx: strip.X(nudged + 1),
        cy: strip.Y(base[nudged]),
        r: 6,
        style: "fill:none;stroke:var(--rival);stroke-width:2",
      });
    }
    set(ghost, { d: paths.curve([[0, 0], ...before]) });
    set(path, { d: paths.curve([[0, 0], ...after]) });
    names.forEach((name) => set(name, { visibility: nudge ? null : "hidden" }));
    beads.replaceChildren();
    after.forEach((h, t) =>
      shape(beads, "circle", {
        class: "summary",
        cx: paths.X(h[0]),
        cy: paths.Y(h[1]),
        r: t === after.length - 1 ? 7 : 3,
      }),
    );
    more.disabled = inputs.length >= most;
    tell(nudge, moved.at(-1));
    publish({ inputs, before: base, nudged, radius, kind, moved });
  }

  function tell(nudge, last) {
    say(
      nudge
        ? `Input ${nudged + 1} moved by ${fixed(inputs[nudged] - base[nudged])}. For each unit of that, the last state (step ${inputs.length}) moved by ${small(last)}.`
        : "Drag an input up or down to move it.",
    );
  }

  reset();
}
