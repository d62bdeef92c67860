import { convolve, pool } from "../kit/convolve.js";
import { add, affine, argmax, dot, relu, row, sigmoid, softmax, tanh } from "../kit/tensor.js";

const SIDE = 3,
  STRIDE = 4;

/** The same maps with a rim of zeros. */
function rimmed({ channels, width, values }, rim) {
  const wide = width + 2 * rim,
    made = new Float32Array(channels * wide * wide);
  for (let c = 0; c < channels; c++) {
    for (let y = 0; y < width; y++) {
      const from = (c * width + y) * width;
      made.set(values.subarray(from, from + width), (c * wide + y + rim) * wide + rim);
    }
  }
  return { channels, width: wide, values: made };
}

/** The conv net: a vector for each of the 3 x 3 cells of an image, row by row, before the decoder adds its positions. */
export function see(tensors, image) {
  const of = (name) => tensors[`encoder.${name}`],
    width = Math.round(Math.sqrt(image.length));
  const layer = (maps, n) => {
    const rim = (of(`conv${n}.weight`).shape[2] - 1) / 2;
    return pool(convolve(rimmed(maps, rim), of(`conv${n}.weight`), of(`conv${n}.bias`), true));
  };
  const below = layer(layer({ channels: 1, width, values: image }, 1), 2);
  const { channels, width: wide, values } = convolve(below, of("conv3.weight"), of("conv3.bias"), false);
  return Array.from({ length: SIDE * SIDE }, (_, i) => {
    const at = Math.floor(i / SIDE) * STRIDE * wide + (i % SIDE) * STRIDE;
    return Array.from({ length: channels }, (__, k) => values[k * wide * wide + at]);
  });
}

/** One step of an LSTM and the logits of the next word, after a look that brought `context`. */
function step(of, word, state, context) {
  const sums = add(
    affine(of("lstm.weight_ih"), [...word, ...context], of("lstm.bias_ih")),
    affine(of("lstm.weight_hh"), state.h, of("lstm.bias_hh")),
  );
  const H = state.h.length,
    part = (n) => sums.slice(n * H, (n + 1) * H);
  const [i, f, o] = [0, 1, 3].map((n) => sigmoid(part(n))),
    g = tanh(part(2));
  const cell = state.cell.map((value, n) => f[n] * value + i[n] * g[n]),
    h = tanh(cell).map((value, n) => o[n] * value);
  const deep = add(
    word,
    add(
      affine(of("from_hidden.weight"), h, of("from_hidden.bias")),
      affine(of("from_context.weight"), context, of("from_context.bias")),
    ),
  );
  return { state: { h, cell }, logits: affine(of("readout.weight"), deep, of("readout.bias")) };
}

/**
 * The caption of one captioner ("soft" or "hard"): {words, chances, weights, used, alone}, a row for each word up to `end`.
 * `alone` says which word each look at one region alone would have given. `placed[t]`, where it is a number, is the
 * region that hard attention is made to look at before word t.
 */
export function write(tensors, kind, seen, { end, steps, placed = [] }) {
  const of = (name) => tensors[`${kind}.${name}`],
    regions = seen.map((a, i) => add(relu(a), row(of("positions"), i)));
  const keyed = regions.map((a) => affine(of("key_proj.weight"), a)),
    v = Array.from(of("score.weight").values);
  const H = of("lstm.weight_hh").shape[1],
    told = { words: [], chances: [], weights: [], used: [], alone: [] };
  let state = { h: new Array(H).fill(0), cell: new Array(H).fill(0) },
    token = end;
  for (let t = 0; t < steps; t++) {
    const asked = affine(of("query_proj.weight"), state.h),
      weights = softmax(keyed.map((key) => dot(v, tanh(add(asked, key)))));
    const chosen = Number.isInteger(placed[t]) ? placed[t] : argmax(weights);
    const used = kind === "soft" ? weights : weights.map((_, i) => Number(i === chosen));
    const context = regions[0].map((_, k) => regions.reduce((sum, a, i) => sum + used[i] * a[k], 0));
    const word = row(of("embed.weight"), token),
      alone = regions.map((a) => argmax(step(of, word, state, a).logits));
    const { state: after, logits } = step(of, word, state, context),
      chances = softmax(logits);
    token = argmax(logits);
    for (const [name, value] of Object.entries({ words: token, chances: chances[token], weights, used, alone }))
      told[name].push(value);
    if (token === end) break;
    state = after;
  }
  return told;
}
