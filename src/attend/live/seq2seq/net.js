import { gru } from "../kit/gru.js";
import { affine, argmax, row } from "../kit/tensor.js";

/** The final hidden state of the encoder: the context vector. */
export function read(tensors, source) {
  const start = new Array(tensors["encoder.from_hidden.weight"].shape[1]).fill(0);
  return source.reduce((h, token) => gru(tensors, "encoder", row(tensors["embed_source.weight"], token), h), start);
}

/**
 * Write for as many steps as there are true tokens. What is read before each step are the true ones (`forced`) or the
 * decoder's own. Where it points at each step, the nearest token, and how far the point is from the true one.
 */
export function write(tensors, context, target, end, forced) {
  const rows = target.map((token) => row(tensors["embed_target.weight"], token)),
    all = tensors["embed_target.weight"];
  const points = [],
    tokens = [],
    distances = [];
  for (let h = context, token = end, t = 0; t < target.length; t++) {
    h = gru(tensors, "decoder", row(all, token), h);
    const point = affine(tensors["readout.weight"], h, tensors["readout.bias"]);
    const near = Array.from({ length: all.shape[0] }, (_, v) => -far(point, row(all, v)));
    points.push(point);
    tokens.push(argmax(near));
    distances.push(far(point, rows[t]));
    token = forced ? target[t] : tokens[t];
  }
  return { points, tokens, distances };
}

const far = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);
