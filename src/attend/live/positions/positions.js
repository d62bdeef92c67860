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

/** RoPE: number i and number d/2 + i, as a pair, turned by the angle of hand i at this position. */
function turned(numbers, position) {
  const half = numbers.length / 2;
  const pairs = rates(numbers.length).map((rate, i) => {
    const [a, b] = [numbers[i], numbers[half + i]],
      sin = Math.sin(position * rate),
      cos = Math.cos(position * rate);
    return [a * cos - b * sin, a * sin + b * cos];
  });
  return [...pairs.map(([a]) => a), ...pairs.map(([, b]) => b)];
}

/**
 * view "rope": the key at the first position and the query at the second, turned, their score, and the score at every
 * distance. Any other view, a width: two encodings, the first one shifted onto the second, their product, and the
 * product at every distance.
 */
export function forward(tensors, data, { view, first, second }) {
  const last = data.places - 1;
  if (view === "rope") {
    const key = turned(data.key, first),
      query = turned(data.query, second),
      scale = Math.sqrt(data.key.length);
    const curve = Array.from({ length: last + 1 }, (_, d) => dot(turned(data.query, d), data.key) / scale);
    return { first: key, second: query, product: dot(query, key) / scale, curve };
  }
  const D = Number(view),
    one = encode(first, D),
    two = encode(second, D);
  const curve = Array.from({ length: 2 * last + 1 }, (_, i) => dot(encode(0, D), encode(Math.abs(i - last), D)));
  return { first: one, second: two, moved: shifted(one, second - first), product: dot(one, two), curve };
}

const LEVELS = 5;

/** Every number of the pattern as a small square, in one path for each sign and strength. */
function table(parent, { X, Y }, columns) {
  const D = columns[0].length,
    most = Math.max(...columns.flat().map(Math.abs)),
    found = new Map(),
    wide = X(1) - X(0),
    high = (Y(1) - Y(0)) / D;
  columns.forEach((column, p) => {
    column.forEach((value, i) => {
      const level = Math.round((Math.abs(value) / most) * LEVELS),
        name = `${value < 0 ? "error" : "summary"} ${level}`;
      if (level)
        found.set(
          name,
          `${found.get(name) ?? ""}M${(X(p - 0.5)).toFixed(2)} ${(Y(0) + i * high).toFixed(2)}h${wide.toFixed(2)}v${high.toFixed(2)}h${(-wide).toFixed(2)}z`,
        );
    });
  });
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

/**
 * Up to eight clocks for vectors of D numbers; returns a function that sets their hands. hands(wave) gives, for the first
 * and the second, by which angle the hand starts and how long it is, from 0 to 1; weight(wave), what a cosine counts.
 */
function clocks(parent, width, D, hands, weight) {
  const shown = Math.min(8, D / 2),
    columns = Math.min(shown, width < 560 ? 4 : 8),
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
      starts = hands(wave),
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
    const drawn = ["input", "summary"].map((kind, k) =>
      shape(svg, "path", { class: kind, style: `stroke-width:${k ? 2.5 : 4.5};stroke-linecap:round` }),
    );
    const part = shape(svg, "text", {
      x,
      y: y + r + 18,
      "text-anchor": "middle",
      class: "attention",
      style: `font-size:13px;${number}`,
    });
    return (first, second) => {
      const stand = [first, second].map((position, k) => starts[k].angle + position * rate);
      stand.forEach((angle, k) => {
        const long = (r - 3) * starts[k].length;
        set(drawn[k], {
          d: `M${x} ${y}L${(x + long * Math.sin(angle)).toFixed(1)} ${(y - long * Math.cos(angle)).toFixed(1)}`,
        });
      });
      set(between, { d: arc(x, y, r, ...stand) });
      part.textContent = fixed(weight(wave) * Math.cos(stand[1] - stand[0]));
    };
  });
  return (first, second) => made.forEach((each) => each(first, second));
}

/** Angle from the top, clockwise, and length of every pair of a vector, the longest of them 1. */
function pairs(numbers) {
  const half = numbers.length / 2,
    found = Array.from({ length: half }, (_, i) => ({
      angle: Math.atan2(numbers[half + i], numbers[i]),
      size: Math.hypot(numbers[i], numbers[half + i]),
    })),
    most = Math.max(...found.map(({ size }) => size));
  return found.map((one) => ({ ...one, length: one.size / most }));
}

