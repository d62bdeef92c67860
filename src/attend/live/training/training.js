import { button, choices, controls, slider, speaker } from "../kit/control.js";
import { element, fixed, set, shape } from "../kit/dom.js";
import { plane } from "../kit/plane.js";
import { row, softmax } from "../kit/tensor.js";

const STEPS = 60,
  TOP = 6;

/** Bits a letter: the cross-entropy of probabilities p for letters that come with these shares. */
const bits = (shares, z) => {
  const most = Math.max(...z),
    log = most + Math.log(z.reduce((sum, value) => sum + Math.exp(value - most), 0));
  return shares.reduce((sum, share, i) => sum + share * (log - z[i]), 0) / Math.LN2;
};

/** Gradient descent from logits of zero: the loss before every step, and what there is after `step` of them. */
export function forward(tensors, data, { after, rate, step }) {
  const shares = row(tensors.shares, data.after.indexOf(after)),
    losses = [];
  let z = shares.map(() => 0),
    seen;
  for (let t = 0; t <= STEPS; t++) {
    const p = softmax(z),
      gradient = p.map((value, i) => value - shares[i]);
    losses.push(bits(shares, z));
    if (t === step) seen = { logits: z, p, gradient };
    z = z.map((value, i) => value - rate * gradient[i]);
  }
  const least = shares.reduce((sum, share) => sum - (share > 0 ? share * Math.log2(share) : 0), 0);
  return { losses, least, ...seen };
}

const START = { rate: 1, step: 10 };
const spoken = (rate) => fixed(rate, rate < 1 ? 2 : rate < 10 ? 1 : 0);

export function render({ root, width, data, tensors, publish }) {
  const V = data.alphabet.length,
    edge = { left: 46, right: 12 };
  let state = { after: data.after[0], ...START };

  const board = element("div");
  root.append(board);
  let bars, curve, name, wide, columns, marks, floor, line, dot, top;

  /** Both planes, with axes that suit the letter. */
  function frame() {
    const { p, gradient, least } = forward(tensors, data, state),
      bottom = Math.floor(least + 1e-6);
    top = Math.max(...p.map((value, i) => value - gradient[i])) > 0.4 ? 1 : 0.4;
    board.replaceChildren();
    bars = plane({
      parent: board,
      width,
      height: 170,
      x: [-0.6, V - 0.4],
      y: [0, top],
      yTicks: [0, top / 2, top],
      yLabel: "probability",
      xTicks: data.alphabet.map((letter, i) => [i, letter]),
      margin: { ...edge, top: 22, bottom: 26 },
    });
    name = shape(bars.svg, "text", { class: "summary", x: bars.X(V - 0.6), y: 14, "text-anchor": "end" });
    wide = (bars.X(1) - bars.X(0)) * 0.62;
    columns = data.alphabet.map((_, i) =>
      shape(bars.svg, "rect", { x: bars.X(i) - wide / 2, width: wide, style: "fill:var(--summary);fill-opacity:.75" }),
    );
    marks = shape(bars.svg, "path", { class: "input", style: "fill:none;stroke-width:2" });
    curve = plane({
      parent: board,
      width,
      height: 200,
      x: [0, STEPS],
      y: [bottom, TOP],
      xTicks: [0, 20, 40, 60],
      yTicks: Array.from({ length: TOP - bottom + 1 }, (_, i) => bottom + i),
      xLabel: "step",
      yLabel: "loss, bits",
      margin: { ...edge, top: 12, bottom: 44 },
    });
    floor = shape(curve.svg, "path", { class: "input", style: "fill:none;stroke-dasharray:5 4" });
    line = shape(curve.svg, "path", { class: "summary" });
    dot = shape(curve.svg, "circle", { class: "summary", r: 5 });
  }

  const lever = controls(root);
  const rate = slider({
    parent: lever,
    label: "Learning rate",
    min: -1,
    max: 2,
    step: 0.05,
    value: 0,
    format: (power) => spoken(10 ** power),
    onInput: (power) => {
      state.rate = 10 ** power;
      draw();
    },
  });
  const step = slider({
    parent: lever,
    label: "Step",
    min: 0,
    max: STEPS,
    step: 1,
    value: START.step,
    format: (value) => fixed(value, 0),
    onInput: (value) => {
      state.step = value;
      draw();
    },
  });
  const rest = controls(root);
  const which = choices({
    parent: rest,
    label: "The letter after",
    value: state.after,
    options: data.after.map((letter) => [letter, letter === "." ? "the start" : letter]),
    onChange: (letter) => {
      state.after = letter;
      frame();
      draw();
    },
  });
  button({ parent: rest, label: "Start again", onPress: reset });
  const say = speaker({ parent: root, seen: true });

  function reset() {
    state = { after: data.after[0], ...START };
    rate.set(0);
    step.set(START.step);
    which.set(state.after);
    frame();
    draw();
  }

  function draw() {
    const { losses, least, p, logits, gradient } = forward(tensors, data, state),
      shares = p.map((value, i) => value - gradient[i]);
    p.forEach((value, i) =>
      set(columns[i], { y: bars.Y(Math.min(value, top)), height: bars.Y(0) - bars.Y(Math.min(value, top)) }),
    );
    set(marks, {
      d: shares
        .map((share, i) => {
          const [at, up] = [bars.X(i), bars.Y(share)];
          return `M${(at - wide / 2 - 1).toFixed(1)} ${up.toFixed(1)}H${(at + wide / 2 + 1).toFixed(1)}`;
        })
        .join(""),
    });
    name.textContent = `after ${state.step} steps`;
    set(line, { d: curve.curve(losses.map((loss, t) => [t, Math.min(loss, TOP)])) });
    set(dot, { cx: curve.X(state.step), cy: curve.Y(Math.min(losses[state.step], TOP)) });
    set(floor, {
      d: curve.curve([
        [0, least],
        [STEPS, least],
      ]),
    });
    const up = losses.slice(1).filter((loss, t) => loss > losses[t] + 1e-9).length,
      most = Math.max(...logits);
    say(
      `After ${state.step} steps the loss is ${fixed(losses[state.step], 3)} bits; the least possible is ${fixed(least, 3)}. ` +
        `The largest logit is ${fixed(most, 1)}. ` +
        (up ? `In ${up} of ${STEPS} steps the loss goes up.` : `The loss falls at every one of ${STEPS} steps.`),
    );
    publish({ ...state, loss: losses[state.step], least, p, logits, gradient });
  }

  frame();
  draw();
}
