import { normals } from "../kit/random.js";
import { glimpse } from "../kit/retina.js";
import { add, affine, relu, softmax, tanh } from "../kit/tensor.js";

const readout = (tensors, name, x) => affine(tensors[`${name}.weight`], x, tensors[`${name}.bias`]);

/**
 * All glimpses at a square image. The first falls on `first` (down, across), or with null where the model wants it;
 * each other one on the mean of the model, moved by its row of `noise` times `sigma`.
 */
export function look(tensors, { width, size, scales, glimpses, sigma }, image, first, noise) {
  const looks = { places: [], means: [], chances: [], scores: [], crops: [] };
  let state = new Array(tensors["from_hidden.weight"].shape[0]).fill(0);
  for (let t = 0; t < glimpses; t++) {
    const mean = tanh(readout(tensors, "location_head", state));
    const place = t === 0 && first ? first : mean.map((at, axis) => at + sigma * (noise?.[t][axis] ?? 0));
    const crops = glimpse(image, width, place, size, scales);
    const what = relu(readout(tensors, "what", crops)),
      where = relu(readout(tensors, "where", place));
    const code = relu(readout(tensors, "combine", [...what, ...where]));
    state = relu(add(readout(tensors, "from_input", code), affine(tensors["from_hidden.weight"], state)));
    const scores = readout(tensors, "classifier", state);
    for (const [name, value] of Object.entries({ places: place, means: mean, chances: softmax(scores), scores, crops }))
      looks[name].push(value);
  }
  return looks;
}

/** Pairs of numbers from the normal distribution, the same for the same seed. */
export function pairs(seed, rows) {
  const next = normals(seed * 0x9e3779b9);
  return Array.from({ length: rows }, () => [next(), next()]);
}
