import { button, choices, controls, slider, speaker, textbox, toggle } from "../kit/control.js";
import { element, fixed, set, shape } from "../kit/dom.js";
import { handle, plane } from "../kit/plane.js";
import { affine, dot, row } from "../kit/tensor.js";

const NEWLINE = "\u21b5";

/** RMSNorm of one vector. */
function norm(x, gain) {
  const size = Math.sqrt(dot(x, x) / x.length + 1e-5);
  return x.map((value, i) => (value / size) * gain.values[i]);
}

/** Rotary positions: pair i of a vector at position t, entries i and i + half, is turned by t times its speed. */
function rotate(x, t) {
  const half = x.length / 2;
  const turned = (i) => t * 10_000 ** (-i / half);
  return x.map((value, i) =>
    i < half
      ? value * Math.cos(turned(i)) - x[i + half] * Math.sin(turned(i))
      : x[i - half] * Math.sin(turned(i - half)) + value * Math.cos(turned(i - half)),
  );
}

/** What the last token meets in one head: the scores of all keys, and their values. */
function meet(tensors, data, tokens, head) {
  const normed = tokens.map((token) => norm(row(tensors["token.weight"], token), tensors["norm1.gain"]));
  const width = normed[0].length / data.heads;
  const shared = tensors["self_attn.k_proj.weight"].shape[0] / width; // heads of keys and values
  const group = Math.floor((head * shared) / data.heads);
  const part = (name, x, n) => affine(tensors[`self_attn.${name}_proj.weight`], x).slice(n * width, (n + 1) * width);
  const query = rotate(part("q", normed.at(-1), head), tokens.length - 1);
  const scores = normed.map((x, t) => dot(query, rotate(part("k", x, group), t)) / Math.sqrt(width));
  return { scores, values: normed.map((x) => part("v", x, group)) };
}

/**
 * input {tokens, head, size, rescale}: the scores, after each block of `size` keys the running maximum, the factor by
 * which earlier blocks were scaled, the running sum and the output so far; and the weights and output of attention.
 */
export function forward(tensors, data, { tokens, head, size, rescale }) {
  const { scores, values } = meet(tensors, data, tokens, head);
  const steps = [];
  let [max, sum] = [-Infinity, 0];
  let mixed = values[0].map(() => 0);
  for (let from = 0; from < scores.length; from += size) {
    const block = scores.slice(from, from + size);
    const higher = Math.max(max, ...block);
    const factor = max === -Infinity ? 0 : rescale ? Math.exp(max - higher) : 1;
    const powers = block.map((score) => Math.exp(score - higher));
    max = higher;
    sum = sum * factor + powers.reduce((a, b) => a + b, 0);
    mixed = mixed.map((value, i) => value * factor + powers.reduce((all, p, s) => all + p * values[from + s][i], 0));
    const total = sum;
    steps.push({ to: from + block.length, max, factor, sum, output: mixed.map((value) => value / total) });
  }
  const top = Math.max(...scores);
  const whole = scores.map((score) => Math.exp(score - top));
  const all = whole.reduce((a, b) => a + b, 0);
  const weights = whole.map((power) => power / all);
  const exact = values[0].map((_, i) => weights.reduce((done, w, s) => done + w * values[s][i], 0));
  return { scores, steps, weights, exact };
}

