import { button, choices, controls, speaker, toggle } from "../kit/control.js";
import { clamp, element, fixed, set, shape } from "../kit/dom.js";
import { handle, plane } from "../kit/plane.js";
import { dot } from "../kit/tensor.js";

/** By which angle each wave turns from one place to the next. */
const rates = (D) => Array.from({ length: D / 2 }, (_, i) => 10000 ** ((-2 * i) / D));

/** The encoding of a place: sin and cos of its angle on every clock. */
const encode = (place, D) => rates(D).flatMap((rate) => [Math.sin(place * rate), Math.cos(place * rate)]);

/** The encoding of the place that lies `by` further on: each pair of numbers turned by its own angle. */
function shifted(numbers, by) {
  return rates(numbers.length).flatMap((rate, i) => {
    const [a, b] = [numbers[2 * i], numbers[2 * i + 1]],
      sin = Math.sin(by * rate),
      cos = Math.cos(by * rate);
    return [cos * a + sin * b, cos * b - sin * a];
  });
}

/** Two encodings, the first one shifted onto the second, their product, and the product at every distance. */
export function forward(tensors, data, { D, first, second }) {
  const one = encode(first, D),
    two = encode(second, D),
    most = data.places - 1;
  const curve = Array.from({ length: 2 * most + 1 }, (_, i) => dot(encode(0, D), encode(Math.abs(i - most), D)));
  return { first: one, second: two, moved: shifted(one, second - first), product: dot(one, two), curve };
}

const LEVELS = 5;

/** Every number of the pattern as a small square, in one path for each sign and strength. */
function table(parent, { X, Y }, places, D) {
  const found = new Map(),
    wide = X(1) - X(0),
    high = (Y(1) - Y(0)) / D;
  for (let p = 0; p < places; p++) {
    encode(p, D).forEach((value, i) => {
      const level = Math.round(Math.abs(value) * LEVELS),
        name = `${value < 0 ? "error" : "summary"} ${level}`;
      if (level)
        found.set(
          name,
          `${found.get(name) ?? ""}M${(X(p - 0.5)).toFixed(2)} ${(Y(0) + i * high).toFixed(2)}h${wide.toFixed(2)}v${high.toFixed(2)}h${(-wide).toFixed(2)}z`,
        );
    });
  }
  const paths = [...found].map(([name, d]) => {
    const [kind, level] = name.split(" ");
    return {
      d,
      style: `fill:var(--${kind});fill-opacity:${(0.85 * level) / LEVELS};stroke:none;shape-rendering:crispEdges`,
    };
  });
  parent.replaceChildren();
  for (const path of paths) shape(parent, "path", path);
}

/** The part of a circle from one hand to another, the shorter way. */
function arc(x, y, r, from, to) {
  const turn = Math.atan2(Math.sin(to - from), Math.cos(to - from)),
    at = (angle) => `${(x + r * Math.sin(angle)).toFixed(1)} ${(y - r * Math.cos(angle)).toFixed(1)}`;
  return `M${at(from)}A${r} ${r} 0 0 ${turn > 0 ? 1 : 0} ${at(from + turn)}`;
}

/** Up to eight clocks; returns a function that sets their hands. */
function clocks(parent, width, D) {
  const shown = Math.min(8, D / 2),
    columns = width < 560 ? 4 : 8,
    cell = width / columns,
    r = Math.min(30, cell / 2 - 8),
    step = 2 * r + 52;
  const rows = Math.ceil(shown / columns),
    svg = shape(parent, "svg", {
      viewBox: `0 0 ${width} ${rows * step}`,
      width,
      height: rows * step,
      "aria-hidden": "true",
    });
  const number = "font-variant-numeric:tabular-nums";
  const made = Array.from({ length: shown }, (_, j) => {
    const wave = Math.round((j * (D / 2 - 1)) / (shown - 1)),
      rate = rates(D)[wave],
      turn = (2 * Math.PI) / rate;
    const x = ((j % columns) + 0.5) * cell,
      y = Math.floor(j / columns) * step + 20 + r;
    shape(
      svg,
      "text",
      { x, y: y - r - 6, "text-anchor": "middle", style: `fill:var(--quiet);font-size:12px;${number}` },
      turn.toLocaleString("en", { maximumSignificantDigits: turn < 100 ? 2 : 3 }),
    );
    shape(svg, "circle", { cx: x, cy: y, r, style: "fill:none;stroke:var(--line)" });
    const between = shape(svg, "path", { class: "attention", style: "stroke-width:5;stroke-opacity:.6" });
    const hands = ["input", "summary"].map((kind, k) =>
      shape(svg, "path", { class: kind, style: `stroke-width:${k ? 2.5 : 4.5};stroke-linecap:round` }),
    );
    const cosine = shape(svg, "text", {
      x,
      y: y + r + 18,
      "text-anchor": "middle",
      class: "attention",
      style: `font-size:13px;${number}`,
    });
    return (first, second) => {
      [first, second].forEach((place, k) =>
        set(hands[k], {
          d: `M${x} ${y}L${(x + (r - 3) * Math.sin(place * rate)).toFixed(1)} ${(y - (r - 3) * Math.cos(place * rate)).toFixed(1)}`,
        }),
      );
      set(between, { d: arc(x, y, r, first * rate, second * rate) });
      cosine.textContent = fixed(Math.cos((second - first) * rate));
    };
  });
  return (first, second) => made.forEach((each) => each(first, second));
}

