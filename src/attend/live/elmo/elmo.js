import { choices, controls, speaker, textbox } from "../kit/control.js";
import { element, shape } from "../kit/dom.js";
import { plane } from "../kit/plane.js";
import { add, affine, dot, row, sigmoid } from "../kit/tensor.js";

/** The hidden states of one LSTM of torch.nn over a list of vectors. */
function lstm(tensors, name, inputs) {
  const weights = (which) => tensors[`${name}.${which}_l0`];
  const H = weights("weight_hh").shape[1];
  let h = new Array(H).fill(0);
  let c = new Array(H).fill(0);
  return inputs.map((x) => {
    const sum = add(
      affine(weights("weight_ih"), x, weights("bias_ih")),
      affine(weights("weight_hh"), h, weights("bias_hh")),
    );
    const part = (n) => sum.slice(n * H, (n + 1) * H);
    const [input, forget, output] = [0, 1, 3].map((n) => sigmoid(part(n)));
    const candidate = part(2).map(Math.tanh);
    c = c.map((kept, i) => forget[i] * kept + input[i] * candidate[i]);
    h = c.map((cell, i) => output[i] * Math.tanh(cell));
    return h;
  });
}

/** The words, and the hidden states of each LSTM above them. */
function stack(tensors, side, words) {
  const layers = [words];
  for (let n = 0; `${side}.${n}.weight_ih_l0` in tensors; n++) {
    const below = layers.at(-1);
    const read = lstm(tensors, `${side}.${n}`, below);
    layers.push(n ? read.map((h, t) => add(h, below[t])) : read);
  }
  return layers;
}

/** input {words, place}: for each layer the vector of the word at `place`, and its point in the plane. */
export function forward(tensors, data, { words, place }) {
  const tokens = [1, ...words.map((word) => Math.max(0, data.vocabulary.indexOf(word))), 1];
  const x = tokens.map((token) => row(tensors["token.weight"], token));
  const ahead = stack(tensors, "ahead", x);
  const back = stack(tensors, "back", [...x].reverse());
  const vectors = ahead.map((layer, n) => [...layer[place + 1], ...back[n][x.length - 2 - place]]);
  const points = vectors.map((vector, n) => {
    const from = row(tensors.centre, n);
    const away = vector.map((value, i) => value - from[i]);
    return [0, 1].map((axis) => dot(away, row(tensors.axes, 2 * n + axis)));
  });
  return { vectors, points };
}

const read = (text) => text.toLowerCase().match(/[a-z]+(?:'[a-z]+)?|[0-9]+|[!?.,;:]/g) ?? [];

export function render({ root, width, data, tensors, publish }) {
  const { spellings } = data;
  const names = { word: "the word alone", first: "first layer", second: "second layer" };
  let [word, layer, text] = [spellings[0], 1, data.text];
  let before = null;

  const top = controls(root);
  choices({
    parent: top,
    label: "Word",
    options: spellings.map((one) => [one, one]),
    value: word,
    onChange: (chosen) => {
      word = chosen;
      before = null;
      sentence.replaceChildren();
      if (place(read(text)) < 0) {
        text = data.examples[word].at(-1)[0];
        box.set(text);
      }
      draw();
    },
  });
  choices({
    parent: top,
    label: "Vector",
    options: data.layers.map((name, n) => [String(n), names[name]]),
    value: String(layer),
    onChange: (chosen) => {
      layer = Number(chosen);
      before = null;
      draw();
    },
  });
  const box = textbox({
    parent: controls(root),
    label: "Your sentence, with the word in it",
    value: text,
    onInput: (typed) => {
      text = typed;
      draw();
    },
  });
  const picture = element("div");
  root.append(picture);
  const sentence = element("p", { class: "elmo-sentence" });
  root.append(sentence);
  const say = speaker({ parent: root, seen: true });

  const place = (words) => words.indexOf(word);
  const point = (words) => forward(tensors, data, { words, place: place(words) }).points[layer];
  /** A sentence with the word set off. */
  const shown = (words) => words.map((one, n) => (n === place(words) ? element("b", {}, `${one} `) : `${one} `));

  function draw() {
    const some = data.examples[word].map(([line, kind]) => ({ words: line.split(" "), kind }));
    for (const one of some) one.at = point(one.words);
    const typed = read(text);
    const mine = place(typed) >= 0 ? point(typed) : null;
    const all = [...some.map((one) => one.at), ...(mine ? [mine] : []), [0, 0]];
    const reach = (axis) => 1.15 * Math.max(1, ...all.map((at) => Math.abs(at[axis])));
    picture.replaceChildren();
    const on = plane({
      parent: picture,
      width,
      height: Math.min(300, 0.72 * width),
      x: [-reach(0), reach(0)],
      y: [-reach(1), reach(1)],
      xLabel: `\u2190 like a ${data.kinds[1]}, or like a ${data.kinds[0]} \u2192`,
      xTicks: [[0, "0"]],
      yLabel: "what else varies",
      label: `Where \u201c${word}\u201d lies in each sentence`,
    });
    shape(on.svg, "line", { class: "middle", x1: on.X(0), x2: on.X(0), y1: on.Y(on.y[0]), y2: on.Y(on.y[1]) });
    const spots = some.map(({ at }) => [on.X(at[0]), on.Y(at[1])]);
    for (const [n, { words, kind }] of some.entries()) {
      const [x, y] = spots[n];
      const others = spots.filter((_, other) => other !== n);
      // A finger's width, where that leaves the neighbours theirs.
      const free = Math.min(...others.map(([left, top]) => Math.hypot(x - left, y - top))) / 2;
      const spot = shape(on.svg, "g", {
        class: "spot",
        tabindex: 0,
        role: "img",
        "aria-label": `${kind}: ${words.join(" ")}`,
      });
      shape(spot, "circle", { cx: x, cy: y, r: Math.max(7, Math.min(16, free)), class: "near" });
      if (kind === data.kinds[0]) shape(spot, "circle", { cx: x, cy: y, r: 6, class: "first" });
      else shape(spot, "path", { d: `M${x} ${y - 7}l7 7l-7 7l-7 -7z`, class: "second" });
      const tell = () => sentence.replaceChildren(`${kind}: `, ...shown(words));
      for (const event of ["pointerenter", "pointerdown", "focus"]) spot.addEventListener(event, tell);
    }
    if (mine) {
      if (before) shape(on.svg, "path", { class: "trail", d: on.curve([before, mine]) });
      shape(on.svg, "circle", { class: "mine", cx: on.X(mine[0]), cy: on.Y(mine[1]), r: 11 });
    }
    before = mine;
    const unknown = [...new Set(typed.filter((one) => !data.vocabulary.includes(one)))];
    const side = mine && (Math.abs(mine[0]) < 1e-6 ? "in the middle" : mine[0] > 0 ? data.kinds[0] : data.kinds[1]);
    const right = some.filter(({ kind, at }) => at[0] > 0 === (kind === data.kinds[0])).length;
    const where = mine
      ? `In your sentence \u201c${word}\u201d lies on the side of the ${side}. `
      : `Your sentence lacks \u201c${word}\u201d. `;
    say(
      where +
        `${right} of the ${some.length} sentences lie on their own side.` +
        (unknown.length ? ` Unknown to the model: ${unknown.join(", ")}.` : ""),
    );
    if (!sentence.textContent)
      sentence.replaceChildren(
        `Dots: ${data.kinds[0]}s. Diamonds: ${data.kinds[1]}s. Point at one to read its sentence.`,
      );
    publish({ word, layer, text, point: mine, side, right, sentences: some.length });
  }

  draw();
}
