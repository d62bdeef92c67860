import { button, choices, controls, slider, speaker } from "../kit/control.js";
import { fixed, set, shape } from "../kit/dom.js";
import { handle, plane } from "../kit/plane.js";

/** The keys and values of one of the two memories: every eruption, or the two means. */
function stored(tensors, memory) {
  const name = memory === "means" ? "/means" : "";
  return [tensors[`duration${name}`].values, tensors[`wait${name}`].values];
}

/** Softmax of the scores of a Gaussian kernel, and the mean of the values with these weights. */
export function forward(tensors, data, { query, width, memory }) {
  const [keys, values] = stored(tensors, memory);
  const scores = Array.from(keys, (key) => -((query - key) ** 2) / (2 * width ** 2));
  const most = Math.max(...scores);
  const raised = scores.map((score) => Math.exp(score - most));
  const total = raised.reduce((sum, value) => sum + value, 0);
  const weights = raised.map((value) => value / total);
  return { weights, read: weights.reduce((sum, weight, s) => sum + weight * values[s], 0) };
}

const FROM = 1.5,
  TO = 5.3,
  LOW = 40;

/** How many of the largest weights it takes to have half of all weight. */
function half(weights) {
  let sum = 0;
  return [...weights].sort((a, b) => b - a).findIndex((weight) => (sum += weight) >= 0.5) + 1;
}

export function render({ root, width, data, tensors, publish }) {
  let query, spread, memory;
  const board = plane({
    parent: root,
    width: Math.min(width, 640),
    height: Math.min(Math.max(0.62 * width, 270), 380),
    x: [1.3, 5.4],
    y: [LOW, 100],
    xTicks: [2, 3, 4, 5],
    yTicks: [40, 60, 80, 100],
    xLabel: "duration of the eruption, in minutes (key)",
    yLabel: "wait until the next, in minutes (value)",
    label: "Eruptions, the query, and what is read",
  });
  const dots = {};
  for (const [name, r] of [
    ["all", 3.2],
    ["means", 8],
  ]) {
    const layer = board.layer(name),
      [keys, values] = stored(tensors, name);
    dots[name] = Array.from(keys, (key, s) =>
      shape(layer, "circle", { r, class: "attention", cx: board.X(key), cy: board.Y(values[s]) }),
    );
  }
  const line = shape(board.svg, "path", { class: "summary", style: "fill:none" });
  const stem = shape(board.svg, "path", { class: "input", style: "fill:none;stroke-dasharray:3 4" });
  const found = shape(board.svg, "circle", { class: "summary", r: 7 });
  const asked = handle({
    plane: board,
    at: [data.query, LOW],
    axis: "x",
    step: 0.1,
    label: "Query: how long the last eruption took",
    limits: [
      [FROM, TO],
      [LOW, LOW],
    ],
    text: (x) => `${fixed(x, 1)} minutes`,
    onMove: (x) => {
      query = x;
      draw();
    },
  });
  const row = controls(root);
  const widths = slider({
    parent: row,
    label: "Width σ",
    min: 0.05,
    max: 2,
    step: 0.05,
    value: data.width,
    onInput: (value) => {
      spread = value;
      draw();
    },
  });
  const which = choices({
    parent: row,
    label: "Memory",
    options: [
      ["all", "all eruptions"],
      ["means", "two means"],
    ],
    value: "all",
    onChange: (value) => {
      memory = value;
      draw();
    },
  });
  button({ parent: row, label: "Start again", onPress: reset });
  const say = speaker({ parent: root, seen: true });

  function reset() {
    [query, spread, memory] = [data.query, data.width, "all"];
    asked.set(query, LOW);
    widths.set(spread);
    which.set(memory);
    draw();
  }

  function draw() {
    const { weights, read } = forward(tensors, data, { query, width: spread, memory });
    const most = Math.max(...weights);
    for (const name of ["all", "means"])
      dots[name].forEach((dot, s) => {
        const share = name === memory ? 0.12 + (0.88 * weights[s]) / most : name === "all" ? 0.06 : 0;
        set(dot, { style: `fill-opacity:${share.toFixed(3)};stroke-opacity:${share.toFixed(3)}` });
      });
    const points = Array.from({ length: 77 }, (_, i) => FROM + ((TO - FROM) * i) / 76);
    const at = (x) => forward(tensors, data, { query: x, width: spread, memory }).read;
    set(line, { d: board.curve(points.map((x) => [x, at(x)])) });
    set(stem, {
      d: board.curve([
        [query, LOW],
        [query, read],
      ]),
    });
    set(found, { cx: board.X(query), cy: board.Y(read) });
    const many = half(weights);
    const who =
      memory === "means"
        ? `The long eruptions' mean has a weight of ${fixed(weights[1])}.`
        : `${many} of ${weights.length} eruptions hold half of the weight.`;
    say(`After ${fixed(query, 1)} minutes of eruption it reads a wait of ${fixed(read, 1)} minutes. ${who}`);
    publish({ query, width: spread, memory, read, half: many });
  }

  reset();
}
