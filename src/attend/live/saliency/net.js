import { convolve, pool } from "../kit/convolve.js";

/** Back through a convolution: each unit hands its slope to the window that it saw, by the same weights. */
function spread(slopes, kernels) {
  const [F, C, P] = kernels.shape,
    width = slopes.width + P - 1,
    values = new Float32Array(C * width * width);
  for (let f = 0, at = 0; f < F; f++) {
    for (let y = 0; y < slopes.width; y++) {
      for (let x = 0; x < slopes.width; x++) {
        const slope = slopes.values[at++];
        if (slope === 0) continue;
        for (let c = 0; c < C; c++) {
          for (let p = 0; p < P; p++) {
            const k = ((f * C + c) * P + p) * P,
              to = (c * width + y + p) * width + x;
            for (let q = 0; q < P; q++) values[to + q] += kernels.values[k + q] * slope;
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

/** Back through pooling and the ReLU before it: the slope goes to the largest, the first of equals, unless it is 0. */
function unpool(slopes, input) {
  const values = new Float32Array(input.values.length),
    v = input.values;
  let from = 0;
  for (const window of windows(input)) {
    const slope = slopes.values[from++],
      most = Math.max(...window.map((i) => v[i]));
    if (slope === 0 || most <= 0) continue;
    values[window.find((i) => v[i] === most)] = slope;
  }
  return { channels: input.channels, width: input.width, values };
}

const named = (tensors, net) => (name) => tensors[`${net}_${name}`];
const canvas = (image) => ({ channels: 1, width: Math.round(Math.sqrt(image.length)), values: image });

/** Both rounds of convolution, from an image on: {conv1, pool1, conv2}. */
function rounds(of, image) {
  const conv1 = convolve(canvas(image), of("conv1_weight"), of("conv1_bias"), true),
    pool1 = pool(conv1);
  return { conv1, pool1, conv2: convolve(pool1, of("conv2_weight"), of("conv2_bias"), true) };
}

/** The net without attention: its ten scores, and the maps that the way back needs. */
export function plain(tensors, image) {
  const of = named(tensors, "plain"),
    maps = rounds(of, image);
  maps.pool2 = pool(maps.conv2);
  const scores = Array.from(convolve(maps.pool2, of("conv3_weight"), of("conv3_bias"), false).values);
  return { scores, maps };
}

/** The slope of a weighted sum of scores at every pixel: the layers again, from the last to the first. */
export function slopes(tensors, { maps }, wanted) {
  const of = named(tensors, "plain");
  const top = spread({ channels: wanted.length, width: 1, values: Float32Array.from(wanted) }, of("conv3_weight"));
  const middle = unpool(top, maps.conv2),
    below = spread(middle, of("conv2_weight"));
  return spread(unpool(below, maps.conv1), of("conv1_weight")).values;
}

/** The net with explicit attention: its ten scores, and the weight of each place, row by row. */
export function reading(tensors, image) {
  const of = named(tensors, "reading"),
    { channels, width, values } = rounds(of, image).conv2,
    places = width * width;
  const query = of("query").values,
    weights = new Float64Array(places);
  for (let s = 0; s < places; s++) for (let k = 0; k < channels; k++) weights[s] += query[k] * values[k * places + s];
  const most = Math.max(...weights);
  let whole = 0;
  for (let s = 0; s < places; s++) whole += weights[s] = Math.exp(weights[s] - most);
  for (let s = 0; s < places; s++) weights[s] /= whole;
  const W = of("readout_weight"),
    context = new Float64Array(channels);
  for (let k = 0; k < channels; k++) for (let s = 0; s < places; s++) context[k] += weights[s] * values[k * places + s];
  const scores = Array.from(of("readout_bias").values, (bias, c) =>
    context.reduce((sum, value, k) => sum + W.values[c * channels + k] * value, bias),
  );
  return { scores, weights: Array.from(weights) };
}
