import { button, choices, controls, slider, speaker, toggle } from "../kit/control.js";
import { clamp, fixed, set, shape } from "../kit/dom.js";
import { handle, plane } from "../kit/plane.js";
import { play } from "../kit/play.js";
import { argmax, softmax } from "../kit/tensor.js";
import { estimate, exact, logitsOf, logProbs, sparsemax } from "./estimators.js";

/** What each way reads, the exact gradient, and the mean estimate of `draws` rows of noise, beginning at row `from`. */
export function forward(tensors, data, { scene, scores, way, temperature, from, draws, baseline }) {
  const logits = logitsOf(data.scenes[scene], data.letters.length, data.sure),
    S = scores.length,
    rows = tensors.noise.shape[0];
  const noise = (i) =>
    Array.from(tensors.noise.values.subarray(((from + i) % rows) * S, (((from + i) % rows) + 1) * S));
  const last = noise(Math.max(draws, 1) - 1),
    noisy = scores.map((score, s) => score + last[s]),
    drawn = argmax(noisy);
  const still = way === "soft" || way === "sparsemax",
    each = Array.from({ length: still ? 1 : draws }, (_, i) =>
      estimate(way, scores, logits, noise(i), temperature, baseline),
    );
  const truth = exact(softmax(scores), logProbs(logits)),
    mean = each.length ? scores.map((_, s) => each.reduce((sum, row) => sum + row[s], 0) / each.length) : null,
    length = Math.hypot(...truth);
  return {
    weights: {
      soft: softmax(scores),
      sparsemax: sparsemax(scores),
      relaxed: softmax(noisy.map((value) => value / temperature)),
      drawn: scores.map((_, s) => Number(s === drawn)),
    },
    exact: truth,
    estimate: mean,
    off: mean && length > 1e-9 ? Math.hypot(...mean.map((value, s) => value - truth[s])) / length : null,
  };
}

const MOST = 3,
  ARROW = 2.2,
  TALL = 34;
const ROWS = ["soft", "sparsemax", "relaxed", "drawn"];

/** An upright arrow at x from the height `y` by `by` pixels (up is above 0), without a head where it is too short. */
function upright(x, y, by) {
  const head = Math.min(5, Math.abs(by)) * Math.sign(by),
    end = y - by;
  return `M${x} ${y}V${end}${Math.abs(by) > 3 ? `M${x - 3.5} ${end + head}L${x} ${end}L${x + 3.5} ${end + head}` : ""}`;
}

