import { button, choices, controls, speaker, toggle } from "../kit/control.js";
import { clamp, fixed, set, shape } from "../kit/dom.js";
import { handle, plane } from "../kit/plane.js";
import { play } from "../kit/play.js";
import { softmax } from "../kit/tensor.js";
import { aims, estimate, fallen, logitsOf } from "./aims.js";

/** Chances of the places and letters, the three aims with their slopes, the looks drawn, and what these estimate. */
export function forward(tensors, data, { scene, scores, from, looks: count, baseline }) {
  const letters = data.scenes[scene],
    dice = tensors.dice.values,
    weights = softmax(scores);
  const looks = Array.from({ length: count }, (_, i) => fallen(weights, dice[(from + i) % dice.length]));
  const found = aims(weights, logitsOf(letters, data.letters.length, data.sure));
  const counts = weights.map((_, s) => looks.filter((k) => k === s).length);
  return { weights, ...found, looks, counts, estimate: count ? estimate(weights, found.logP, looks, baseline) : null };
}

const MOST = 3,
  RATE = 1,
  ARROW = 2.2;
const AIMS = [
  ["marginal", "gate"],
  ["bound", "attention"],
  ["soft", "summary"],
];

/** An upright arrow at x from the height `y` by `by` pixels (up is above 0), without a head where it is too short. */
function upright(x, y, by) {
  const head = Math.min(5, Math.abs(by)) * Math.sign(by),
    end = y - by;
  return `M${x} ${y}V${end}${Math.abs(by) > 3 ? `M${x - 3.5} ${end + head}L${x} ${end}L${x + 3.5} ${end + head}` : ""}`;
}

/** Rows of bars, one for each letter, that say how likely it is after a reading. Returns a function that sets them. */
function answers(svg, x, y, width, title, kind, letters) {
  shape(svg, "text", { x, y, style: "fill:var(--quiet);font-size:13px" }, title);
  const from = x + 18,
    room = width - 62;
  const rows = letters.map((letter, v) => {
    const at = y + 20 + 19 * v;
    shape(svg, "text", { x, y: at }, letter);
    shape(svg, "rect", { x: from, y: at - 10, width: room, height: 11, style: "fill:var(--wash)" });
    return {
      bar: shape(svg, "rect", { x: from, y: at - 10, width: 0, height: 11, class: kind }),
      number: shape(svg, "text", {
        x: from + room + 38,
        y: at,
        "text-anchor": "end",
        style: "font-variant-numeric:tabular-nums",
      }),
    };
  });
  return (chances) =>
    rows.forEach(({ bar, number }, v) => {
      set(bar, { width: chances ? room * chances[v] : 0 });
      number.textContent = chances ? fixed(chances[v]) : "";
    });
}

