import { button, choices, controls, speaker, toggle } from "../kit/control.js";
import { element, fixed, set, shape } from "../kit/dom.js";
import { handle, plane } from "../kit/plane.js";
import { add, affine, argmax, dot, row, softmax, tanh } from "../kit/tensor.js";

const WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];

/** The place up to which half of the weight stands. */
function median(weights) {
  let [sum, place] = [0, 0];
  for (const weight of weights) {
    sum += weight;
    if (sum >= 0.5) break;
    place += 1;
  }
  return Math.min(place, weights.length - 1);
}

/** Last weights, moved until their median stands on `place`; what leaves the recording is lost. */
function moved(weights, place) {
  const by = place - median(weights);
  const shifted = weights.map((_, j) => weights[j - by] ?? 0);
  const sum = shifted.reduce((a, b) => a + b, 0);
  return shifted.map((weight) => weight / sum);
}

/** The next weights of one kind of attention over the states h. */
function attend(tensors, kind, states, state, last, reach) {
  const part = (name) => tensors[`${kind}.attention.${name}`];
  const query = affine(part("query_proj.weight"), state, part("query_proj.bias"));
  const score = row(part("score.weight"), 0);
  const filters = part("convolve.weight");
  const half = filters ? (filters.shape[2] - 1) / 2 : 0;
  const centre = median(last);
  const scores = states.map((h, j) => {
    if (reach !== null && Math.abs(j - centre) > reach) return -Infinity;
    let hidden = add(query, affine(part("key_proj.weight"), h));
    if (filters) {
      const near = [];
      for (let r = j - half; r <= j + half; r++) near.push(last[r] ?? 0);
      const [C, , width] = filters.shape;
      const f = Array.from({ length: C }, (_, c) => dot(near, filters.values.subarray(c * width, (c + 1) * width)));
      hidden = add(hidden, affine(part("place_proj.weight"), f));
    }
    return dot(score, tanh(hidden));
  });
  return softmax(scores);
}

/** One step of torch's GRUCell. */
function cell(tensors, kind, x, h) {
  const part = (name) => tensors[`${kind}.decoder.${name}`];
  const heard = affine(part("weight_ih"), x, part("bias_ih"));
  const recalled = affine(part("weight_hh"), h, part("bias_hh"));
  const H = h.length;
  const gate = (n) => 1 / (1 + Math.exp(-heard[n] - recalled[n]));
  return h.map((old, n) => {
    const update = gate(H + n);
    return (1 - update) * Math.tanh(heard[2 * H + n] + gate(n) * recalled[2 * H + n]) + update * old;
  });
}

/**
 * input {kind, recording, steps, place, reach}: `steps` greedy steps. For the last of them the weights before it are
 * moved until their median stands on `place` (null: not at all). Gives for each step the last weights, the next ones,
 * the token and its probability; it stops where the end is written.
 */
export function forward(tensors, data, { kind, recording, steps, place, reach }) {
  const h = tensors[`${kind}.states${recording}`];
  const states = Array.from({ length: h.shape[0] }, (_, j) => row(h, j));
  let state = new Array(tensors[`${kind}.decoder.weight_hh`].shape[1]).fill(0);
  let last = states.map((_, j) => (j === 0 ? 1 : 0));
  const done = [];
  for (let i = 0; i < steps; i++) {
    if (i === steps - 1 && place !== null) last = moved(last, place);
    const weights = attend(tensors, kind, states, state, last, reach);
    const context = states[0].map((_, k) => states.reduce((sum, one, j) => sum + weights[j] * one[k], 0));
    const layer = (name, x) => affine(tensors[`${kind}.${name}.weight`], x, tensors[`${kind}.${name}.bias`]);
    const probs = softmax(layer("readout", tanh(layer("hidden", context))));
    const token = argmax(probs);
    done.push({ last, weights, token, probability: probs[token], from: median(last), at: argmax(weights) });
    if (token === 0) break;
    state = cell(tensors, kind, [...context, ...row(tensors[`${kind}.embed.weight`], token)], state);
    last = weights;
  }
  return { steps: done };
}

