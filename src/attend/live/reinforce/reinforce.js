import { button, choices, controls, slider, speaker } from "../kit/control.js";
import { clamp, fixed, set, shape } from "../kit/dom.js";
import { handle, plane } from "../kit/plane.js";
import { play } from "../kit/play.js";
import { row } from "../kit/tensor.js";
import { all, expected, height, sampled } from "./estimate.js";

/** One draw of eight points with its step, the exact step, the mean of f, and how far the steps of all draws spread. */
export function forward(tensors, data, { heights, mean, sigma, baseline, draw: number }) {
  const how = { heights, mean, sigma, baseline };
  const now = sampled([...row(tensors.noise, number % tensors.noise.shape[0])], data.places, data.rate, how);
  const { value, slope } = expected(data.places, how),
    steps = all(tensors, data.places, data.rate, how);
  const middle = steps.reduce((sum, s) => sum + s, 0) / steps.length;
  const spread = Math.sqrt(steps.reduce((sum, s) => sum + (s - middle) ** 2, 0) / steps.length);
  return { ...now, exact: -data.rate * slope, value, others: steps, spread };
}

const EDGE = 3.5,
  TOP = 10,
  BETWEEN = 17,
  TRAIL = 30,
  HALO = "stroke:var(--paper);stroke-width:4;paint-order:stroke;pointer-events:none";
const BASELINES = { none: "none", others: "mean of the others", normalised: "normalised" };

/** An arrow along one row; its head is left out where it is too short for one. */
function arrow(on, from, to, y, head) {
  const [a, b] = [on.X(from), on.X(clamp(to, -EDGE, EDGE))],
    size = Math.min(head, Math.abs(b - a)),
    back = b - Math.sign(b - a) * size;
  return `M${a.toFixed(1)} ${y}H${b.toFixed(1)}M${back.toFixed(1)} ${y - size * 0.6}L${b.toFixed(1)} ${y}L${back.toFixed(1)} ${y + size * 0.6}`;
}

