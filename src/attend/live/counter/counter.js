import { button, choices, controls, slider, speaker } from "../kit/control.js";
import { clamp, element, fixed, set, shape } from "../kit/dom.js";
import { handle, plane } from "../kit/plane.js";
import { gru } from "../kit/gru.js";
import { affine } from "../kit/tensor.js";

const RANGE = [-3.5, 3.5],
  LEFT = 46,
  RIGHT = 12,
  CELL = 5,
  GAP = 20,
  TOP = 10,
  WIDE = 3,
  EVERY = 5;
const DASHED = "fill:none;stroke:var(--quiet);stroke-width:1.2;stroke-dasharray:4 4",
  HALO = "stroke:var(--paper);stroke-width:4;paint-order:stroke";
const inside = (x) => x >= 0 && x <= 1;
const sum = (a) => a.reduce((x, y) => x + y, 0);

/** How often the series has entered the band, after each step. */
const entrances = (x) => {
  let n = 0;
  return x.map((v, t) => (n += inside(v) && !(t && inside(x[t - 1])) ? 1 : 0));
};

/** The most that the head of this moment can ever say: a GRU's hidden state stays between -1 and 1. */
const ceiling = (tensors, moment) =>
  tensors[`${moment}.head.bias`].values[0] + sum(Array.from(tensors[`${moment}.head.weight`].values, Math.abs));

/** input {x, moment}: what the counter says after each step, the hidden states of each layer (L, T, H), the ceiling. */
export function forward(tensors, data, { x, moment }) {
  const state = Array.from({ length: data.layers }, () => new Array(data.width).fill(0)),
    hidden = state.map(() => []);
  const says = x.map((value) => {
    let input = [value];
    for (let k = 0; k < data.layers; k++) {
      state[k] = gru(tensors, `${moment}.stack.layers.${k}`, input, state[k]);
      hidden[k].push((input = state[k]));
    }
    return affine(tensors[`${moment}.head.weight`], input, tensors[`${moment}.head.bias`])[0];
  });
  return { says, hidden, ceiling: ceiling(tensors, moment) };
}

/** The units of each layer in the order in which they are drawn: from those that rise with the count to those that fall. */
function sorted(tensors, data) {
  const x = data.series[0][1],
    n = entrances(x),
    mean = sum(n) / n.length;
  return forward(tensors, data, { x, moment: data.seen.length - 1 }).hidden.map((layer) => {
    const rise = Array.from({ length: data.width }, (_, i) => {
      const values = layer.map((h) => h[i]),
        middle = sum(values) / values.length;
      const spread = Math.sqrt(sum(values.map((v) => (v - middle) ** 2))) || 1;
      return sum(values.map((v, t) => (v - middle) * (n[t] - mean))) / spread;
    });
    return rise.map((_, i) => i).sort((i, j) => rise[j] - rise[i]);
  });
}