export function render({ root, width, data, tensors, publish }) {
  const start = { kind: "hybrid", recording: 0, steps: 2, place: null, window: false };
  let state = { ...start };
  let drawn = null;

  const line = controls(root);
  const kinds = choices({
    parent: line,
    label: "Attention",
    options: [
      ["content", "by content"],
      ["hybrid", "hybrid"],
    ],
    value: start.kind,
    onChange: (kind) => change({ kind }),
  });
  const recordings = choices({
    parent: line,
    label: "Recording",
    options: data.said.map((said, n) => [String(n), said]),
    value: "0",
    onChange: (n) => change({ recording: Number(n), steps: 1, place: null }),
  });
  const picture = element("div");
  root.append(picture);
  const written = element("p", { class: "hybrid-written" });
  root.append(written);
  const below = controls(root);
  const next = button({
    parent: below,
    label: "Next digit",
    onPress: () => change({ steps: state.steps + 1, place: null }),
  });
  const back = button({
    parent: below,
    label: "One back",
    onPress: () => change({ steps: Math.max(1, state.steps - 1), place: null }),
  });
  const windowed = toggle({
    parent: below,
    label: `Window of ${data.reach} places each way`,
    value: start.window,
    onChange: (on) => change({ window: on }),
  });
  button({
    parent: below,
    label: "Start again",
    onPress: () => {
      state = { ...start };
      kinds.set(start.kind);
      recordings.set("0");
      windowed.set(start.window);
      draw();
    },
  });
  const say = speaker({ parent: root, seen: true });

  function change(changed) {
    const again = "recording" in changed;
    state = { ...state, ...changed };
    if (again) draw();
    else show();
  }

  function draw() {
    const x = tensors[`x${state.recording}`];
    const [T, bands] = x.shape;
    const S = tensors[`hybrid.states${state.recording}`].shape[0];
    picture.replaceChildren();
    const seconds = Math.floor((S * 2) / 50);
    const every = seconds > 2 ? 1 : 0.5;
    const ticks = [];
    for (let at = 0; at <= (S * 2) / 50; at += every) ticks.push([at * 25, fixed(at, every < 1 ? 1 : 0)]);
    const on = plane({
      parent: picture,
      width,
      height: 300,
      x: [0, S],
      y: [-0.75, 1.12],
      xLabel: "seconds",
      yLabel: "sound and weights",
      xTicks: ticks,
      yTicks: [
        [0, "0"],
        [1, "1"],
      ],
    });
    const sound = on.layer("hybrid-sound");
    for (let t = 0; t < T; t += 2)
      for (let b = 0; b < bands; b += 2) {
        const loud = Math.max(x.values[t * bands + b], x.values[t * bands + b + 1]) / 255;
        if (loud > 0.08)
          shape(sound, "rect", {
            x: on.X(t / 2),
            width: on.X(1) - on.X(0) + 0.3,
            y: on.Y(-0.72 + (0.66 * (b + 2)) / bands),
            height: on.Y(0) - on.Y((0.66 * 2) / bands) + 0.3,
            class: "input",
            opacity: loud.toFixed(2),
          });
      }
    const bars = Array.from({ length: S }, (_, j) =>
      shape(on.svg, "rect", { class: "attention", x: on.X(j + 0.1), width: on.X(0.8) - on.X(0) }),
    );
    const dashed = shape(on.svg, "path", { class: "hybrid-last" });
    const grip = handle({
      plane: on,
      at: [0.5, 1.04],
      axis: "x",
      step: 1,
      limits: [[0, S - 1], on.y],
      label: "Where the last weights stand",
      text: (place) => `place ${Math.round(place) + 1} of ${S}`,
      onMove: (place) => change({ place: Math.round(place) }),
    });
    drawn = { on, bars, dashed, grip };
    show();
  }

  function show() {
    const { on, bars, dashed, grip } = drawn;
    const reach = state.window ? data.reach : null;
    const { steps } = forward(tensors, data, { ...state, reach });
    state.steps = steps.length;
    const { last, weights, token, probability, from, at } = steps.at(-1);
    bars.forEach((bar, j) => set(bar, { y: on.Y(weights[j]), height: Math.max(0.5, on.Y(0) - on.Y(weights[j])) }));
    const outline = [[0, 0]];
    last.forEach((weight, j) => outline.push([j, weight], [j + 1, weight]));
    set(dashed, { d: on.curve([...outline, [last.length, 0]]) });
    grip.set(from, 1.04);
    const digits = steps.map((step) => (step.token ? String(step.token - 1) : "END"));
    const said = data.said[state.recording];
    written.replaceChildren(
      element("span", { class: "name" }, "said "),
      said,
      element("span", { class: "name" }, " written "),
      digits.join(" "),
    );
    next.disabled = token === 0 || steps.length > 2 * said.length + 4;
    back.disabled = steps.length === 1;
    const heard = token ? WORDS[token - 1] : "the end";
    say(
      `Step ${steps.length}: the last weights stand at place ${from + 1}, the next are largest at place ${at + 1}, ` +
        `and it hears ${heard} (${fixed(100 * probability, 0)} %).`,
    );
    const { kind, recording, place, window: on_ } = state;
    publish({ kind, recording, place, window: on_, steps: steps.length, from, at, written: digits.join("") });
  }

  draw();
}