export function render({ root, width, data, tensors, publish }) {
  const last = data.places - 1;
  let state,
    together = false,
    turn,
    kept;

  const pattern = plane({
    parent: root,
    width,
    height: 236,
    x: [-0.5, last + 0.5],
    y: [1, 0],
    margin: { top: 58, right: 16 },
    xTicks: Array.from({ length: Math.floor(last / 10) + 1 }, (_, i) => [10 * i, String(10 * i)]),
    xLabel: "place",
    yLabel: "number",
    yTicks: [[0, "1"]],
  });
  const squares = pattern.layer();
  const count = shape(pattern.svg, "text", {
    x: pattern.X(-0.5) - 8,
    y: pattern.Y(1) + 1,
    "text-anchor": "end",
    style: "fill:var(--quiet);font-size:13px",
  });
  const names = ["first", "second"],
    kinds = { first: "input", second: "summary" },
    heights = { first: -0.35, second: -0.12 };
  const columns = {},
    handles = {};
  for (const name of names) {
    const box = shape(pattern.svg, "rect", {
      style: `fill:none;stroke:var(--${kinds[name]});stroke-width:2;pointer-events:none`,
      y: pattern.Y(0),
      height: pattern.Y(1) - pattern.Y(0),
      width: pattern.X(1) - pattern.X(0) + 2,
    });
    const stem = shape(pattern.svg, "path", { class: kinds[name], style: "stroke-width:1.5;pointer-events:none" });
    columns[name] = [box, stem];
  }
  for (const name of names) {
    handles[name] = handle({
      plane: pattern,
      at: [data[name], heights[name]],
      label: name === "first" ? "Orange place" : "Blue place",
      kind: kinds[name],
      axis: "x",
      step: 1,
      radius: 9,
      reach: 15,
      limits: [
        [0, last],
        [heights[name], heights[name]],
      ],
      text: (place) => `place ${place}`,
      onMove: (place) => move(name, place),
    });
  }

  root.append(
    element(
      "p",
      { class: "clock-name" },
      "Clocks, and the places that each needs for one turn; below, the cosine of the angle between its hands",
    ),
  );
  const dials = element("div");
  root.append(dials);
  const distance = plane({
    parent: root,
    width,
    height: 190,
    x: [-last, last],
    y: [-0.05, 1.05],
    xTicks: [-60, -40, -20, 0, 20, 40, 60].filter((d) => Math.abs(d) <= last).map((d) => [d, fixed(d, 0)]),
    yTicks: [
      [0, "0"],
      [0.5, "0.5"],
      [1, "1"],
    ],
    xLabel: "distance, blue minus orange",
    yLabel: "product, of D/2",
  });
  const line = shape(distance.svg, "path", { class: "attention" }),
    drop = shape(distance.svg, "path", { class: "rival", style: "stroke-width:1;stroke-dasharray:3 3" });
  const here = shape(distance.svg, "circle", {
    r: 7,
    style: "fill:var(--attention);stroke:var(--paper);stroke-width:2",
  });

  const row = controls(root);
  const broad = choices({
    parent: row,
    label: "Width D",
    options: data.widths.map((D) => [String(D), String(D)]),
    value: String(data.D),
    onChange: (D) => {
      state.D = Number(D);
      kept = false;
      build();
      draw();
    },
  });
  const bound = toggle({
    parent: row,
    label: "Move both together",
    value: false,
    onChange: (on) => {
      together = on;
      kept = false;
      draw();
    },
  });
  button({ parent: row, label: "Start again", onPress: reset });
  const say = speaker({ parent: root, seen: true });

  function move(name, place) {
    const other = name === "first" ? "second" : "first",
      by = clamp(place - state[name], together ? -state[other] : -last, together ? last - state[other] : last);
    state[name] += by;
    if (together) state[other] += by;
    kept = together && by !== 0;
    draw();
  }

  function build() {
    table(squares, pattern, data.places, state.D);
    dials.replaceChildren();
    turn = clocks(dials, width, state.D);
    count.textContent = state.D;
  }

  function reset() {
    state = { D: data.D, first: data.first, second: data.second };
    together = kept = false;
    broad.set(state.D);
    bound.set(false);
    build();
    draw();
  }

  function draw() {
    const result = forward(tensors, data, state),
      { D, first, second } = state,
      half = D / 2;
    for (const name of names) {
      const x = pattern.X(state[name]),
        [box, stem] = columns[name];
      handles[name].set(state[name], heights[name]);
      set(box, { x: pattern.X(state[name] - 0.5) - 1 });
      set(stem, { d: `M${x} ${pattern.Y(heights[name])}V${pattern.Y(0)}` });
    }
    turn(first, second);
    set(line, { d: distance.curve(result.curve.map((value, i) => [i - last, value / half])) });
    set(drop, {
      d: distance.curve([
        [second - first, -0.05],
        [second - first, result.product / half],
      ]),
    });
    set(here, { cx: distance.X(second - first), cy: distance.Y(result.product / half) });
    say(tell(result.product, half));
    publish({ ...state, product: result.product, together });
  }

  function tell(product, half) {
    const { first, second } = state,
      away = Math.abs(second - first),
      drawn = Math.min(8, half);
    const which = drawn < half ? ` ${drawn} of ${half} clocks are drawn.` : "";
    if (kept)
      return `Places ${first} and ${second}: all hands have turned, no angle between two hands has changed, and the product is still ${fixed(product)}.${which}`;
    const where = away ? `${away} ${away === 1 ? "place" : "places"} apart` : "the same place";
    return `Places ${first} and ${second}, ${where}: their product is ${fixed(product)} of ${half}, the sum of the cosines of all clocks.${which}`;
  }

  reset();
}
