import { convolve, pool } from "../kit/convolve.js";
import { affine } from "../kit/tensor.js";

/** After which of the four convolutions the maps are halved. */
const POOLED = [true, true, false, false];

/** Maps with a frame of zeros, one pixel wide. */
function framed({ channels, width, values }) {
  const wide = width + 2,
    out = new Float32Array(channels * wide * wide);
  for (let c = 0; c < channels; c++) {
    for (let y = 0; y < width; y++) {
      const from = (c * width + y) * width;
      out.set(values.subarray(from, from + width), (c * wide + y + 1) * wide + 1);
    }
  }
  return { channels, width: wide, values: out };
}

/** Back through a convolution with a frame: each unit hands its gradient to the window that it saw. */
function spread(grads, kernels) {
  const [F, C, P] = kernels.shape,
    width = grads.width,
    edge = (P - 1) / 2,
    values = new Float32Array(C * width * width);
  for (let f = 0, at = 0; f < F; f++) {
    for (let y = 0; y < width; y++) {
      for (let x = 0; x < width; x++) {
        const grad = grads.values[at++];
        if (grad === 0) continue;
        for (let c = 0; c < C; c++) {
          for (let p = 0; p < P; p++) {
            const row = y + p - edge;
            if (row < 0 || row >= width) continue;
            const k = ((f * C + c) * P + p) * P,
              to = (c * width + row) * width;
            for (let q = 0; q < P; q++) {
              const column = x + q - edge;
              if (column >= 0 && column < width) values[to + column] += kernels.values[k + q] * grad;
            }
          }
        }
      }
    }
  }
  return { channels: C, width, values };
}

/** The places of the four units of each window of 2 x 2, one window after the other. */
function* windows({ channels, width }) {
  for (let c = 0; c < channels; c++) {
    for (let y = 0; y + 1 < width; y += 2) {
      for (let x = 0; x + 1 < width; x += 2) {
        const at = (c * width + y) * width + x;
        yield [at, at + 1, at + width, at + width + 1];
      }
    }
  }
}

/** Back through pooling: the gradient goes to the largest of its window, the first of equals. */
function unpool(grads, input) {
  const values = new Float32Array(input.values.length),
    v = input.values;
  let from = 0;
  for (const window of windows(input)) {
    const grad = grads.values[from++];
    if (grad === 0) continue;
    const most = Math.max(...window.map((i) => v[i]));
    values[window.find((i) => v[i] === most)] = grad;
  }
  return { ...input, values };
}

/** Back through a ReLU: where it was shut nothing passes. */
const opened = (grads, output) => ({
  ...grads,
  values: grads.values.map((grad, i) => (output.values[i] > 0 ? grad : 0)),
});

const named = (tensors, net) => (name) => tensors[`${net}_${name}`];

/** What each of the four convolutions gives, after its ReLU. */
function features(of, image) {
  let x = { channels: 1, width: Math.round(Math.sqrt(image.length)), values: image };
  return POOLED.map((pooled, n) => {
    const y = convolve(framed(x), of(`conv${n + 1}_weight`), of(`conv${n + 1}_bias`), true);
    x = pooled ? pool(y) : y;
    return y;
  });
}

/** The mean of the last maps over all positions, each with its weight. */
function pooled({ channels, values }, weights) {
  const S = weights.length;
  return Array.from({ length: channels }, (_, c) => weights.reduce((sum, a, s) => sum + a * values[c * S + s], 0));
}

const classify = (of, vector) => affine(of("head_weight"), vector, of("head_bias"));

/** A net with average pooling: its ten logits, and the maps that the way back needs. */
export function average(tensors, net, image) {
  const of = named(tensors, net),
    maps = features(of, image),
    S = maps.at(-1).width ** 2;
  return { of, maps, logits: classify(of, pooled(maps.at(-1), new Array(S).fill(1 / S))) };
}

/** How much a unit of each of the last maps counts, at any position, for a weighted sum of logits. */
function mattering({ of, maps }, wanted) {
  const W = of("head_weight").values,
    { channels, width } = maps.at(-1);
  return Array.from(
    { length: channels },
    (_, c) => wanted.reduce((sum, w, k) => sum + w * W[k * channels + c], 0) / width ** 2,
  );
}

/** The gradient of a weighted sum of logits at every pixel: the layers again, from the last to the first. */
export function gradient(run, wanted) {
  const { of, maps } = run,
    last = maps.at(-1),
    weights = mattering(run, wanted),
    S = last.width ** 2;
  let grads = { ...last, values: Float32Array.from(last.values, (_, i) => weights[Math.floor(i / S)]) };
  for (let n = maps.length - 1; n >= 0; n--) {
    if (POOLED[n]) grads = unpool(grads, maps[n]);
    grads = spread(opened(grads, maps[n]), of(`conv${n + 1}_weight`));
  }
  return Array.from(grads.values);
}

/** Grad-CAM: at each position of the last maps, what speaks for a weighted sum of logits. */
export function gradCam(run, wanted) {
  const last = run.maps.at(-1),
    weights = mattering(run, wanted),
    S = last.width ** 2;
  return Array.from({ length: S }, (_, s) =>
    Math.max(
      0,
      weights.reduce((sum, w, c) => sum + w * last.values[c * S + s], 0),
    ),
  );
}

/** The net with attention pooling: its ten logits, and the weight of each position, row by row. */
export function attending(tensors, image) {
  const of = named(tensors, "attention"),
    last = features(of, image).at(-1),
    S = last.width ** 2,
    query = of("query").values;
  const scores = Array.from({ length: S }, (_, s) => query.reduce((sum, q, c) => sum + q * last.values[c * S + s], 0)),
    most = Math.max(...scores),
    grown = scores.map((score) => Math.exp(score - most)),
    whole = grown.reduce((a, b) => a + b, 0),
    weights = grown.map((value) => value / whole);
  return { logits: classify(of, pooled(last, weights)), weights };
}
