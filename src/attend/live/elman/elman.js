import { button, choices, controls, scrub, speaker } from "../kit/control.js";
import { element, fixed, set, shape, unique } from "../kit/dom.js";
import { handle, plane } from "../kit/plane.js";
import { row } from "../kit/tensor.js";

/** One step of every hidden state: what the input adds, W x, the sum before tanh, and the new states. */
export function forward(tensors, data, { x, W, U, b, states }) {
  const push = W.map((w) => w[0] * x[0] + w[1] * x[1]);
  const linear = states.map((h) => U.map((u, i) => u[0] * h[0] + u[1] * h[1] + push[i] + b[i]));
  return { push, linear, updates: linear.map((a) => a.map(Math.tanh)) };
}

const REACH = 1.4,
  EDGE = 24;

/** The border of the square, as points: what the update makes of it shows what it makes of everything within. */
const border = [
  [-1, -1],
  [1, -1],
  [1, 1],
  [-1, 1],
].flatMap((from, i, corners) => {
  const to = corners[(i + 1) % 4];
  return Array.from({ length: EDGE }, (_, k) => from.map((value, d) => value + ((to[d] - value) * k) / EDGE));
});

export function render({ root, width, data, tensors, publish }) {
  const cloud = Array.from({ length: tensors.states.shape[0] }, (_, i) => row(tensors.states, i));
  const copy = () => structuredClone({ W: data.W, U: data.U, b: data.b, x: data.x });
  let state = copy(),
    now = cloud,
    steps = 0,
    stage = "updates";

  const wide = width >= 560,
    small = wide ? 200 : 190,
    side = Math.min(wide ? width - small - 26 : width, 430);
  const board = element("div", { style: "display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;align-items:flex-start" });
  const left = element("div"),
    right = element("div");
  board.append(left, right);
  root.append(board);

  const main = plane({
    parent: left,
    width: side,
    height: side - 10,
    x: [-REACH, REACH],
    y: [-REACH, REACH],
    xTicks: [-1, 0, 1],
    yTicks: [-1, 0, 1],
    xLabel: "hidden state, first number",
    yLabel: "hidden state, second number",
  });
  const clip = unique("clip");
  const cut = shape(shape(main.svg, "clipPath", { id: clip }), "rect", {});
  set(cut, {
    x: main.X(-REACH),
    y: main.Y(REACH),
    width: main.X(REACH) - main.X(-REACH),
    height: main.Y(-REACH) - main.Y(REACH),
  });
  const drawing = shape(main.svg, "g", { "clip-path": `url(#${clip})` });
  const square = shape(drawing, "path", {
    class: "axes frame",
    d: `${main.curve([
      [-1, -1],
      [1, -1],
      [1, 1],
      [-1, 1],
    ])}Z`,
  });
  set(square, { style: "fill:none;stroke:var(--line);stroke-dasharray:4 4" });
  const image = shape(drawing, "path", {
    style: "fill:var(--summary);fill-opacity:.09;stroke:var(--summary);stroke-opacity:.5",
  });
  const arrows = cloud.map(() =>
    shape(drawing, "path", { style: "fill:none;stroke:var(--quiet);stroke-opacity:.45;stroke-width:1" }),
  );
  const olds = cloud.map(() => shape(drawing, "circle", { r: 2.6, class: "rival" }));
  shape(main.svg, "text", { class: "rival", x: main.X(-1), y: main.Y(1.16) }, "\u25cf before");
  shape(main.svg, "text", { class: "summary", x: main.X(-1) + 84, y: main.Y(1.16) }, "\u25cf after");
  const news = cloud.map(() => shape(drawing, "circle", { r: 4, class: "summary" }));

  const inputs = plane({
    parent: right,
    width: small,
    height: small - 6,
    x: [-2, 2],
    y: [-2, 2],
    xTicks: [-2, 0, 2],
    yTicks: [-2, 0, 2],
    xLabel: "input, first number",
    yLabel: "second number",
  });
  const stem = shape(inputs.svg, "path", { class: "input" });
  const dot = handle({
    plane: inputs,
    at: state.x,
    label: "Input x",
    step: 0.1,
    text: (a, b) => `${fixed(a, 1)} and ${fixed(b, 1)}`,
    onMove: (...x) => {
      state.x = x;
      draw();
    },
  });

  const equation = element("div", { class: "equation" });
  root.append(equation);
  const scrubs = [];
  matrix("U", "h", "summary", 2);
  matrix("W", "x", "input", 2);
  matrix("b", "", "", 1);

  const line = controls(root);
  const which = choices({
    parent: line,
    label: "Show",
    options: [
      ["linear", "U h + W x + b"],
      ["updates", "its tanh"],
    ],
    value: stage,
    onChange: (value) => {
      stage = value;
      draw();
    },
  });
  button({
    parent: line,
    label: "Another step",
    onPress: () => {
      now = forward(tensors, data, { ...state, states: now }).updates;
      steps++;
      draw();
    },
  });
  button({ parent: line, label: "Start again", onPress: reset });
  const say = speaker({ parent: root, seen: true });

  function matrix(name, after, kind, columns) {
    const group = element("span", { class: "term" }, name === "U" ? "" : "+ "),
      grid = element("span", { class: "matrix", style: `--columns:${columns}` });
    for (let i = 0; i < 2; i++) {
      for (let j = 0; j < columns; j++) {
        const label = columns === 1 ? `b, number ${i + 1}` : `${name}, row ${i + 1}, column ${j + 1}`;
        const get = () => (columns === 1 ? state.b[i] : state[name][i][j]);
        const made = scrub({
          parent: grid,
          label,
          value: get(),
          min: -2,
          max: 2,
          onChange: (value) => {
            if (columns === 1) state.b[i] = value;
            else state[name][i][j] = value;
            draw();
          },
        });
        scrubs.push(() => made.set(get()));
      }
    }
    const named = element("span", { class: "named" }, element("span", { class: "letter" }, name), grid);
    group.append(named, " ", element("span", { class: "letter", style: kind ? `color:var(--${kind})` : "" }, after));
    equation.append(group);
  }

  function reset() {
    state = copy();
    now = cloud;
    steps = 0;
    stage = "updates";
    which.set(stage);
    dot.set(...state.x);
    scrubs.forEach((show) => show());
    draw();
  }

  function draw() {
    const result = forward(tensors, data, { ...state, states: now }),
      to = result[stage];
    const outline = forward(tensors, data, { ...state, states: border })[stage];
    set(image, { d: `${main.curve(outline)}Z` });
    now.forEach((h, i) => {
      set(arrows[i], { d: main.curve([h, to[i]]) });
      set(olds[i], { cx: main.X(h[0]), cy: main.Y(h[1]) });
      set(news[i], { cx: main.X(to[i][0]), cy: main.Y(to[i][1]) });
    });
    set(stem, { d: inputs.curve([[0, 0], state.x]) });
    const push = result.push.map((value) => fixed(value, 1)).join(", "),
      idle = result.push.every((value) => Math.abs(value) < 1e-9);
    say(
      `The input shifts every state by W x = (${push})${idle ? ": not at all" : ""}. ${steps ? `Steps so far: ${steps}.` : ""}`,
    );
    publish({ ...state, steps, push: result.push, updates: result.updates });
  }

  draw();
}