export function render({ root, width, data, tensors, publish }) {
  const S = data.scores.length,
    count = tensors.noise.shape[0];
  let state,
    running = null;

  const main = plane({
    parent: root,
    width,
    height: 230,
    x: [0.4, S + 0.6],
    y: [-MOST - 0.4, MOST + 0.4],
    yTicks: [-3, 0, 3],
    yLabel: "score",
    margin: { bottom: 12 },
  });
  const [low, top] = main.y.map(main.Y),
    gap = 16;
  const rail = shape(main.svg, "path", { style: "stroke:var(--line);fill:none" });
  set(rail, { d: data.scores.map((_, s) => `M${main.X(s + 1)} ${main.Y(MOST)}V${main.Y(-MOST)}`).join("") });
  const arrows = data.scores.map(() => ["attention", "rival"].map((kind) => shape(main.svg, "path", { class: kind })));
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

  const tall = 28 + ROWS.length * (TALL + 26);
  const below = shape(root, "svg", { viewBox: `0 0 ${width} ${tall}`, width, height: tall, "aria-hidden": "true" });
  const letters = data.scores.map((_, s) =>
    shape(below, "text", { x: main.X(s + 1), y: 16, "text-anchor": "middle", style: "font-size:17px" }),
  );
  const rows = ROWS.map((name, i) => {
    const floor = 28 + (i + 1) * (TALL + 26) - 6;
    shape(below, "path", { d: `M${main.X(0.5)} ${floor}H${main.X(S + 0.5)}`, style: "stroke:var(--line)" });
    return {
      name,
      floor,
      title: shape(below, "text", { x: main.X(0.5), y: floor - TALL - 5, style: "fill:var(--quiet);font-size:13px" }),
      bars: data.scores.map((_, s) =>
        shape(below, "rect", { x: main.X(s + 1) - 11, y: floor, width: 22, height: 0, class: "attention" }),
      ),
    };
  });

  const legend = shape(root, "svg", { viewBox: `0 0 ${width} 46`, width, height: 46, "aria-hidden": "true" });
  ["attention", "rival"].forEach((kind, i) => shape(legend, "path", { d: upright(6, 19 + 23 * i, 14), class: kind }));
  shape(legend, "text", { x: 20, y: 16 }, "the exact gradient");
  const told = shape(legend, "text", { x: 20, y: 39 });

  const which = choices({
    parent: controls(root),
    label: "Gradient by",
    options: data.ways.map((way) => [way, way]),
    value: data.ways[0],
    onChange: (way) => {
      halt();
      state.way = way;
      draw();
    },
  });
  const second = controls(root);
  const warm = slider({
    parent: second,
    label: "temperature τ",
    min: -1,
    max: 0.7,
    step: 0.05,
    value: 0,
    format: (v) => fixed(10 ** v),
    onInput: (v) => {
      state.temperature = 10 ** v;
      draw();
    },
  });
  const calm = toggle({
    parent: second,
    label: "baseline (REINFORCE)",
    value: false,
    onChange: (on) => {
      state.baseline = on;
      draw();
    },
  });
  const third = controls(root);
  button({
    parent: third,
    label: "Draw",
    onPress: () => {
      halt();
      more(1);
    },
  });
  button({
    parent: third,
    label: "Draw 100",
    onPress: () => {
      halt();
      running = play({ steps: 100, every: 25, onStep: () => more(1) });
    },
  });
  button({
    parent: third,
    label: "Forget the draws",
    onPress: () => {
      halt();
      anew();
    },
  });
  button({ parent: third, label: "Start again", onPress: reset });
  const scenes = choices({
    parent: controls(root),
    label: "Letters",
    options: data.names.map((name) => [name, name]),
    value: data.names[0],
    onChange: (name) => {
      halt();
      state.scene = name;
      anew();
    },
  });
  const say = speaker({ parent: root, seen: true });

  function halt() {
    running?.stop();
    running = null;
  }

  function reset() {
    halt();
    state = {
      scene: data.names[0],
      scores: [...data.scores],
      way: data.ways[0],
      temperature: 1,
      from: 0,
      draws: 1,
      baseline: false,
    };
    scenes.set(state.scene);
    which.set(state.way);
    warm.set(0);
    calm.set(false);
    draw();
  }

  /** Other scores need other draws. */
  function anew() {
    state.from = (state.from + state.draws) % count;
    state.draws = 0;
    draw();
  }

  function more(by) {
    state.draws = Math.min(state.draws + by, count);
    draw();
  }

  function draw() {
    const result = forward(tensors, data, state),
      scale = ARROW * (main.Y(0) - main.Y(1));
    state.scores.forEach((score, s) => {
      const x = main.X(s + 1),
        y = main.Y(score);
      knobs[s].set(s + 1, score);
      [result.exact[s], result.estimate?.[s] ?? 0].forEach((by, i) =>
        set(arrows[s][i], { d: upright(x + gap * (2 * i - 1), y, clamp(scale * by, y - low, y - top)) }),
      );
      letters[s].textContent = data.letters[data.scenes[state.scene][s]];
    });
    const titles = {
      soft: "softmax",
      sparsemax: "sparsemax",
      relaxed: `Gumbel-softmax, τ = ${fixed(state.temperature)}`,
      drawn: "a draw: one place",
    };
    for (const { name, floor, title, bars } of rows) {
      title.textContent = titles[name];
      bars.forEach((bar, s) =>
        set(bar, { y: floor - TALL * result.weights[name][s], height: TALL * result.weights[name][s] }),
      );
    }
    const still = state.way === "soft" || state.way === "sparsemax";
    told.textContent = still
      ? `the gradient of ${state.way}`
      : `${state.way}: the mean of ${state.draws} draw${state.draws === 1 ? "" : "s"}`;
    say(tell(result));
    publish({ ...state, ...result });
  }

  function tell({ estimate: guess, off }) {
    if (!guess) return "No draw yet.";
    if (off === null) return "All places say the same: the exact gradient is 0.";
    return `The grey arrows are off by ${fixed(off)} times the length of the exact gradient.`;
  }

  reset();
}
