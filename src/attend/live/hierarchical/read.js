import { gru } from "../kit/gru.js";
import { affine, argmax, row, softmax, tanh } from "../kit/tensor.js";

/** The tensors of one model by their names in it: {words, "reader.from_input.weight", …}. */
export function parts(tensors, model) {
  const own = Object.entries(tensors).filter(([name]) => name.startsWith(`${model}.`));
  return Object.fromEntries(own.map(([name, tensor]) => [name.slice(model.length + 1), tensor]));
}

const start = (net, unit) => new Array(net[`${unit}.from_hidden.weight`].shape[1]).fill(0);
const read = (net, words, h) => words.reduce((state, word) => gru(net, "reader", row(net.words, word), state), h);
const readout = (net, name, x) => affine(net[`${name}.weight`], x, net[`${name}.bias`]);

/** A reader that takes turns one by one: state goes in and comes out; what it hands the writer is its context. */
export function reader(net) {
  if (!net["context.from_hidden.weight"])
    return { start: () => start(net, "reader"), hear: (h, turn) => read(net, turn, h) };
  return {
    start: () => start(net, "context"),
    hear: (context, turn) => gru(net, "context", read(net, turn, start(net, "reader")), context),
  };
}

const begin = (net, context) => tanh(readout(net, "begin", context));
function next(net, context, word, h) {
  const state = gru(net, "writer", [...row(net.words, word), ...context], h);
  return { state, chances: softmax(readout(net, "readout", state)) };
}

/** The probability that the writer gives to a whole answer, and the answer that it finds likeliest word by word. */
export function answer(net, context, wanted) {
  let h = begin(net, context),
    word = 0,
    chance = 1;
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
