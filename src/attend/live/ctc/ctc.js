import { button, choices, controls, slider, speaker, textbox } from "../kit/control.js";
import { clamp, element, fixed, set, shape } from "../kit/dom.js";
import { handle, plane } from "../kit/plane.js";
import { uniform } from "../kit/random.js";
import { row } from "../kit/tensor.js";

const BLANK = "_";
const COLOURS = ["input", "summary", "gate", "attention", "error"];
const name = (token) => (token === 0 ? BLANK : String(token - 1));

/** A blank before, between and behind the labels. */
const rows = (target) => [0, ...target.flatMap((token) => [token, 0])];

/** From where node n of the lattice can be reached: the same row, the one above, two above past a blank. */
const before = (tokens, n) =>
  [n, n - 1, n - 2].filter((m, skipped) => m >= 0 && (skipped < 2 || (tokens[n] !== 0 && tokens[n] !== tokens[m])));

/**
 * input {probs, target}: probabilities of the tokens in each frame (T, V), and the target's tokens (L). Returns alpha,
 * beta and the posterior of each node (T, N), the probability of the target, the loss, and its gradient with respect
 * to the logits (T, V). In float64 without logarithms: the frames here are few.
 */
export function forward(_tensors, _data, { probs, target }) {
  const tokens = rows(target);
  const [T, N] = [probs.length, tokens.length];
  const empty = () => probs.map(() => new Array(N).fill(0));
  const [alpha, beta] = [empty(), empty()];
  for (let t = 0; t < T; t++)
    for (let n = 0; n < N; n++) {
      const come = t === 0 ? Number(n < 2) : before(tokens, n).reduce((sum, m) => sum + alpha[t - 1][m], 0);
      alpha[t][n] = come * probs[t][tokens[n]];
    }
  for (let t = T - 1; t >= 0; t--)
    for (let n = 0; n < N; n++) {
      if (t === T - 1) beta[t][n] = Number(n >= N - 2);
      else
        for (let to = n; to < Math.min(N, n + 3); to++)
          if (before(tokens, to).includes(n)) beta[t][n] += beta[t + 1][to] * probs[t + 1][tokens[to]];
    }
  const p = alpha[T - 1][N - 1] + alpha[T - 1][N - 2];
  const posterior = alpha.map((nodes, t) => nodes.map((a, n) => (p > 0 ? (a * beta[t][n]) / p : 0)));
  const gradient = probs.map((frame, t) => {
    const found = p > 0 ? [...frame] : frame.map(() => 0);
    tokens.forEach((token, n) => {
      found[token] -= posterior[t][n];
    });
    return found;
  });
  return { alpha, beta, posterior, p, loss: p > 0 ? -Math.log(p) : -1, gradient };
}

const collapse = (path) => path.filter((token, t) => token !== 0 && token !== path[t - 1]);
const spell = (path) => path.map(name).join("");

/** A path drawn from all paths of the target, each as often as its probability says: the rows it passes through. */
function draw(probs, tokens, { beta }, next) {
  const path = [];
  for (let t = 0; t < probs.length; t++) {
    const from = path.at(-1);
    const open = tokens.map((token, n) => {
      const reached = t === 0 ? n < 2 : before(tokens, n).includes(from);
      return reached ? probs[t][token] * beta[t][n] : 0;
    });
    let rest = next() * open.reduce((a, b) => a + b, 0);
    let n = open.findIndex((weight) => {
      rest -= weight;
      return weight > 0 && rest <= 0;
    });
    if (n < 0) n = open.findLastIndex((weight) => weight > 0);
    path.push(n);
  }
  return path;
}

