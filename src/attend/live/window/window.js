import { button, controls, slider, speaker, textbox } from "../kit/control.js";
import { element, fixed, set, shape } from "../kit/dom.js";
import { play } from "../kit/play.js";
import { uniform } from "../kit/random.js";
import { affine, argmax, sigmoid, softmax, tanh } from "../kit/tensor.js";

const FLOOR = 0.04;

/** One step of the LSTM: x and h are arrays, the cell too. */
function lstm(tensors, x, h, cell) {
  const H = h.length;
  const one = affine(tensors["lstm.weight_ih"], x, tensors["lstm.bias_ih"]);
  const two = affine(tensors["lstm.weight_hh"], h, tensors["lstm.bias_hh"]);
  const sums = one.map((value, i) => value + two[i]);
  const part = (n) => sums.slice(n * H, (n + 1) * H);
  const [input, forget, candidate, output] = [sigmoid(part(0)), sigmoid(part(1)), tanh(part(2)), sigmoid(part(3))];
  const next = cell.map((value, i) => forget[i] * value + input[i] * candidate[i]);
  return [next.map((value, i) => output[i] * Math.tanh(value)), next];
}

/** One step of the window over U letters: the weights of the letters, and where the Gaussians stand now. */
function look(tensors, h, kappa, U) {
  const K = kappa.length;
  const made = affine(tensors["window.linear.weight"], h, tensors["window.linear.bias"]).map(Math.exp);
  const moved = kappa.map((at, k) => at + made[2 * K + k]);
  const phi = Array.from({ length: U }, (_, u) =>
    moved.reduce((sum, at, k) => sum + made[k] * Math.exp(-made[K + k] * (at - u) ** 2), 0),
  );
  return [phi, moved];
}

/** A pen step [dx, dy, lift] drawn from what the network puts out. */
function drawStep(output, bias, next) {
  const M = (output.length - 1) / 6;
  const part = (n) => output.slice(n * M, (n + 1) * M);
  const shares = softmax(part(0).map((value) => value * (1 + bias)));
  let left = next();
  let k = shares.findIndex((share) => {
    left -= share;
    return left < 0;
  });
  if (k < 0) k = argmax(shares);
  const far = Math.sqrt(-2 * Math.log(1 - next()));
  const turn = 2 * Math.PI * next();
  const [a, b] = [far * Math.cos(turn), far * Math.sin(turn)];
  const [sx, sy] = [3, 4].map((n) => Math.exp(part(n)[k] - bias) + FLOOR);
  const rho = 0.95 * Math.tanh(part(5)[k]);
  const up = sigmoid([output.at(-1) * (1 + bias)])[0];
  return [part(1)[k] + sx * a, part(2)[k] + sy * (rho * a + Math.sqrt(1 - rho * rho) * b), next() < up ? 1 : 0];
}

/**
 * input {text, bias, seed}: text holds the tokens of the letters, and END behind them. Comes back with the pen steps
 * until the window is on END and the pen is lifted, and what the network put out, φ and κ at each.
 */
export function forward(tensors, data, { text, bias, seed }) {
  const next = uniform(seed);
  const H = tensors["lstm.weight_hh"].shape[1];
  const K = tensors["window.linear.weight"].shape[0] / 3;
  const V = data.alphabet.length;
  const zeros = (n) => new Array(n).fill(0);
  let [h, cell, w, kappa, x] = [zeros(H), zeros(H), zeros(V), zeros(K), [0, 0, 1]];
  const made = { pen: [], outputs: [], phi: [], kappa: [] };
  for (let t = 0; t < 40 * text.length; t++) {
    [h, cell] = lstm(tensors, [...x, ...w], h, cell);
    let phi;
    [phi, kappa] = look(tensors, h, kappa, text.length);
    w = zeros(V);
    for (const [u, token] of text.entries()) w[token] += phi[u];
    const output = affine(tensors["output.weight"], [...h, ...w], tensors["output.bias"]);
    x = drawStep(output, bias, next);
    made.pen.push(x);
    made.outputs.push(output);
    made.phi.push(phi);
    made.kappa.push(kappa);
    if (argmax(phi) === text.length - 1 && x[2] === 1) break;
  }
  return made;
}

/** Where the pen is after each step, and the strokes: a stroke is the list of its steps. */
function traced(pen) {
  let [x, y] = [0, 0];
  const points = pen.map(([dx, dy]) => [(x += dx), (y += dy)]);
  const strokes = [[]];
  for (const [t, step] of pen.entries()) {
    strokes.at(-1).push(t);
    if (step[2] === 1) strokes.push([]);
  }
  return { points, strokes: strokes.filter((stroke) => stroke.length) };
}

