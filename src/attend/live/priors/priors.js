import { controls, slider, speaker } from "../kit/control.js";
import { fixed, set, shape } from "../kit/dom.js";
import { plane } from "../kit/plane.js";

/** input {x}: what the figure computes of it, as plain JSON; the test holds it beside torch. */
export function forward(tensors, data, { x }) {
  return { y: data.slope * x };
}

export function render({ root, width, data, publish }) {
  const drawn = plane({
    parent: root,
    width,
    height: 240,
    x: [-1, 1],
    y: [-2, 2],
    xLabel: "x",
    yLabel: "y",
    xTicks: [-1, 0, 1],
    yTicks: [-2, 0, 2],
  });
  const line = [-1, 1].map((x) => [x, forward({}, data, { x }).y]);
  shape(drawn.svg, "path", { class: "summary", d: drawn.curve(line) });
  const point = shape(drawn.svg, "circle", { class: "input", r: 7 });
  slider({ parent: controls(root), label: "x", min: -1, max: 1, step: 0.05, value: 0.5, onInput: draw });
  const say = speaker({ parent: root });

  function draw(x) {
    const { y } = forward({}, data, { x });
    set(point, { cx: drawn.X(x), cy: drawn.Y(y) });
    say(`At ${fixed(x)} the line is at ${fixed(y)}.`);
    publish({ x, y });
  }

  draw(0.5);
}