export function render({ root, width, data, tensors, publish }) {
  const last = data.places - 1,
    names = ["first", "second"],
    kinds = { first: "input", second: "summary" },
    heights = { first: -0.35, second: -0.12 };
  const [queries, keys] = data.query ? [pairs(data.query), pairs(data.key)] : [];
  let state,
    shown,
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
    xLabel: "position",
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
      label: name === "first" ? "Orange position" : "Blue position",
      kind: kinds[name],
      axis: "x",
      step: 1,
      radius: 9,
      reach: 15,
      limits: [
        [0, last],
        [heights[name], heights[name]],
      ],
      text: (position) => `position ${position}`,
      onMove: (position) => move(name, position),
    });
  }

  const caption = element("p", { class: "clock-name" });
  const dials = element("div");
  const below = element("div");
  root.append(caption, dials, below);

  const row = controls(root);
  const looks = choices({
    parent: row,
    label: "Shown",
    options: data.views.map((view) => [view, view === "rope" ? "RoPE, trained" : `sinusoids (${view})`]),
    value: data.view,
    onChange: (view) => {
      state.view = view;
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

  function move(name, position) {
    const other = name === "first" ? "second" : "first",
      by = clamp(position - state[name], together ? -state[other] : -last, together ? last - state[other] : last);
    state[name] += by;
    if (together) state[other] += by;
    kept = together && by !== 0;
    draw();
  }

  /** The curve over the distance, and the mark on it. */
  function distances(rope, curve) {
    below.replaceChildren();
    const low = rope ? Math.min(...curve) : -0.05,
      high = rope ? Math.max(...curve) : 1.05,
      room = rope ? 0.06 * (high - low) : 0,
      from = rope ? 0 : -last,
      step = rope ? 2 * 10 ** Math.floor(Math.log10((high - low) / 4)) : 0.5;
    const ticks = Array.from({ length: 12 }, (_, i) => step * (Math.ceil(low / step) + i)).filter((v) => v <= high);
    const made = plane({
      parent: below,
      width,
      height: 190,
      x: [from, last],
      y: [low - room, high + room],
      xTicks: [-60, -40, -20, 0, 20, 40, 60].filter((d) => d >= from && d <= last).map((d) => [d, fixed(d, 0)]),
      yTicks: rope
        ? ticks.map((v) => [v, fixed(v, step < 1 ? 1 : 0)])
        : [
            [0, "0"],
            [0.5, "0.5"],
            [1, "1"],
          ],
      xLabel: "distance, blue minus orange",
      yLabel: rope ? "score" : "product, of D/2",
    });
    if (rope) {
      shape(made.svg, "rect", {
        x: made.X(0),
        y: made.Y(high + room),
        width: made.X(data.trained - 1) - made.X(0),
        height: made.Y(low - room) - made.Y(high + room),
        style: "fill:var(--gate);fill-opacity:.13",
      });
      shape(
        made.svg,
        "text",
        { x: made.X(data.trained - 1) + 6, y: made.Y(high + room) + 10, style: "fill:var(--gate);font-size:13px" },
        "\u2190 trained on",
      );
    }
    const scale = rope ? 1 : 1 / (Number(state.view) / 2);
    const line = shape(made.svg, "path", { class: "attention" }),
      drop = shape(made.svg, "path", { class: "rival", style: "stroke-width:1;stroke-dasharray:3 3" });
    const here = shape(made.svg, "circle", {
      r: 7,
      style: "fill:var(--attention);stroke:var(--paper);stroke-width:2",
    });
    set(line, { d: made.curve(curve.map((value, i) => [i + from, value * scale])) });
    return (away, value) => {
      const hidden = away < from;
      for (const part of [drop, here]) set(part, { visibility: hidden ? "hidden" : "visible" });
      if (hidden) return;
      set(drop, {
        d: made.curve([
          [away, low - room],
          [away, value * scale],
        ]),
      });
      set(here, { cx: made.X(away), cy: made.Y(value * scale) });
    };
  }

  function build() {
    const rope = state.view === "rope",
      D = rope ? data.key.length : Number(state.view);
    const column = (p) => (rope ? turned(data.key, p) : encode(p, D));
    table(
      squares,
      pattern,
      Array.from({ length: data.places }, (_, p) => column(p)),
    );
    caption.textContent = rope
      ? "Above: the key at each position. Clocks: the pairs of key (orange) and query (blue), and the positions that each needs for one turn; below, what it adds to the score"
      : "Clocks, and the positions that each needs for one turn; below, the cosine of the angle between its hands";
    dials.replaceChildren();
    const upright = { angle: 0, length: 1 };
    turn = clocks(
      dials,
      width,
      D,
      (wave) => (rope ? [keys[wave], queries[wave]] : [upright, upright]),
      (wave) => (rope ? (keys[wave].size * queries[wave].size) / Math.sqrt(D) : 1),
    );
    count.textContent = D;
    shown = distances(rope, forward(tensors, data, state).curve);
  }

  function reset() {
    state = { view: data.view, first: data.first, second: data.second };
    together = kept = false;
    looks.set(state.view);
    bound.set(false);
    build();
    draw();
  }

  function draw() {
    const { product } = forward(tensors, data, state),
      { first, second } = state;
    for (const name of names) {
      const x = pattern.X(state[name]),
        [box, stem] = columns[name];
      handles[name].set(state[name], heights[name]);
      set(box, { x: pattern.X(state[name] - 0.5) - 1 });
      set(stem, { d: `M${x} ${pattern.Y(heights[name])}V${pattern.Y(0)}` });
    }
    turn(first, second);
    shown(second - first, product);
    say(tell(product));
    publish({ ...state, product, together });
  }

  function tell(product) {
    const { view, first, second } = state,
      away = second - first,
      rope = view === "rope";
    if (rope && away < 0) return `Key at ${first}, query at ${second}: the causal mask hides this key.`;
    const what = rope ? `score ${fixed(product)}` : `product ${fixed(product)} of ${Number(view) / 2}`;
    if (kept)
      return `Positions ${first} and ${second}: all hands have turned, no angle between two hands has changed, and neither has the ${what}.`;
    if (rope)
      return `Key at ${first}, query at ${second}: distance ${away}${away < data.trained ? "" : ", which it never met in training"}; ${what}.`;
    const where = away ? `${Math.abs(away)} apart` : "the same";
    return `Positions ${first} and ${second}, ${where}: ${what}, the sum of the cosines of all clocks.`;
  }

  reset();
}
