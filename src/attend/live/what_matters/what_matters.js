import { button, controls, slider, speaker } from "../kit/control.js";
import { fixed, set, shape } from "../kit/dom.js";
import { handle, plane } from "../kit/plane.js";
import { normals } from "../kit/random.js";
import { judge, mean, shares } from "./experiment.js";

const COUNT = 2000;
const REACH = [-3.4, 4.2]; // what is shown, in standard deviations from the base
const EFFECTS = Array.from({ length: 31 }, (_, i) => i / 10);
const RULES = { welch: "Welch\u2019s test", apart: "no overlap", range: "range rule" };
const COLOUR = { welch: "attention", apart: "gate", range: "error" };
const HALO = "stroke:var(--paper);stroke-width:4;paint-order:stroke;pointer-events:none";

/** One experiment, judged; and how often each rule sees a difference, for every effect, in 2,000 others. */
export function forward(_, { mean: middle, sd }, { runs, effect, draw: number }) {
  const draw = normals(number);
  const take = (by) => Array.from({ length: runs }, () => middle + sd * (by + draw()));
  const base = take(0);
  const changed = take(effect);
  return { base, changed, ...judge(base, changed), effects: EFFECTS, shares: shares(runs, EFFECTS, COUNT) };
}

export function render({ root, width, data, publish }) {
  const { mean: middle, sd } = data;
  const x = REACH.map((at) => middle + at * sd);
  const ticks = nice(x);
  const side = { left: 54, right: 16 };
  let state = { runs: data.runs, effect: data.effect, draw: 0 };
  let result;

  const row = controls(root);
  const runs = slider({
    parent: row,
    label: "Runs a side",
    min: 2,
    max: data.most,
    step: 1,
    value: state.runs,
    format: (v) => fixed(v, 0),
    onInput: (value) => change({ runs: value }),
  });
  button({ parent: row, label: "Draw again", onPress: () => change({ draw: state.draw + 1 }) });

  const above = plane({
    parent: root,
    width,
    height: 150,
    x,
    y: [0, 1],
    margin: { ...side, top: 8, bottom: 8 },
    label: "One experiment",
  });
  const below = plane({
    parent: root,
    width,
    height: 216,
    x,
    y: [0, 1],
    xTicks: ticks,
    yTicks: [
      [0, "0"],
      [0.5, "50 %"],
      [1, "100 %"],
    ],
    xLabel: "numbers with a mistake (%)",
    margin: { ...side, top: 16 },
    label: "How often each rule sees a difference",
  });
  const here = [above, below].map((on) =>
    shape(on.svg, "line", { class: "summary", "stroke-dasharray": "2 4", style: "stroke-width:1.3" }),
  );
  set(here[0], { y1: 8, y2: 142 });
  set(here[1], { y1: below.Y(1), y2: below.Y(0) });
  for (const [y, text] of [
    [0.9, "base"],
    [0.5, "changed"],
  ])
    shape(above.svg, "text", { x: above.X(x[0]) + 2, y: above.Y(y) - 10, style: `fill:var(--quiet);${HALO}` }, text);
  const dots = above.layer();
  const bars = [0.9, 0.5].map(() =>
    shape(above.svg, "line", { style: "stroke:var(--ink);stroke-width:2;pointer-events:none" }),
  );
  const legend = (place) => ({ x: below.X(x[0]) + 8, y: 26 + 18 * place });
  shape(below.svg, "text", { ...legend(0), style: `fill:var(--quiet);font-size:13px;${HALO}` }, "sees a difference:");
  const curves = Object.keys(RULES).map((rule, i) => ({
    rule,
    path: shape(below.svg, "path", { class: COLOUR[rule] }),
    dot: shape(below.svg, "circle", { r: 4, class: COLOUR[rule] }),
    name: shape(below.svg, "text", { ...legend(i + 1), class: COLOUR[rule], style: `font-size:13px;${HALO}` }),
  }));
  const knob = handle({
    plane: above,
    at: [middle + state.effect * sd, 0.08],
    label: "True mean of the changed model",
    kind: "summary",
    axis: "x",
    step: sd / 10,
    limits: [
      [middle, middle + 3 * sd],
      [0, 1],
    ],
    text: (at) => `${fixed((at - middle) / sd, 1)} standard deviations from the base`,
    onMove: (at) => change({ effect: Math.round((10 * (at - middle)) / sd) / 10 }),
  });
  shape(
    knob.element,
    "text",
    { x: 14, y: 5, "aria-hidden": "true", style: `fill:var(--summary);${HALO}` },
    "true mean",
  );
  const say = speaker({ parent: root, seen: true });

  function change(to) {
    state = { ...state, ...to };
    draw();
  }

  function draw() {
    result = forward(null, data, state);
    const at = above.X(middle + state.effect * sd);
    for (const line of here) set(line, { x1: at, x2: at });
    dots.replaceChildren();
    [result.base, result.changed].forEach((values, i) => {
      const y = above.Y(i ? 0.5 : 0.9);
      for (const value of values)
        shape(dots, "circle", {
          cx: above.X(value).toFixed(1),
          cy: y,
          r: 5,
          class: i ? "summary" : "rival",
          style: "fill-opacity:.7",
        });
      const middleOf = above.X(mean(values));
      set(bars[i], { x1: middleOf, x2: middleOf, y1: y - 11, y2: y + 11 });
    });
    const place = Math.round(10 * state.effect);
    for (const { rule, path, dot, name } of curves) {
      const share = result.shares[rule];
      set(path, { d: below.curve(EFFECTS.map((effect, i) => [middle + effect * sd, share[i]])) });
      set(dot, { cx: at, cy: below.Y(share[place]) });
      name.textContent = `${RULES[rule]} ${Math.round(100 * share[place])}\u00a0%`;
    }
    const yes = Object.keys(RULES).filter((rule) => result.verdicts[rule]);
    const percent = (rule) => `${RULES[rule]} ${Math.round(100 * result.shares[rule][place])}\u00a0%`;
    say(
      `Here ${yes.length ? `a difference is seen by ${list(yes.map((rule) => RULES[rule]))}` : "no rule sees a difference"} ` +
        `(Welch\u2019s 95\u00a0% interval: ${signed(result.interval[0])} to ${signed(result.interval[1])}). ` +
        `In 2,000 such experiments: ${list(Object.keys(RULES).map(percent))}` +
        `${state.effect ? "." : ", all of them false alarms."}`,
    );
    publish({
      ...state,
      verdicts: result.verdicts,
      share: Object.fromEntries(curves.map(({ rule }) => [rule, result.shares[rule][place]])),
    });
  }

  button({
    parent: row,
    label: "Start again",
    onPress: () => {
      runs.set(data.runs);
      knob.set(middle + data.effect * sd, 0.08);
      change({ runs: data.runs, effect: data.effect, draw: 0 });
    },
  });
  draw();
}

const signed = (value) => `${value > 0 ? "+" : ""}${fixed(value, 1)}`;

const list = (words) => (words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`);

/** Round numbers along an axis. */
function nice([from, to]) {
  const step = [0.5, 1, 2, 5, 10, 20].find((by) => (to - from) / by <= 8) ?? 50;
  return Array.from({ length: 1 + Math.floor(to / step) }, (_, i) => i * step).filter((at) => at >= from);
}