export function render({ root, width, data, tensors, publish }) {
  const S = data.scores.length,
    names = data.letters,
    half = (width - 24) / 2;
  let state,
    running = null;

  const main = plane({
    parent: root,
    width,
    height: 250,
    x: [0.4, S + 0.6],
    y: [-MOST - 0.4, MOST + 0.4],
    yTicks: [-3, 0, 3],
    yLabel: "score",
    margin: { bottom: 12 },
  });
  const wide = main.X(2) - main.X(1),
    gap = Math.min(12, wide / 4.7),
    [low, top] = main.y.map(main.Y);
  const rail = shape(main.svg, "path", { style: "stroke:var(--line);fill:none" });
  set(rail, { d: data.scores.map((_, s) => `M${main.X(s + 1)} ${main.Y(MOST)}V${main.Y(-MOST)}`).join("") });
  const arrows = data.scores.map(() => [
    ...AIMS.map(([, kind]) => shape(main.svg, "path", { class: kind })),
    shape(main.svg, "path", { class: "rival" }),
  ]);
  const knobs = data.scores.map((at, s) =>
    handle({
      plane: main,
      at: [s + 1, at],
      label: `Score of place ${s + 1}`,
      kind: "attention",
      axis: "y",
      radius: 8,
      reach: 20,
      step: 0.1,
      limits: [
        [s + 1, s + 1],
        [-MOST, MOST],
      ],
      text: (_, y) => fixed(y, 1),
      onMove: (_, y) => {
        halt();
        state.scores[s] = y;
        anew();
      },
    }),
  );

  const floor = 118,
    below = shape(root, "svg", { viewBox: `0 0 ${width} 262`, width, height: 262, "aria-hidden": "true" });
  const places = data.scores.map((_, s) => {
    const x = main.X(s + 1),
      tall = { y: floor, width: 16, height: 0 };
    return {
      chance: shape(below, "rect", { ...tall, x: x - 17, class: "attention", style: "fill-opacity:.45" }),
      drawn: shape(below, "rect", { ...tall, x: x + 1, class: "rival" }),
      letter: shape(below, "text", { x, y: floor + 20, "text-anchor": "middle", style: "font-size:17px" }),
      ring: shape(below, "circle", {
        cx: x,
        cy: floor + 14,
        r: 13,
        style: "fill:none;stroke:var(--attention);stroke-width:2",
      }),
    };
  });
  shape(below, "path", { d: `M${main.X(0.5)} ${floor}H${main.X(S + 0.5)}`, style: "stroke:var(--line)" });
  shape(below, "text", { x: main.X(0.5), y: 14, class: "attention", style: "font-size:13px" }, "chance");
  shape(
    below,
    "text",
    { x: main.X(0.5) + 56, y: 14, class: "rival", style: "font-size:13px" },
    "share of the looks drawn",
  );
  const reads = [
    answers(below, 0, 172, half, "soft reads the mean", "summary", names),
    answers(below, half + 24, 172, half, "hard, at the last look", "attention", names),
  ];

  const legend = shape(root, "svg", { viewBox: `0 0 ${width} 96`, width, height: 96, "aria-hidden": "true" });
  const texts = { marginal: "marginal: Σ α p", bound: "bound: exp Σ α log p", soft: "soft: p of the mean" };
  const numbers = Object.fromEntries(
    AIMS.map(([name, kind], i) => {
      shape(legend, "path", { d: upright(6, 20 + 23 * i, 14), class: kind });
      shape(legend, "text", { x: 20, y: 17 + 23 * i }, texts[name]);
      return [
        name,
        shape(legend, "text", {
          x: 224,
          y: 17 + 23 * i,
          class: kind,
          "text-anchor": "end",
          style: "font-variant-numeric:tabular-nums",
        }),
      ];
    }),
  );
  shape(legend, "path", { d: upright(6, 89, 14), class: "rival" });
  const told = shape(legend, "text", { x: 20, y: 86 });

  const first = controls(root);
  const which = choices({
    parent: first,
    label: "Letters",
    options: data.names.map((name) => [name, name]),
    value: data.names[0],
    onChange: (name) => {
      halt();
      state.scene = name;
      anew();
    },
  });
  const second = controls(root);
  button({
    parent: second,
    label: "Draw a look",
    onPress: () => {
      halt();
      more(1);
    },
  });
  button({
    parent: second,
    label: "Draw 100",
    onPress: () => {
      halt();
      running = play({ steps: 100, every: 25, onStep: () => more(1) });
    },
  });
  button({
    parent: second,
    label: "Forget the looks",
    onPress: () => {
      halt();
      anew();
    },
  });
  const calm = toggle({
    parent: second,
    label: "baseline",
    value: false,
    onChange: (on) => {
      state.baseline = on;
      draw();
    },
  });
  const third = controls(root);
  for (const [name] of AIMS)
    button({
      parent: third,
      label: `Climb the ${name === "soft" ? "soft aim" : name}`,
      onPress: () => {
        halt();
        running = play({ steps: 30, every: 60, onStep: () => climb(name) });
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
    state = { scene: data.names[0], scores: [...data.scores], from: 0, looks: 1, baseline: false };
    which.set(state.scene);
    calm.set(false);
    draw();
  }

  /** Other chances need other looks. */
  function anew() {
    state.from = (state.from + state.looks) % tensors.dice.values.length;
    state.looks = 0;
    draw();
  }

  function more(by) {
    state.looks = Math.min(state.looks + by, tensors.dice.values.length);
    draw();
  }

  function climb(name) {
    const { slopes } = forward(tensors, data, state);
    state.scores = state.scores.map((e, s) => clamp(e + RATE * slopes[name][s], -MOST, MOST));
    anew();
  }

  function draw() {
    const result = forward(tensors, data, state),
      { weights, counts, looks, slopes } = result,
      last = looks.at(-1),
      N = looks.length;
    state.scores.forEach((e, s) => {
      const x = main.X(s + 1),
        y = main.Y(e),
        scale = ARROW * (main.Y(0) - main.Y(1));
      knobs[s].set(s + 1, e);
      const each = [...AIMS.map(([name]) => slopes[name][s]), result.estimate?.[s] ?? 0];
      each.forEach((by, i) =>
        set(arrows[s][i], { d: upright(x + gap * [-2, -1, 1, 2][i], y, clamp(scale * by, y - low, y - top)) }),
      );
      set(places[s].chance, { y: floor - 92 * weights[s], height: 92 * weights[s] });
      set(places[s].drawn, { y: floor - (N ? (92 * counts[s]) / N : 0), height: N ? (92 * counts[s]) / N : 0 });
      places[s].letter.textContent = names[data.scenes[state.scene][s]];
      set(places[s].ring, { visibility: s === last ? null : "hidden" });
    });
    reads[0](result.said);
    reads[1](N ? result.spoken[last] : null);
    AIMS.forEach(([name]) => {
      numbers[name].textContent = fixed(result.values[name], 3);
    });
    told.textContent = N ? `estimate of the bound's slope from ${N} look${N > 1 ? "s" : ""}` : "no look drawn yet";
    say(tell(result));
    publish({ ...state, ...result });
  }

  function tell({ values, slopes, estimate: guess, looks }) {
    const aim = `Right with chance ${fixed(values.soft)} read softly, ${fixed(values.marginal)} after one look.`;
    if (!guess) return `${aim} No look drawn yet.`;
    const off = Math.hypot(...guess.map((value, s) => value - slopes.bound[s]));
    return `${aim} Looks drawn: ${looks.length}; the estimate is off by ${fixed(off)}, the exact slope is ${fixed(Math.hypot(...slopes.bound))} long.`;
  }

  reset();
}
