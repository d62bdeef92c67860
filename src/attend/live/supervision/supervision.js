import { choices, controls, speaker, textbox } from "../kit/control.js";
import { element, fixed, set, shape, within } from "../kit/dom.js";
import { handle, plane } from "../kit/plane.js";
import { add, affine, dot, row, sigmoid, tanh } from "../kit/tensor.js";

const MOST = 40,
  LEFT = 72,
  RIGHT = 14;

/** The words of a text, as the model was trained to see them. */
const split = (text) =>
  text
    .toLowerCase()
    .replaceAll("\u2019", "'")
    .match(/[a-z]+(?:'[a-z]+)?|[0-9]+|[!?.,;:]/g) ?? [];

/** input {text}: its words, which are known, the hidden state after each, and the logit of "positive" so far. */
export function forward(tensors, data, { text }) {
  const { E, W, U, b, head, bias } = tensors,
    vocabulary = data.words.split(" ");
  const words = split(text),
    tokens = words.map((word) => Math.max(vocabulary.indexOf(word), 0));
  let h = new Array(U.shape[0]).fill(0),
    total = h;
  const hidden = [],
    logits = [];
  tokens.forEach((token, t) => {
    h = tanh(add(affine(W, row(E, token), b), affine(U, h)));
    total = add(total, h);
    hidden.push(h);
    logits.push(dot(total, head.values) / (t + 1) + bias.values[0]);
  });
  return { words, known: tokens.map((token) => token > 0), hidden, logits };
}

export function render({ root, width, data, tensors, publish }) {
  const H = tensors.U.shape[0],
    weights = Array.from(tensors.head.values);
  const order = weights.map((_, unit) => unit).sort((i, j) => weights[j] - weights[i]);
  const strongest = Math.max(...weights.map(Math.abs));
  const side = Math.min(width, 640),
    cell = 5,
    high = 190;
  let result,
    at = 0,
    dotOnCurve,
    cells,
    cursor,
    label;

  const line = controls(root);
  const box = textbox({
    parent: line,
    label: "A sentence",
    value: data.examples[0],
    onInput: (text) => {
      pick.set(text);
      read(text);
    },
  });
  const pick = choices({
    parent: controls(root),
    label: "Or",
    options: data.examples.map((text) => [text, text]),
    value: data.examples[0],
    onChange: (text) => {
      box.set(text);
      read(text);
    },
  });
  const sentence = element("p", { class: "sentence", "aria-hidden": "true" });
  const stage = element("div");
  root.append(sentence, stage);
  const say = speaker({ parent: root, seen: true });

  function read(text) {
    const words = split(text);
    result = forward(tensors, data, { text: words.slice(0, MOST).join(" ") });
    at = result.words.length - 1;
    sentence.replaceChildren(
      ...result.words.flatMap((word, t) => {
        const made = element("span", { class: result.known[t] ? "word" : "word unknown" }, word);
        made.addEventListener("pointerdown", () => move(t));
        return /^[!?.,;:]$/.test(result.words[t + 1]) ? [made] : [made, " "];
      }),
      words.length > MOST ? `(only the first ${MOST} words are read)` : "",
    );
    stage.replaceChildren();
    if (at >= 0) drawCurve();
    if (at >= 0) drawStrip();
    show();
  }

  const positive = (t) => sigmoid([result.logits[t]])[0];

  function drawCurve() {
    const n = result.words.length;
    const board = plane({
      parent: stage,
      width: side,
      height: high,
      x: [-0.5, n - 0.5],
      y: [0, 1],
      yLabel: "so far",
      yTicks: [
        [0, "negative"],
        [0.5, "even"],
        [1, "positive"],
      ],
      margin: { left: LEFT, right: RIGHT, bottom: 30 },
    });
    const even = board.Y(0.5),
      column = board.X(1) - board.X(0);
    shape(board.svg, "path", {
      d: `M${LEFT} ${even}H${side - RIGHT}`,
      style: "stroke:var(--line);stroke-dasharray:3 4",
    });
    shape(board.svg, "path", { class: "summary", d: board.curve(result.words.map((_, t) => [t, positive(t)])) });
    result.words.forEach((_, t) =>
      shape(board.svg, "circle", { class: "summary", r: n > 24 ? 2 : 3.5, cx: board.X(t), cy: board.Y(positive(t)) }),
    );
    const fits = result.words.every((word) => word.length * 7.6 + 6 < column);
    if (fits)
      result.words.forEach((word, t) =>
        shape(board.svg, "text", { x: board.X(t), y: high - 10, "text-anchor": "middle", class: "quiet" }, word),
      );
    label = fits ? null : shape(board.svg, "text", { y: high - 10 });
    dotOnCurve = handle({
      plane: board,
      at: [at, positive(at)],
      axis: "x",
      step: 1,
      kind: "summary",
      label: "Word",
      limits: [
        [0, n - 1],
        [0, 1],
      ],
      text: (t) => `${result.words[t]}, word ${t + 1} of ${n}`,
      onMove: (t) => move(t),
    });
    hover(board.svg);
  }

  function drawStrip() {
    const n = result.words.length,
      step = (side - LEFT - RIGHT) / n;
    const svg = shape(stage, "svg", {
      viewBox: `0 0 ${side} ${H * cell + 20}`,
      width: side,
      height: H * cell + 20,
      "aria-hidden": "true",
    });
    const names = shape(svg, "g", { class: "axes" });
    shape(
      names,
      "text",
      { transform: `translate(13 ${(H * cell) / 2}) rotate(-90)`, "text-anchor": "middle" },
      `hidden state, ${H} numbers`,
    );
    cells = shape(svg, "g", { class: "cells" });
    result.hidden.forEach((h, t) =>
      order.forEach((unit, place) => {
        const pull = (h[unit] * weights[unit]) / strongest;
        shape(cells, "rect", {
          class: pull > 0 ? "summary" : "error",
          x: LEFT + t * step,
          y: place * cell,
          width: Math.max(step - 1, 1),
          height: cell - 0.5,
          style: `fill-opacity:${Math.abs(pull).toFixed(3)}`,
        });
      }),
    );
    cursor = shape(svg, "rect", {
      y: -1,
      width: step + 1,
      height: H * cell + 2,
      style: "fill:none;stroke:var(--ink);stroke-width:1.5",
    });
    const key = shape(svg, "g", { class: "axes" });
    shape(key, "text", { x: LEFT, y: H * cell + 16, class: "summary" }, "\u25a0 speaks for it");
    shape(key, "text", { x: LEFT + 112, y: H * cell + 16, class: "error" }, "\u25a0 speaks against it");
    hover(svg);
  }

  function hover(svg) {
    const find = (event) => {
      const x = within(svg, event)[0] * side;
      move(Math.floor(((x - LEFT) / (side - LEFT - RIGHT)) * result.words.length));
    };
    svg.addEventListener("pointermove", (event) => {
      if (event.pointerType === "mouse" && !event.buttons) find(event);
    });
    svg.addEventListener("click", find);
  }

  function move(to) {
    at = Math.max(0, Math.min(result.words.length - 1, to));
    show();
  }

  function show() {
    const n = result.words.length;
    if (n === 0) {
      say("No words yet.");
      publish({ words: [], at: -1, positive: [] });
      return;
    }
    const word = result.words[at],
      step = (side - LEFT - RIGHT) / n;
    dotOnCurve.set(at, positive(at));
    set(cursor, { x: LEFT + at * step - 0.5 });
    Array.from(sentence.children).forEach((made, t) => made.classList.toggle("now", t === at));
    if (label) {
      const x = LEFT + (at + 0.5) * step,
        half = word.length * 4;
      set(label, { x: Math.max(LEFT + half, Math.min(side - half - 2, x)), "text-anchor": "middle" });
      label.textContent = word;
    }
    const known = result.known[at] ? "" : " The network does not know this word.";
    say(`After \u201c${word}\u201d, word ${at + 1} of ${n}: positive with probability ${fixed(positive(at))}.${known}`);
    publish({ words: result.words, at, positive: result.words.map((_, t) => positive(t)) });
  }

  read(data.examples[0]);
}
