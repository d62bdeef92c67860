import { button, choices, controls, speaker, textbox } from "../kit/control.js";
import { element, fixed } from "../kit/dom.js";
import { pieces } from "../kit/pieces.js";
import { add, affine, relu, row, sigmoid, softmax } from "../kit/tensor.js";

const EDGE = 1;
const MOST = 40;

/** The hidden states of one LSTM of torch.nn over a list of vectors. */
function lstm(tensors, n, inputs) {
  const [W, U, b, c] = ["weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"].map(
    (name) => tensors[`${n}.${name}`],
  );
  const H = U.shape[1];
  let h = new Array(H).fill(0);
  let cell = new Array(H).fill(0);
  return inputs.map((x) => {
    const sum = add(affine(W, x, b), affine(U, h, c));
    const part = (k) => sum.slice(k * H, (k + 1) * H);
    const [input, forget, output] = [0, 1, 3].map((k) => sigmoid(part(k)));
    const candidate = part(2).map(Math.tanh);
    cell = cell.map((kept, i) => forget[i] * kept + input[i] * candidate[i]);
    h = cell.map((value, i) => output[i] * Math.tanh(value));
    return h;
  });
}

/**
 * input {words, part}: after the edge and after each word, the probability of the second class, and for each unit the
 * step that holds its largest value so far. `part` is "all", "last", "max" or "mean"; the others are then averages.
 */
export function forward(tensors, data, { words, part }) {
  const tokens = [EDGE, ...words.map((word) => Math.max(0, data.vocabulary.indexOf(word)))];
  const states = [0, 1].reduce(
    (x, n) => lstm(tensors, n, x),
    tokens.map((token) => row(tensors.token, token)),
  );
  const D = states[0].length;
  const average = Array.from(tensors.average.values);
  const held = new Array(D).fill(0);
  const [largest, sum] = [new Array(D).fill(-Infinity), new Array(D).fill(0)];
  const found = { probs: [], holders: [], logits: [] };
  states.forEach((h, t) => {
    h.forEach((value, i) => {
      if (value > largest[i]) [largest[i], held[i]] = [value, t];
      sum[i] += value;
    });
    const mean = sum.map((value) => value / (t + 1));
    const parts = [
      ["last", h],
      ["max", largest],
      ["mean", mean],
    ];
    const pooled = parts.flatMap(([name, values], k) =>
      part === "all" || part === name ? values : average.slice(k * D, (k + 1) * D),
    );
    const normal = (x, n) =>
      x.map((value, i) => value * tensors[`scale${n}`].values[i] + tensors[`shift${n}`].values[i]);
    const hidden = relu(affine(tensors.W1, normal(pooled, 1), tensors.b1));
    const logits = affine(tensors.W2, normal(hidden, 2), tensors.b2);
    found.logits.push(logits);
    found.probs.push(softmax(logits)[1]);
    found.holders.push([...held]);
  });
  return found;
}

const read = (text) => (text.toLowerCase().match(/[a-z]+(?:'[a-z]+)?|[0-9]+|[!?.,;:]/g) ?? []).slice(0, MOST);

export function render({ root, data, tensors, publish }) {
  let words = read(data.text);
  let part = "all";
  let found;

  const box = textbox({
    parent: controls(root),
    label: "Sentence",
    value: data.text,
    onInput: (typed) => take(read(typed), Infinity),
  });
  root.append(
    element(
      "p",
      { class: "strip-name" },
      "Above each word: how probable it is, so far, that words are out of order. Below: how many units have their largest value here.",
    ),
  );
  const line = pieces({
    parent: root,
    kind: "ulmfit-line",
    onMove: () => show(),
    "aria-label": "Read up to this word",
  });
  const buttons = controls(root);
  const swap = button({
    parent: buttons,
    label: "Exchange with the next word",
    onPress: () => {
      const at = line.at();
      const mixed = [...words];
      [mixed[at], mixed[at + 1]] = [mixed[at + 1], mixed[at]];
      box.set(mixed.join(" "));
      take(mixed, at + 1);
    },
  });
  button({
    parent: buttons,
    label: "Start again",
    onPress: () => {
      box.set(data.text);
      take(read(data.text), Infinity);
    },
  });
  choices({
    parent: controls(root),
    label: "The classifier sees",
    options: [
      ["all", "all three"],
      ["last", "the last state"],
      ["max", "the largest values"],
      ["mean", "the mean"],
    ],
    value: part,
    onChange: (chosen) => {
      part = chosen;
      take(words, line.at());
    },
  });
  const say = speaker({ parent: root, seen: true });

  function take(next, at) {
    words = next;
    found = forward(tensors, data, { words, part });
    line.show(
      words.map((word, t) => {
        const bar = element("i", { class: "ulmfit-prob" });
        bar.style.setProperty("--p", found.probs[t + 1].toFixed(4));
        const known = data.vocabulary.includes(word);
        return [bar, element("b", { class: known ? "" : "unknown" }, word), element("i", { class: "ulmfit-held" })];
      }),
      Math.min(at, words.length - 1),
    );
    show();
  }

  function show() {
    const at = Math.min(line.at(), words.length - 1);
    swap.disabled = at < 0 || at >= words.length - 1;
    if (at < 0) {
      say("Nothing to read yet: type a sentence.");
      publish({ words: 0, at: -1 });
      return;
    }
    const holders = found.holders[at + 1];
    const counts = words.map((_, t) => holders.filter((held) => held === t + 1).length);
    Array.from(line.element.children).forEach((cell, t) => {
      cell.classList.toggle("later", t > at);
      cell.lastChild.style.setProperty("--n", (counts[t] / holders.length).toFixed(4));
    });
    const unknown = words.filter((word) => !data.vocabulary.includes(word)).length;
    say(
      `After \u201c${words[at]}\u201d: out of order with probability ${fixed(found.probs[at + 1])}. This word holds the ` +
        `largest value of ${counts[at]} of ${holders.length} units.` +
        (unknown ? ` ${unknown} underlined word${unknown > 1 ? "s are" : " is"} unknown to it.` : ""),
    );
    publish({ words: words.length, at, text: words.join(" "), prob: found.probs[at + 1], held: counts[at], part });
  }

  take(words, Infinity);
}
