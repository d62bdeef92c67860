import { add, affine, sigmoid } from "./tensor.js";

/** One step of the gated unit whose weights are `${name}.from_input` and `.from_hidden`, in torch's order reset, update, candidate. */
export function gru(tensors, name, x, h) {
  const H = h.length,
    heard = affine(tensors[`${name}.from_input.weight`], x, tensors[`${name}.from_input.bias`]),
    recalled = affine(tensors[`${name}.from_hidden.weight`], h);
  const gates = sigmoid(add(heard.slice(0, 2 * H), recalled.slice(0, 2 * H)));
  return h.map((old, i) => {
    const candidate = Math.tanh(heard[2 * H + i] + gates[i] * recalled[2 * H + i]);
    return gates[H + i] * old + (1 - gates[H + i]) * candidate;
  });
}
