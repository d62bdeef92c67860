import { gru } from "../kit/gru.js";
import { affine, argmax, dot, row, softmax, tanh } from "../kit/tensor.js";

/** The tensors of one of the readers, by their own names. */
export function reader(tensors, by) {
  const own = Object.entries(tensors).filter(([name]) => name.startsWith(`${by}/`));
  return Object.fromEntries(own.map(([name, tensor]) => [name.slice(by.length + 1), tensor]));
}

/** All summaries h_1 … h_S of the source tokens. */
export function read(net, source) {
  let h = new Array(net["encoder.from_hidden.weight"].shape[1]).fill(0);
  return source.map((token) => (h = gru(net, "encoder", row(net["embed_source.weight"], token), h)));
}

/** The score of each place: from the writer's summary alone, or from it and the summary that stands there. */
function scores(net, h, summaries) {
  if (net["score.weights.b"])
    return affine(net["score.weights.W"], h, net["score.weights.b"]).slice(0, summaries.length);
  const M = net["score.weights.M"],
    asked = h.map((_, j) => h.reduce((sum, value, i) => sum + value * M.values[i * M.shape[1] + j], 0));
  return summaries.map((summary) => dot(asked, summary));
}

/** The likeliest token at each step, up to and with `end`; for each the weights on the source words. */
export function write(net, summaries, end, most = 24) {
  const tokens = [],
    weights = [];
  for (let h = summaries.at(-1), token = end; tokens.length < most; ) {
    h = gru(net, "decoder", row(net["embed_target.weight"], token), h);
    const looks = softmax(scores(net, h, summaries));
    const context = h.map((_, i) => summaries.reduce((sum, summary, s) => sum + looks[s] * summary[i], 0));
    const mixed = tanh(affine(net["combine.weight"], [...context, ...h], net["combine.bias"]));
    token = argmax(affine(net["readout.weight"], mixed, net["readout.bias"]));
    tokens.push(token);
    weights.push(looks);
    if (token === end) break;
  }
  return { tokens, weights };
}
