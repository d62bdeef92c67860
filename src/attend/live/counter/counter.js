import { button, choices, controls, slider, speaker } from "../kit/control.js";
import { clamp, element, fixed, set, shape } from "../kit/dom.js";
import { handle, plane } from "../kit/plane.js";
import { affine, sigmoid, softmax, argmax } from "../kit/tensor.js";

const RANGE = [-3.5, 3.5],
  LEFT = 46,
  RIGHT = 12,
  CELL = 5,
  WIDE = 3,
  EVERY = 5;
const inside = (x) => x >= 0 && x <= 1;
const sum = (a) => a.reduce((x, y) => x + y, 0);

/** Block `e` of a tensor of shape (E, rows, …), as the kit's affine takes it. */
function block({ shape: [, rows, columns = 1], values }, e) {
  return { shape: [rows, columns], values: values.subarray(e * rows * columns, (e + 1) * rows * columns) };
}

/** How often the series has entered the band, after each step. */
const entrances = (x) => {
  let n = 0;
  return x.map((v, t) => (n += inside(v) && !(t && inside(x[t - 1])) ? 1 : 0));
};

/** input {x, moment}: the chance of each count after each step, and what the units and their gates held. */
export function forward(tensors, data, { x, moment }) {
  const [W, U, b, R, c] = ["W", "U", "b", "readout", "bias"].map((name) => block(tensors[name], moment));
  const H = U.shape[1],
    chances = [],
    summary = [],
    keep = [],
    reset = [];
  let h = new Array(H).fill(0);
  for (const value of x) {
    const a = affine(W, [value], b),
      u = affine(U, h);
    const r = sigmoid(a.slice(0, H).map((v, i) => v + u[i])),
      z = sigmoid(a.slice(H, 2 * H).map((v, i) => v + u[H + i]));
    h = h.map((old, i) => z[i] * old + (1 - z[i]) * Math.tanh(a[2 * H + i] + r[i] * u[2 * H + i]));
    summary.push(h);
    keep.push(z);
    reset.push(r);
    chances.push(softmax(affine(R, h, c)));
  }
  return { chances, summary, keep, reset };
}