export function render({ root, width, data, tensors, publish }) {
  const alphabet = Array.from(data.alphabet);
  const start = { text: data.text, head: 0, size: 6, read: 1, rescale: true };
  let state = { ...start };
  let drawn = null;

  const line = controls(root);
  const box = textbox({
    parent: line,
    label: "Text; its last character asks",
    value: data.text.replaceAll("\n", NEWLINE),
    onInput: (typed) => take(typed.replaceAll(NEWLINE, "\n")),
  });
  const heads = choices({
    parent: line,
    label: "Head",
    options: Array.from({ length: data.heads }, (_, n) => [String(n), String(n + 1)]),
    value: "0",
    onChange: (head) => change({ head: Number(head) }),
  });
  const picture = element("div");
  const outputs = element("div");
  root.append(picture, outputs);
  const below = controls(root);
  const sizes = slider({
    parent: below,
    label: "Keys a block",
    min: 1,
    max: 16,
    step: 1,
    value: state.size,
    format: String,
    onInput: (size) => change({ size, read: Math.max(1, Math.round((state.read * state.size) / size)) }),
  });
  const honest = toggle({
    parent: below,
    label: "Scale down what was read when the maximum rises",
    value: true,
    onChange: (rescale) => change({ rescale }),
  });
  const next = button({ parent: below, label: "Next block", onPress: () => change({ read: state.read + 1 }) });
  button({
    parent: below,
    label: "Start again",
    onPress: () => {
      box.set(start.text.replaceAll("\n", NEWLINE));
      heads.set("0");
      sizes.set(start.size);
      honest.set(true);
      state = { ...start };
      draw();
    },
  });
  const table = element("table", { class: "modern-steps" });
  root.append(element("div", { class: "modern-scroll" }, table));
  const say = speaker({ parent: root, seen: true });

  function take(text) {
    const unknown = Array.from(text).filter((letter) => !alphabet.includes(letter));
    if (unknown.length || text.length < 2 || text.length > data.longest) {
      say(
        unknown.length
          ? `Unknown: ${unknown.join(" ")}. The model knows ${alphabet.filter((letter) => letter.trim()).join("")}.`
          : `From 2 to ${data.longest} characters, please.`,
      );
      return;
    }
    change({ text });
  }

  function change(changed) {
    const again = ["text", "head", "size"].some((name) => name in changed);
    state = { ...state, ...changed };
    const blocks = Math.ceil(state.text.length / state.size);
    state.read = Math.max(1, Math.min(blocks, state.read));
    if (again) draw();
    else show();
  }

  function draw() {
    const tokens = Array.from(state.text, (letter) => alphabet.indexOf(letter));
    const T = tokens.length;
    const { scores } = forward(tensors, data, { ...state, tokens });
    const low = Math.min(-0.5, ...scores);
    const high = Math.max(0.5, ...scores);
    picture.replaceChildren();
    const on = plane({
      parent: picture,
      width,
      height: 220,
      x: [0, T],
      y: [low - 0.15 * (high - low), high + 0.12 * (high - low)],
      yLabel: "score",
      yTicks: [0, Math.trunc(low), Math.trunc(high)].filter((tick, n, all) => all.indexOf(tick) === n),
      margin: { bottom: 26, left: 46, right: 12 },
    });
    const bars = scores.map((score, t) =>
      shape(on.svg, "rect", {
        class: "attention",
        x: on.X(t + 0.18),
        width: on.X(0.64) - on.X(0),
        y: on.Y(Math.max(score, 0)),
        height: Math.max(1, Math.abs(on.Y(score) - on.Y(0))),
      }),
    );
    tokens.forEach((token, t) => {
      const letter = alphabet[token] === "\n" ? NEWLINE : alphabet[token] === " " ? "\u00b7" : alphabet[token];
      shape(on.svg, "text", { x: on.X(t + 0.5), y: 216, "text-anchor": "middle", class: "letter" }, letter);
    });
    for (let end = state.size; end < T; end += state.size)
      shape(on.svg, "line", { class: "seam", x1: on.X(end), x2: on.X(end), y1: on.Y(on.y[0]), y2: on.Y(on.y[1]) });
    const top = shape(on.svg, "path", { class: "summary" });
    const edge = shape(on.svg, "line", { class: "edge", y1: on.Y(on.y[0]), y2: on.Y(on.y[1]) });
    const grip = handle({
      plane: on,
      at: [state.size, on.y[1] - 0.06 * (on.y[1] - on.y[0])],
      axis: "x",
      step: state.size,
      limits: [[Math.min(state.size, T), T], on.y],
      label: "Keys read so far",
      text: (x) => `${x} of ${T} keys`,
      onMove: (x) => change({ read: Math.round(x / state.size) }),
    });
    drawn = { on, bars, top, edge, grip, tokens };
    show();
  }

  function show() {
    const { on, bars, top, edge, grip, tokens } = drawn;
    const found = forward(tensors, data, { ...state, tokens });
    const steps = found.steps.slice(0, state.read);
    const now = steps.at(-1);
    bars.forEach((bar, t) => set(bar, { opacity: t < now.to ? 1 : 0.22 }));
    const path = steps.map(({ to, max }, n) => `${n ? "V" : `M${on.X(0)} `}${on.Y(max)}H${on.X(to)}`);
    set(top, { d: path.join("") });
    set(edge, { x1: on.X(now.to), x2: on.X(now.to) });
    grip.set(now.to, on.y[1] - 0.06 * (on.y[1] - on.y[0]));
    const error = Math.max(...now.output.map((value, i) => Math.abs(value - found.exact[i])));
    compare(now.output, found.exact);
    const cells = (kind, texts) => element("tr", {}, ...texts.map((text) => element(kind, {}, text)));
    table.replaceChildren(
      element("thead", {}, cells("th", ["after key", "maximum m", "earlier sums times", "sum \u2113"])),
      element(
        "tbody",
        {},
        ...steps.map(({ to, max, factor, sum }, n) =>
          cells("td", [String(to), fixed(max), n ? fixed(factor, 3) : "\u2013", fixed(sum, 3)]),
        ),
      ),
    );
    next.disabled = state.read === found.steps.length;
    const rest = tokens.length - now.to;
    const far =
      error < 1e-9 ? "The output is exactly that of attention." : `The output is off by up to ${fixed(error, 3)}.`;
    say(
      `${now.to} of ${tokens.length} keys are read: m = ${fixed(now.max)}, \u2113 = ${fixed(now.sum)}. ${far}` +
        (rest === 0 && error >= 1e-9 ? " Powers of different maxima have been added up." : ""),
    );
    const { text, head, size, read, rescale } = state;
    publish({ text, head, size, read, rescale, keys: now.to, max: now.max, sum: now.sum, error });
  }

  function compare(output, exact) {
    outputs.replaceChildren();
    const most = Math.max(...exact.map(Math.abs), ...output.map(Math.abs), 0.1);
    const on = plane({
      parent: outputs,
      width,
      height: 130,
      x: [0, exact.length],
      y: [-1.05 * most, 1.05 * most],
      yLabel: "output",
      yTicks: [[0, "0"]],
      margin: { bottom: 12, left: 46, right: 12 },
    });
    const bar = (value, i, inset, more) =>
      shape(on.svg, "rect", {
        x: on.X(i + inset),
        width: on.X(1 - 2 * inset) - on.X(0),
        y: on.Y(Math.max(value, 0)),
        height: Math.abs(on.Y(value) - on.Y(0)),
        ...more,
      });
    output.forEach((value, i) => bar(value, i, 0.22, { class: "summary" }));
    exact.forEach((value, i) => bar(value, i, 0.12, { class: "exact" }));
  }

  draw();
}
