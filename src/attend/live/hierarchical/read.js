import { gru } from "../kit/gru.js";
import { affine, argmax, row, softmax, tanh } from "../kit/tensor.js";

/** The tensors of one model by their names in it: {words, "encoder.from_input.weight", …}. */
export function parts(tensors, model) {
  const own = Object.entries(tensors).filter(([name]) => name.startsWith(`${model}.`));
  return Object.fromEntries(own.map(([name, tensor]) => [name.slice(model.length + 1), tensor]));
}

const start = (net, unit) => new Array(net[`${unit}.from_hidden.weight`].shape[1]).fill(0);
const read = (net, words, h) => words.reduce((state, word) => gru(net, "encoder", row(net.words, word), state), h);
const readout = (net, name, x) => affine(net[`${name}.weight`], x, net[`${name}.bias`]);

/** An encoder that takes turns one by one: state goes in and comes out; what it hands the decoder is its context. */
export function encoder(net) {
  if (!net["context_rnn.from_hidden.weight"])
    return { start: () => start(net, "encoder"), hear: (h, turn) => read(net, turn, h) };
  return {
    start: () => start(net, "context_rnn"),
    hear: (context, turn) => gru(net, "context_rnn", read(net, turn, start(net, "encoder")), context),
  };
}

const begin = (net, context) => tanh(readout(net, "init_hidden", context));
function next(net, context, word, h) {
  const state = gru(net, "decoder", [...row(net.words, word), ...context], h);
  return { state, probs: softmax(readout(net, "head", state)) };
}

/** The probability that the decoder gives to a whole answer, and the answer that it finds likeliest word by word. */
export function answer(net, context, wanted) {
  let h = begin(net, context),
    word = 0,
    prob = 1;
  for (const true_ of wanted) {
    const { state, probs } = next(net, context, word, h);
    prob *= probs[true_];
    h = state;
    word = true_;
  }
  const said = [];
  h = begin(net, context);
  word = 0;
  for (let i = 0; i < 8; i++) {
    const { state, probs } = next(net, context, word, h);
    word = argmax(probs);
    h = state;
    if (word === 0) break;
    said.push(word);
  }
  return { prob, said };
}
