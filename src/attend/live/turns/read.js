import { add, affine, argmax, row, sigmoid, softmax, tanh } from "../kit/tensor.js";

/** One step of a GRU: h = z ⊙ h + (1 − z) ⊙ tanh(W x + b + r ⊙ U h), its blocks in the order reset, keep, candidate. */
function step({ W, U, b }, x, h) {
  const H = h.length, heard = affine(W, x, b), recalled = affine(U, h);
  const gate = (from) => sigmoid(add(heard.slice(from, from + H), recalled.slice(from, from + H)));
  const reset = gate(0), keep = gate(H);
  const candidate = tanh(h.map((_, i) => heard[2 * H + i] + reset[i] * recalled[2 * H + i]));
  return h.map((value, i) => keep[i] * value + (1 - keep[i]) * candidate[i]);
}

/** The tensors of one model, by part: {words, reader: {W, U, b}, …}. */
export function parts(tensors, model) {
  const found = {};
  for (const [name, tensor] of Object.entries(tensors)) {
    const [owner, part, piece] = name.split(".");
    if (owner !== model) continue;
    if (piece) (found[part] ??= {})[piece] = tensor;
    else found[part] = tensor;
  }
  return found;
}

const start = (unit) => new Array(unit.U.shape[1]).fill(0);
const read = (net, words, h) => words.reduce((state, word) => step(net.reader, row(net.words, word), state), h);

/** A reader that takes turns one by one: state goes in and comes out; what it hands the writer is its context. */
export function reader(net) {
  if (!net.context) return { start: () => start(net.reader), hear: (h, turn) => read(net, turn, h) };
  return {
    start: () => start(net.context),
    hear: (context, turn) => step(net.context, read(net, turn, start(net.reader)), context),
  };
}

const begin = (net, context) => tanh(affine(net.begin.weights, context, net.begin.bias));
function next(net, context, word, h) {
  const state = step(net.writer, [...row(net.words, word), ...context], h);
  return { state, chances: softmax(affine(net.readout.weights, state, net.readout.bias)) };
}

/** The probability that the writer gives to a whole answer, and the answer that it finds likeliest word by word. */
export function answer(net, context, wanted) {
  let h = begin(net, context), word = 0, chance = 1;
  for (const true_ of wanted) {
    const { state, chances } = next(net, context, word, h);
    chance *= chances[true_];
    h = state;
    word = true_;
  }
  const said = [];
  h = begin(net, context);
  word = 0;
  for (let i = 0; i < 8; i++) {
    const { state, chances } = next(net, context, word, h);
    word = argmax(chances);
    h = state;
    if (word === 0) break;
    said.push(word);
  }
  return { chance, said };
}