export function render({ root, width, data, tensors, publish }) {
  const T = data.series[0][1].length,
    H = data.width,
    L = data.layers,
    E = data.seen.length,
    order = sorted(tensors, data),
    tall = L * (H * CELL + GAP);
  const side = Math.min(width, 640),
    step = (side - LEFT - RIGHT) / T,
    across = [0.5, T + 0.5];
  let x = [...data.series[0][1]],
    chosen = data.series[0][0],
    moment = E - 1;

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
    height: 200,
    x: across,
    y: [-0.6, TOP + 0.5],
    yTicks: [0, 2, 4, 6, 8, 10],
    yLabel: "count so far",
    margin: { left: LEFT, right: RIGHT, bottom: 8, top: 6 },
  });
  set(field.svg, { "aria-hidden": "true" });
  if (data.learned < T) {
    const at = field.X(data.learned + 0.5);
    shape(field.svg, "path", { d: `M${at} ${field.Y(-0.6)}V${field.Y(TOP + 0.5)}`, style: DASHED });
    shape(field.svg, "text", { x: at - 5, y: field.Y(TOP - 0.4), "text-anchor": "end", style: HALO }, "as in training");
  }
  const limit = shape(field.svg, "path", { style: DASHED }),
    limitName = shape(field.svg, "text", { x: field.X(0.5) + 4, style: HALO });
  const truth = shape(field.svg, "path", { style: "fill:none;stroke:var(--ink);stroke-width:1.6" });
  const said = shape(field.svg, "path", { class: "summary", style: "fill:none;stroke-width:2.6" });
  const names = ["true count", "the network"].map((name) =>
    shape(field.svg, "text", { x: field.X(T + 0.5) - 4, "text-anchor": "end", style: HALO }, name),
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
  const strip = shape(root, "svg", { viewBox: `0 0 ${side} ${tall + 8}`, width: side, height: tall + 8 });
  set(strip, { "aria-hidden": "true" });
  const under = shape(strip, "g"),
    cells = shape(strip, "g", { class: "cells" });
  const above = Array.from({ length: L }, (_, k) => (L - 1 - k) * (H * CELL + GAP) + GAP);
  above.forEach((y, k) =>
    shape(
      shape(strip, "g", { class: "axes" }),
      "text",
      { x: LEFT, y: y - 6 },
      `layer ${k + 1}: ${H} units${k === L - 1 && L > 1 ? ", read by the head" : ""}`,
    ),
  );
  const units = above.map((y) =>
    x.map((_, t) =>
      Array.from({ length: H }, (_, place) =>
        shape(cells, "rect", { x: LEFT + t * step, y: y + place * CELL, width: step + 0.1, height: CELL - 0.5 }),
      ),
    ),
  );
  const stays = x.map((_, t) =>
    shape(under, "rect", { x: LEFT + t * step, y: tall + 2, width: step + 0.1, height: 4, style: "fill:var(--ink)" }),
  );
  root.append(
    element(
      "p",
      { class: "strip-name" },
      "Blue: above 0. Ochre: below 0. Bars at the bottom: the series is inside the band.",
    ),
  );
  button({
    parent: controls(root),
    label: "Start again",
    onPress: () => {
      moment = E - 1;
      time.set(moment);
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
    const { says, hidden, ceiling: most } = forward(tensors, data, { x, moment }),
      truly = entrances(x);
    const low = (value) => clamp(value, -0.6, TOP + 0.5);
    set(line, { d: board.curve(x.map((v, t) => [t + 1, v])) });
    grips.forEach((grip, i) => grip.set(places[i] + 1, x[places[i]]));
    set(truth, {
      d: field.curve(truly.flatMap((n, t) => [0.5, 1.5].map((by) => [t + by, low(n)]))),
    });
    set(said, { d: field.curve(says.map((y, t) => [t + 1, low(y)])) });
    set(limit, { d: most < TOP + 0.5 ? `M${field.X(0.5)} ${field.Y(most)}H${field.X(T + 0.5)}` : "" });
    limitName.textContent = most < TOP + 0.5 ? `never above ${fixed(most, 1)}` : "";
    set(limitName, { y: field.Y(low(most)) - 5 });
    const apart = truly[T - 1] >= says[T - 1] ? [-8, 18] : [18, -8];
    [truly, says].forEach((row, i) => set(names[i], { y: clamp(field.Y(low(row[T - 1])) + apart[i], 14, 190) }));
    units.forEach((layer, k) =>
      layer.forEach((column, t) =>
        column.forEach((rect, place) => {
          const value = hidden[k][t][order[k][place]];
          set(rect, { class: value > 0 ? "summary" : "error" });
          rect.style.fillOpacity = Math.abs(value).toFixed(3);
        }),
      ),
    );
    stays.forEach((rect, t) => {
      rect.style.fillOpacity = inside(x[t]) ? 1 : 0;
    });
    const right = says.filter((y, t) => Math.round(y) === truly[t]).length;
    say(
      `True count: ${truly[T - 1]}. The network says ${fixed(says[T - 1])}. Rounded, it is right at ${right} of ${T} steps.`,
    );
    publish({ x: [...x], moment, says, truly, ceiling: most });
  }

  draw();
}