export function render({ root, width, data, tensors, publish }) {
  const T = data.series[0][1].length,
    H = tensors.U.shape[2],
    V = tensors.bias.shape[1],
    E = data.seen.length;
  const side = Math.min(width, 640),
    step = (side - LEFT - RIGHT) / T,
    across = [0.5, T + 0.5],
    top = Math.min(V - 1, 10);
  let x = [...data.series[0][1]],
    chosen = data.series[0][0],
    moment = E - 1,
    part = "summary";

  const pick = choices({
    parent: controls(root),
    label: "Series:",
    options: data.series.map(([name]) => [name, name]),
    value: chosen,
    onChange: choose,
  });
  const board = plane({
    parent: root,
    width: side,
    height: 210,
    x: across,
    y: RANGE,
    yTicks: [-3, -2, -1, 0, 1, 2, 3],
    yLabel: "input x",
    margin: { left: LEFT, right: RIGHT, bottom: 8 },
    label: "The series, and the band from 0 to 1",
  });
  shape(board.svg, "rect", {
    x: board.X(0.5),
    width: board.X(T + 0.5) - board.X(0.5),
    y: board.Y(1),
    height: board.Y(0) - board.Y(1),
    style: "fill:var(--line);fill-opacity:.4",
  });
  const line = shape(board.svg, "path", { class: "input" });
  const places = Array.from({ length: Math.floor((T - 3) / EVERY) + 1 }, (_, i) => 2 + i * EVERY);
  const grips = places.map((t) =>
    handle({
      plane: board,
      at: [t + 1, x[t]],
      axis: "y",
      step: 0.05,
      radius: 6,
      reach: clamp((EVERY * step) / 2, 10, 22),
      limits: [[t + 1, t + 1], RANGE],
      label: `Input ${t + 1} and its neighbours`,
      text: (_, y) => `${fixed(y)}, ${inside(y) ? "inside" : "outside"}`,
      onMove: (_, y) => pull(t, y),
    }),
  );

  const field = plane({
    parent: root,
    width: side,
    height: 190,
    x: across,
    y: [-0.5, top + 0.5],
    yTicks: Array.from({ length: top / 2 + 1 }, (_, i) => 2 * i),
    yLabel: "count so far",
    margin: { left: LEFT, right: RIGHT, bottom: 8, top: 6 },
  });
  set(field.svg, { "aria-hidden": "true" });
  const cell = { width: step + 0.3, height: field.Y(0) - field.Y(1) - 1 };
  const shades = x.map((_, t) =>
    Array.from({ length: top + 1 }, (_, n) =>
      shape(field.svg, "rect", { ...cell, class: "summary", x: field.X(t + 0.5), y: field.Y(n + 0.5) }),
    ),
  );
  const truth = shape(field.svg, "path", { style: "fill:none;stroke:var(--ink);stroke-width:1.6" });
  const named = shape(
    field.svg,
    "text",
    { "text-anchor": "end", style: "stroke:var(--paper);stroke-width:4;paint-order:stroke" },
    "true count",
  );

  const time = slider({
    parent: controls(root),
    label: "Training",
    min: 0,
    max: E - 1,
    step: 1,
    value: moment,
    onInput: (v) => {
      moment = v;
      draw();
    },
    format: (v) => `after ${data.seen[v].toLocaleString("en")} series`,
  });
  time.input.parentElement.style.flexWrap = "wrap";
  const say = speaker({ parent: root, seen: true });
  const parts = choices({
    parent: controls(root),
    label: "Rows:",
    value: part,
    onChange: (v) => {
      part = v;
      draw();
    },
    options: [
      ["summary", "summary h"],
      ["keep", "keep gate z"],
      ["reset", "reset gate r"],
    ],
  });
  const strip = shape(root, "svg", {
    viewBox: `0 0 ${side} ${H * CELL + 24}`,
    width: side,
    height: H * CELL + 24,
    "aria-hidden": "true",
  });
  shape(
    shape(strip, "g", { class: "axes" }),
    "text",
    { transform: `translate(13 ${(H * CELL) / 2}) rotate(-90)`, "text-anchor": "middle" },
    `${H} units`,
  );
  const under = shape(strip, "g"),
    cells = shape(strip, "g", { class: "cells" });
  const units = x.map((_, t) =>
    data.order.map((_, place) =>
      shape(cells, "rect", { x: LEFT + t * step, y: place * CELL, width: step + 0.1, height: CELL - 0.5 }),
    ),
  );
  const stays = x.map((_, t) =>
    shape(under, "rect", {
      x: LEFT + t * step,
      y: H * CELL + 2,
      width: step + 0.1,
      height: 4,
      style: "fill:var(--ink)",
    }),
  );
  const key = element("p", { class: "strip-name" });
  root.append(key);
  button({
    parent: controls(root),
    label: "Start again",
    onPress: () => {
      moment = E - 1;
      part = "summary";
      time.set(moment);
      parts.set(part);
      choose(data.series[0][0]);
      pick.set(chosen);
    },
  });

  function choose(name) {
    chosen = name;
    x = [...data.series.find(([known]) => known === name)[1]];
    draw();
  }

  function pull(at, to) {
    const by = to - x[at];
    x = x.map((v, t) => clamp(v + by * Math.exp(-0.5 * ((t - at) / WIDE) ** 2), ...RANGE));
    draw();
  }

  function draw() {
    const found = forward(tensors, data, { x, moment }),
      truly = entrances(x),
      said = found.chances.map(argmax);
    set(line, { d: board.curve(x.map((v, t) => [t + 1, v])) });
    grips.forEach((grip, i) => grip.set(places[i] + 1, x[places[i]]));
    shades.forEach((column, t) =>
      column.forEach((rect, n) => {
        rect.style.fillOpacity = found.chances[t][n].toFixed(3);
      }),
    );
    set(truth, {
      d: field.curve(
        truly.flatMap((n, t) => [
          [t + 0.5, Math.min(n, top + 0.5)],
          [t + 1.5, Math.min(n, top + 0.5)],
        ]),
      ),
    });
    set(named, {
      x: field.X(T + 0.5) - 4,
      y: field.Y(Math.min(truly[T - 1], top)) + (truly[T - 1] > top - 3 ? 26 : -12),
    });
    units.forEach((column, t) =>
      column.forEach((rect, place) => {
        const value = found[part][t][data.order[place]];
        set(rect, { class: part !== "summary" ? "gate" : value > 0 ? "summary" : "error" });
        rect.style.fillOpacity = Math.abs(value).toFixed(3);
      }),
    );
    stays.forEach((rect, t) => {
      rect.style.fillOpacity = inside(x[t]) ? 1 : 0;
    });
    key.textContent =
      part === "summary"
        ? "Blue: above 0. Ochre: below 0. Bars below the rows: the series is inside."
        : `The fuller the green, the closer the gate to 1${part === "keep" ? ": the old number stays" : ": the old summary counts in full"}. Bars below: inside.`;
    tell(truly, said, found.chances);
    publish({ x: [...x], moment, part, said, truly });
  }

  function tell(truly, said, chances) {
    const right = sum(said.map((n, t) => (n === truly[t] ? 1 : 0))),
      n = said[T - 1];
    say(
      `Entrances: ${truly[T - 1]}. The counter says ${n} (probability ${fixed(chances[T - 1][n])}). It is right at ${right} of ${T} steps.`,
    );
  }

  draw();
}