export function render({ root, width, data, tensors, publish }) {
  const table = (which) => Array.from({ length: tensors[which].shape[0] }, (_, t) => row(tensors[which], t));
  const first = { few: data.target, early: data.said, trained: data.said };
  let state = { which: "few", probs: table("few"), target: [1], frame: 1, path: null };
  let next = uniform(1);

  const line = controls(root);
  const whose = choices({
    parent: line,
    label: "Frames",
    options: [
      ["few", "three, by hand"],
      ["early", "a recording, early in training"],
      ["trained", "the same, trained"],
    ],
    value: "few",
    onChange: (which) => begin(which),
  });
  const box = textbox({
    parent: line,
    label: "Target digits",
    value: data.target,
    onInput: (typed) => take(typed),
  });
  const above = element("div");
  const below = element("div");
  root.append(above, below);
  const under = controls(root);
  const frames = slider({
    parent: under,
    label: "Frame",
    min: 1,
    max: state.probs.length,
    step: 1,
    value: state.frame + 1,
    format: (t) => `${t} of ${state.probs.length}`,
    onInput: (t) => choose(t - 1),
  });
  button({
    parent: under,
    label: "Light up a path",
    onPress: () => {
      const found = forward(tensors, data, state);
      state.path = found.p > 0 ? draw(state.probs, rows(state.target), found, next) : null;
      show();
    },
  });
  button({ parent: under, label: "Hear the recording", onPress: () => hear() });
  button({ parent: under, label: "Start again", onPress: () => begin(state.which) });
  const numbers = element("table", { class: "ctc-table" });
  root.append(element("div", { class: "ctc-scroll" }, numbers));
  const say = speaker({ parent: root, seen: true });
  let drawn = null;

  function begin(which) {
    next = uniform(1);
    state = { which, probs: table(which), target: tokensOf(first[which]), frame: which === "few" ? 1 : 5, path: null };
    whose.set(which);
    box.set(first[which]);
    set(frames.input, { max: state.probs.length });
    frames.set(state.frame + 1);
    lay();
  }

  function tokensOf(text) {
    return Array.from(text, (digit) => Number(digit) + 1);
  }

  function take(typed) {
    const text = typed.replaceAll(" ", "");
    if (!/^[0-9]+$/.test(text) || text.length > data.longest) {
      say(`From 1 to ${data.longest} digits, please.`);
      return;
    }
    state = { ...state, target: tokensOf(text), path: null };
    lay();
  }

  /** One token of the chosen frame gets the probability p, and the others share the rest as before. */
  function change(token, p) {
    const frame = state.probs[state.frame];
    const rest = 1 - frame[token];
    const probs = frame.map((value, k) =>
      k === token ? p : rest > 1e-9 ? (value * (1 - p)) / rest : (1 - p) / (frame.length - 1),
    );
    state.probs = state.probs.map((old, t) => (t === state.frame ? probs : old));
    state.path = null;
    show();
  }

  function hear() {
    const Sound = window.AudioContext;
    if (!Sound) {
      say("This browser plays no sound.");
      return;
    }
    const context = new Sound();
    const samples = tensors.sound.values;
    const buffer = context.createBuffer(1, samples.length, data.rate);
    buffer.getChannelData(0).set(Float32Array.from(samples, (sample) => sample / 127.5 - 1));
    const source = context.createBufferSource();
    source.buffer = buffer;
    source.connect(context.destination);
    source.onended = () => context.close();
    source.start();
    say("You hear the recording.");
  }

  /** The picture's parts that hang on frames and target: laid out anew. */
  function lay() {
    const tokens = rows(state.target);
    const [T, N] = [state.probs.length, tokens.length];
    above.replaceChildren();
    below.replaceChildren();
    const x = [-0.5, T - 0.5];
    const margin = { left: 46, right: 12 };
    const height = Math.max(150, Math.min(30 * N, 420)) + 24;
    const every = T > 12 ? 5 : 1;
    const ticks = state.probs.flatMap((_, t) => ((t + 1) % every === 0 || t === 0 ? [[t, String(t + 1)]] : []));
    const lattice = plane({
      parent: above,
      width,
      height,
      x,
      y: [N - 0.5, -0.5],
      yTicks: tokens.map((token, n) => [n, name(token)]),
      margin: { ...margin, bottom: 8, top: 8 },
    });
    const band = shape(lattice.svg, "rect", { class: "now", y: lattice.Y(-0.5), height: lattice.Y(N - 0.5) - 8 });
    const edges = lattice.layer("edges");
    const lit = shape(lattice.svg, "path", { class: "lit" });
    const dots = state.probs.map((_, t) =>
      tokens.map((token, n) => {
        const dot = shape(lattice.svg, "circle", {
          class: token ? COLOURS[kinds().indexOf(token) % COLOURS.length] : "rival",
          cx: lattice.X(t),
          cy: lattice.Y(n),
        });
        return { dot, title: shape(dot, "title", {}, "") };
      }),
    );
    const probabilities = plane({
      parent: below,
      width,
      height: 190,
      x,
      y: [0, 1],
      xTicks: ticks,
      yTicks: [0, [0.5, "0.5"], 1],
      xLabel: "frame",
      yLabel: "probability",
      margin,
    });
    const mark = shape(probabilities.svg, "line", { class: "at", y1: probabilities.Y(0), y2: probabilities.Y(1) });
    const shown = [0, ...kinds()];
    const curves = shown.map((token) => ({
      token,
      path: shape(probabilities.svg, "path", { class: colour(token) }),
      label: shape(probabilities.svg, "text", { class: colour(token) }, name(token)),
      grip: handle({
        plane: probabilities,
        at: [state.frame, state.probs[state.frame][token]],
        axis: "y",
        step: 0.01,
        radius: 8,
        reach: 14,
        kind: colour(token),
        label: `Probability of ${token ? name(token) : "the blank"} in frame ${state.frame + 1}`,
        limits: [x, [0, 1]],
        onMove: (_, p) => change(token, p),
      }),
    }));
    for (const on of [lattice, probabilities])
      on.svg.addEventListener("pointerdown", (event) => {
        if (!event.target.closest(".handle")) choose(clamp(Math.round(on.invert(event)[0]), 0, T - 1));
      });
    drawn = { lattice, band, edges, lit, dots, probabilities, mark, curves, tokens };
    show();
  }

  function choose(frame) {
    if (frame === state.frame) return;
    state.frame = frame;
    frames.set(frame + 1);
    lay();
  }

  const kinds = () => [...new Set(state.target)];
  const colour = (token) => (token ? COLOURS[kinds().indexOf(token) % COLOURS.length] : "rival");

  function show() {
    const { lattice, band, edges, lit, dots, probabilities, mark, curves, tokens } = drawn;
    const { probs, frame, target } = state;
    const found = forward(tensors, data, { probs, target });
    const half = (lattice.X(1) - lattice.X(0)) / 2;
    const apart = lattice.Y(1) - lattice.Y(0);
    const most = Math.min(11, half * 0.9, apart * 0.45);
    set(band, { x: lattice.X(frame) - half, width: 2 * half });
    dots.forEach((column, t) =>
      column.forEach(({ dot, title }, n) => {
        set(dot, { r: Math.max(1.2, most * Math.sqrt(found.posterior[t][n])) });
        title.textContent = `frame ${t + 1}, ${name(tokens[n])}: ${fixed(found.posterior[t][n], 3)}`;
      }),
    );
    edges.replaceChildren();
    for (let t = 1; t < probs.length; t++)
      tokens.forEach((token, n) =>
        before(tokens, n).forEach((m) => {
          const share = found.p > 0 ? (found.alpha[t - 1][m] * probs[t][token] * found.beta[t][n]) / found.p : 0;
          if (share < 0.002) return;
          shape(edges, "line", {
            x1: lattice.X(t - 1),
            y1: lattice.Y(m),
            x2: lattice.X(t),
            y2: lattice.Y(n),
            opacity: fixed(Math.sqrt(share), 2),
          });
        }),
      );
    set(lit, { d: state.path ? lattice.curve(state.path.map((n, t) => [t, n])) : "" });
    set(mark, { x1: probabilities.X(frame), x2: probabilities.X(frame) });
    for (const { token, path, label, grip } of curves) {
      set(path, { d: probabilities.curve(probs.map((values, t) => [t, values[token]])) });
      grip.set(frame, probs[frame][token]);
      const high = probs.reduce((best, values, t) => (values[token] > probs[best][token] ? t : best), 0);
      set(label, { x: probabilities.X(high), y: probabilities.Y(probs[high][token]) - 10, "text-anchor": "middle" });
    }
    list(found);
    tell(found);
  }

  function list({ posterior, gradient }) {
    const { probs, frame } = state;
    const cells = (kind, texts) => element("tr", {}, ...texts.map((text) => element(kind, {}, text)));
    const share = (token) =>
      drawn.tokens.reduce((sum, other, n) => sum + (other === token ? posterior[frame][n] : 0), 0);
    numbers.replaceChildren(
      element("thead", {}, cells("th", [`frame ${frame + 1}`, "probability", "posterior", "gradient"])),
      element(
        "tbody",
        {},
        ...[0, ...kinds()].map((token) =>
          cells("td", [
            name(token),
            fixed(probs[frame][token], 3),
            fixed(share(token), 3),
            fixed(gradient[frame][token], 3),
          ]),
        ),
      ),
    );
  }

  function tell({ p, loss, alpha, beta }) {
    const { probs, target, frame, path, which } = state;
    const best = probs.map((values) => values.indexOf(Math.max(...values)));
    const text = target.map(name).join("");
    const small = p > 0 && p < 5e-4 ? `e^${fixed(-loss, 1)}` : fixed(p, 3);
    const sum = p > 0 ? `p(${text}) = ${small}, loss ${fixed(loss)}.` : `No path says ${text}: its probability is 0.`;
    const share = path ? (100 * path.reduce((all, n, t) => all * probs[t][drawn.tokens[n]], 1)) / p : 0;
    const percent = share < 0.05 ? "less than 0.1 %" : `${fixed(share, 1)} %`;
    const lit = path ? ` The lit path, ${spell(path.map((n) => drawn.tokens[n]))}, has ${percent} of it.` : "";
    say(`${sum} The best path, ${spell(best)}, says ${collapse(best).map(name).join("") || "nothing"}.${lit}`);
    publish({
      which,
      target: text,
      frame: frame + 1,
      p,
      loss,
      probs: probs[frame],
      path: path ? spell(path.map((n) => drawn.tokens[n])) : "",
      nodes: alpha[frame].map((a, n) => a * beta[frame][n]),
    });
  }

  begin("few");
}
