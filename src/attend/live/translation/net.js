import { gru } from "../kit/gru.js";
import { add, affine, argmax, dot, row, softmax, tanh } from "../kit/tensor.js";

/** The summaries of a unit that reads the vectors in their order. */
function sweep(tensors, name, vectors) {
  let h = new Array(tensors[`${name}.from_hidden.weight`].shape[1]).fill(0);
  return vectors.map((x) => (h = gru(tensors, name, x, h)));
}

const linear = (tensors, name, x) => affine(tensors[`${name}.weight`], x, tensors[`${name}.bias`]);

/** Read the source tokens from both ends; the keys do not depend on who asks, so they are made once. */
export function read(tensors, source) {
  const vectors = source.map((token) => row(tensors["embed_source.weight"], token));
  const ahead = sweep(tensors, "encoder.ahead", vectors),
    back = sweep(tensors, "encoder.back", vectors.slice().reverse());
  const summaries = ahead.map((h, j) => [...h, ...back[back.length - 1 - j]]);
  return {
    summaries,
    keys: summaries.map((h) => affine(tensors["key_proj.weight"], h)),
    last: tanh(linear(tensors, "first_state", back.at(-1))),
  };
}

/** The likeliest token at each step, until `end` or `most` of them; for each the weights on the source words. */
export function write(tensors, memory, end, most = 50) {
  const tokens = [],
    weights = [],
    v = Array.from(tensors["score.weight"].values);
  for (let state = memory.last, token = end; tokens.length < most; ) {
    const asked = affine(tensors["query_proj.weight"], state);
    const looks = softmax(memory.keys.map((key) => dot(v, tanh(add(asked, key)))));
    const context = memory.last.map((_, i) => memory.summaries.reduce((sum, h, j) => sum + looks[j] * h[i], 0));
    const word = row(tensors["embed_target.weight"], token);
    state = gru(tensors, "decoder", [...word, ...context], state);
    token = argmax(linear(tensors, "readout", tanh(linear(tensors, "combine", [...state, ...word, ...context]))));
    if (token === end) break;
    tokens.push(token);
    weights.push(looks);
  }
  return { tokens, weights };
}