export function render({ root, width, data, tensors, publish }) {
  const N = tensors.noise.shape[1],
    x = [-EDGE, EDGE],
    side = { left: 46, right: 26 };
  const ticks = data.places.map((place) => [place, fixed(place, 0)]),
    below = N * BETWEEN + 158;
  let state,
    running = null;

  const curve = plane({
    parent: root,
    width,
    height: 250,
    x,
    y: [0, TOP],
    yTicks: [0, 5, 10],
    yLabel: "f",
    margin: { ...side, bottom: 14 },
    label: "The curve f, and the samples on it",
  });
  const rows = plane({
    parent: root,
    width,
    height: below,
    x,
    y: [0, 1],
    xTicks: ticks,
    xLabel: "place x",
    margin: { ...side, top: 8 },
  });
  const lineOf = (i) => 30 + i * BETWEEN,
    foot = lineOf(N) + 20,
    band = foot + 44;

  const bell = shape(curve.svg, "path", { style: "fill:var(--attention);fill-opacity:.13" });
  const level = shape(curve.svg, "path", { class: "rival", "stroke-dasharray": "5 4" });
  const levelName = shape(curve.svg, "text", { class: "rival", "text-anchor": "end", style: HALO });
  const f = shape(curve.svg, "path", { class: "error" }),
    smooth = shape(curve.svg, "path", { style: "fill:none;stroke:var(--ink);stroke-width:1.3" });
  const spot = shape(curve.svg, "circle", {
    r: 3.5,
    style: "fill:var(--paper);stroke:var(--ink);stroke-width:1.5;pointer-events:none",
  });
  const smoothName = shape(
      curve.svg,
      "text",
      { x: curve.X(EDGE) + 6, style: "fill:var(--ink);font-style:italic;text-decoration:overline" },
      "f",
    ),
    past = curve.layer("trail");
  const here = [curve, rows].map((on) =>
    shape(on.svg, "line", { class: "attention", "stroke-dasharray": "2 4", style: "stroke-width:1.3" }),
  );
  set(here[0], { y1: curve.Y(TOP), y2: curve.Y(0) });
  set(here[1], { y1: 0, y2: below - 44 });
  const dots = Array.from({ length: N }, () =>
    shape(curve.svg, "circle", { class: "attention", r: 4.5, style: "pointer-events:none" }),
  );
  const pulls = dots.map(() => [
    shape(rows.svg, "path", { style: "fill:none;stroke-width:2" }),
    shape(rows.svg, "circle", { class: "attention", r: 3 }),
  ]);
  const rug = shape(rows.svg, "path", { style: "stroke:var(--ink);stroke-opacity:.28;stroke-width:1.5;fill:none" });
  const step = shape(rows.svg, "path", { style: "fill:none;stroke:var(--ink);stroke-width:4" });
  const truth = shape(rows.svg, "path", {
    d: "M0 -7L7 0L0 7L-7 0Z",
    style: "fill:var(--paper);stroke:var(--ink);stroke-width:2",
  });
  for (const [y, text] of [
    [14, "each sample alone"],
    [foot - 14, "their mean: the step"],
    [band - 14, `steps of ${tensors.noise.shape[0]} draws, and the exact one`],
  ]) {
    shape(rows.svg, "text", { x: rows.X(-EDGE) + 6, y, style: `fill:var(--quiet);font-size:13px;${HALO}` }, text);
  }

  const knots = data.places.map((place, i) =>
    handle({
      plane: curve,
      at: [place, 5],
      label: `f at ${fixed(place, 0)}`,
      kind: "error",
      axis: "y",
      radius: 6,
      reach: 15,
      step: 0.2,
      limits: [
        [place, place],
        [0, TOP],
      ],
      text: (_, y) => fixed(y, 1),
      onMove: (_, y) => {
        halt();
        state.heights[i] = y;
        draw();
      },
    }),
  );
  const mean = handle({
    plane: curve,
    at: [0, 0],
    label: "Mean",
    kind: "attention",
    axis: "x",
    step: 0.05,
    limits: [
      [-3, 3],
      [0, 0],
    ],
    onMove: (at) => {
      halt();
      state.mean = at;
      state.trail = [];
      draw();
    },
  });
  shape(mean.element, "text", { x: 13, y: -8, class: "attention", "aria-hidden": "true" }, "\u03bc");

  const first = controls(root);
  const which = choices({
    parent: first,
    label: "Baseline",
    options: Object.entries(BASELINES),
    value: "none",
    onChange: (value) => {
      halt();
      state.baseline = value;
      draw();
    },
  });
  const second = controls(root);
  const bent = choices({
    parent: second,
    label: "f",
    options: Object.keys(data.shapes).map((name) => [name, name]),
    value: "bowl",
    onChange: (name) => {
      halt();
      state.heights = [...data.shapes[name]];
      state.mean = data.mean;
      state.trail = [];
      draw();
    },
  });
  const wide = slider({
    parent: second,
    label: "\u03c3",
    min: 0.2,
    max: 1,
    step: 0.05,
    value: data.sigma,
    onInput: (value) => {
      halt();
      state.sigma = value;
      draw();
    },
  });
  const third = controls(root);
  button({
    parent: third,
    label: "Draw anew",
    onPress: () => {
      halt();
      state.draw++;
      draw();
    },
  });
  button({
    parent: third,
    label: "Take the step",
    onPress: () => {
      halt();
      walk();
    },
  });
  button({
    parent: third,
    label: "Take 30 steps",
    onPress: () => {
      halt();
      running = play({ steps: 30, every: 120, onStep: walk });
    },
  });
  button({ parent: third, label: "Start again", onPress: reset });
  const say = speaker({ parent: root, seen: true });

  function halt() {
    running?.stop();
    running = null;
  }

  function reset() {
    halt();
    state = {
      heights: [...data.shapes.bowl],
      mean: data.mean,
      sigma: data.sigma,
      baseline: "none",
      draw: 0,
      trail: [],
    };
    which.set("none");
    bent.set("bowl");
    wide.set(data.sigma);
    draw();
  }

  function walk() {
    const { step: by } = forward(tensors, data, state);
    state.trail = [...state.trail, state.mean].slice(-TRAIL);
    state.mean = clamp(state.mean + by, -3, 3);
    state.draw++;
    draw();
  }

  function draw() {
    const result = forward(tensors, data, state),
      { samples, advantages, steps } = result,
      m = state.mean;
    knots.forEach((knot, i) => knot.set(data.places[i], state.heights[i]));
    mean.set(m, 0);
    set(f, { d: curve.curve([-EDGE, ...data.places, EDGE].map((at) => [at, height(data.places, state.heights, at)])) });
    const along = Array.from({ length: 71 }, (_, i) => -EDGE + i / 10),
      averaged = (at) => expected(data.places, { ...state, mean: at }).value;
    set(smooth, { d: curve.curve(along.map((at) => [at, averaged(at)])) });
    set(smoothName, { y: curve.Y(averaged(EDGE)) + 4 });
    set(spot, { cx: curve.X(m), cy: curve.Y(result.value) });
    const hill = Array.from({ length: 61 }, (_, i) => clamp(m + (i - 30) * 0.1 * state.sigma, -EDGE, EDGE)).map(
      (at) => [at, (1.1 / state.sigma) * Math.exp(-0.5 * ((at - m) / state.sigma) ** 2)],
    );
    set(bell, { d: `${curve.curve([[hill[0][0], 0], ...hill, [hill.at(-1)[0], 0]])}Z` });
    here.forEach((line) => set(line, { x1: curve.X(m), x2: curve.X(m) }));
    showBaseline(result);
    past.replaceChildren();
    state.trail.forEach((at, i) =>
      shape(past, "circle", {
        class: "attention",
        r: 3,
        cx: curve.X(at),
        cy: curve.Y(0),
        opacity: 0.15 + (0.5 * (i + 1)) / state.trail.length,
      }),
    );
    [...samples.keys()]
      .sort((i, j) => samples[i] - samples[j])
      .forEach((i, place) => {
        const [line, dot] = pulls[place],
          seen = Math.abs(samples[i]) <= EDGE,
          y = lineOf(place);
        set(dots[place], {
          cx: curve.X(clamp(samples[i], -EDGE, EDGE)),
          cy: curve.Y(result.f[i]),
          visibility: seen ? null : "hidden",
        });
        set(dot, { cx: rows.X(clamp(samples[i], -EDGE, EDGE)), cy: y, visibility: seen ? null : "hidden" });
        set(line, { d: arrow(rows, m, m + steps[i], y, 6), class: advantages[i] > 0 ? "error" : "attention" });
      });
    set(rug, {
      d: result.others.map((s) => `M${rows.X(clamp(m + s, -EDGE, EDGE)).toFixed(1)} ${band - 8}v16`).join(""),
    });
    set(step, { d: arrow(rows, m, m + result.step, foot, 10) });
    set(truth, { transform: `translate(${rows.X(clamp(m + result.exact, -EDGE, EDGE))} ${band})` });
    say(tell(result));
    publish({ ...state, ...result });
  }

  /** The mean of all samples; the baseline of each lies beside it, with its own f left out. */
  function showBaseline(result) {
    const at = state.baseline === "none" ? 0 : result.f.reduce((sum, value) => sum + value, 0) / N;
    set(level, {
      d: curve.curve([
        [-EDGE, at],
        [EDGE, at],
      ]),
      visibility: at ? null : "hidden",
    });
    set(levelName, { x: curve.X(EDGE) - 4, y: curve.Y(at) - 7, visibility: at ? null : "hidden" });
    levelName.textContent = "baseline";
  }

  function tell({ step: by, exact, spread, advantages }) {
    const away = advantages.filter((value) => value > 0).length;
    const arrows =
      away === N
        ? "Every sample pushes the mean away from itself."
        : away
          ? `${N - away} samples pull, ${away} push.`
          : "No sample pulls or pushes: all f are the same.";
    return `${arrows} Step ${fixed(by)}; exact ${fixed(exact)}; steps of other draws spread by ${fixed(spread)}.`;
  }

  reset();
}