export function render({ root, width, data, tensors, publish }) {
  const alphabet = Array.from(data.alphabet);
  const start = { word: data.word, bias: 1, seed: 1 };
  let state = { ...start };
  let drawn = null;
  let playing = null;

  const line = controls(root);
  const box = textbox({ parent: line, label: "Word", value: data.word, onInput: take });
  box.input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") write();
  });
  slider({
    parent: line,
    label: "Neatness (bias)",
    min: 0,
    max: 3,
    step: 0.25,
    value: state.bias,
    format: (value) => fixed(value),
    onInput: (bias) => {
      state.bias = bias;
      compute();
      show(drawn.made.pen.length - 1);
    },
  });
  button({ parent: line, label: "Write", onPress: () => write() });
  const picture = element("div");
  root.append(picture);
  const below = controls(root);
  const bar = element("div", { class: "window-steps" });
  below.append(bar);
  const say = speaker({ parent: root, seen: true });
  let steps = null;

  function take(typed) {
    const word = typed.trim().toLowerCase();
    const odd = Array.from(word).filter((letter) => !alphabet.slice(1).includes(letter));
    if (odd.length || !word || word.length > data.longest) {
      say(odd.length ? "It has learned the letters from a to z." : `From 1 to ${data.longest} letters, please.`);
      return;
    }
    state = { ...state, word };
    compute();
    show(drawn.made.pen.length - 1);
  }

  function write() {
    playing?.stop();
    state.seed += 1;
    compute();
    playing = play({ steps: drawn.made.pen.length, every: 28, onStep: show });
  }

  function compute() {
    playing?.stop();
    const text = [...Array.from(state.word, (letter) => alphabet.indexOf(letter)), 0];
    const made = forward(tensors, data, { text, bias: state.bias, seed: state.seed });
    const { points, strokes } = traced(made.pen);
    const on = made.phi.map(argmax); // the letter that each step is written for

    picture.replaceChildren();
    const [top, paper] = [112, 150];
    const svg = shape(picture, "svg", { viewBox: `0 0 ${width} ${top + paper}`, width, height: top + paper });
    const gap = Math.min(46, (width - 24) / text.length);
    const left = (width - gap * text.length) / 2;
    const X = (u) => left + gap * (u + 0.5);
    const bars = text.map((token, u) => {
      shape(
        svg,
        "text",
        { x: X(u), y: 86, "text-anchor": "middle", class: "window-letter" },
        token ? alphabet[token] : "\u25aa",
      );
      return shape(svg, "rect", { class: "attention", x: X(u) - gap * 0.3, width: gap * 0.6, y: 62, height: 0, rx: 2 });
    });
    const marks = made.kappa[0].map(() => shape(svg, "path", { class: "input", d: "M0 0L5 9L-5 9Z" }));

    const xs = points.map((point) => point[0]);
    const ys = points.map((point) => point[1]);
    const [x0, x1, y0, y1] = [Math.min(0, ...xs), Math.max(1, ...xs), Math.min(-1, ...ys), Math.max(4, ...ys)];
    const size = Math.min((width - 32) / (x1 - x0), (paper - 28) / (y1 - y0), 16);
    const mid = [width / 2 - (size * (x0 + x1)) / 2, top + paper / 2 + (size * (y0 + y1)) / 2];
    const at = (t) => [mid[0] + size * points[t][0], mid[1] - size * points[t][1]];
    shape(svg, "line", { class: "window-base", x1: 8, x2: width - 8, y1: mid[1], y2: mid[1] });
    const inks = [];
    for (const stroke of strokes) {
      for (const [n, t] of stroke.entries()) {
        const [before, here] = [at(stroke[Math.max(0, n - 1)]), at(t)];
        const [earlier, later] = [at(stroke[Math.max(0, n - 2)]), at(stroke[Math.min(stroke.length - 1, n + 1)])];
        const bend = (i) => [before[i] + (here[i] - earlier[i]) / 6, here[i] - (later[i] - before[i]) / 6];
        const [cx, cy] = [bend(0), bend(1)];
        const d = n
          ? `M${before}C${cx[0]},${cy[0]} ${cx[1]},${cy[1]} ${here}`
          : stroke.length === 1 && on[t] < text.length - 1
            ? `M${here}h0.01`
            : "";
        inks[t] = shape(svg, "path", { class: "window-ink", d });
      }
    }
    const tip = shape(svg, "circle", { class: "window-tip", r: 5 });
    drawn = { made, text, on, bars, marks, inks, tip, at, X };
    bar.replaceChildren();
    steps = slider({
      parent: bar,
      label: "Pen step",
      min: 1,
      max: made.pen.length,
      step: 1,
      value: made.pen.length,
      format: (value) => `${value} of ${made.pen.length}`,
      onInput: (value) => {
        playing?.stop();
        show(value - 1);
      },
    });
  }

  function show(t) {
    const { made, text, on, bars, marks, inks, tip, at, X } = drawn;
    const phi = made.phi[t];
    bars.forEach((made, u) => {
      const height = Math.min(60, 40 * phi[u]);
      set(made, { y: 64 - height, height: Math.max(0.5, height) });
    });
    marks.forEach((mark, k) => {
      const last = X(text.length - 1) + (X(1) - X(0)) / 2;
      set(mark, { transform: `translate(${Math.min(X(0) + made.kappa[t][k] * (X(1) - X(0)), last)} 94)` });
    });
    for (const [n, ink] of inks.entries()) set(ink, { class: inkOf(n) });
    const [x, y] = at(t);
    set(tip, { cx: x, cy: y });
    if (steps.value() !== t + 1) steps.set(t + 1);
    const sum = phi.reduce((a, b) => a + b, 0);
    const letter = text[on[t]] ? `the ${alphabet[text[on[t]]]}` : "the end";
    if (t === made.pen.length - 1) {
      const stopped = on[t] === text.length - 1 && made.pen[t][2] === 1;
      say(
        `${state.word}, in ${t + 1} pen steps. ${stopped ? "The window has reached the end, and the pen is lifted." : "It has not found the end."}`,
      );
    } else say(`The window is on ${letter}; its weights sum to ${fixed(sum)}.`);
    publish({ ...state, step: t + 1, steps: made.pen.length, on: on[t], sum });

    function inkOf(n) {
      return `window-ink${n > t ? " window-ahead" : on[n] === on[t] && t < made.pen.length - 1 ? " window-now" : ""}`;
    }
  }

  compute();
  show(Math.round(0.55 * drawn.made.pen.length));
}
