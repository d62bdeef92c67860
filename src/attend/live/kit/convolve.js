/** Maps {channels, width, values} through kernels (F, C, P, P), by inner products with every window, and ReLU if asked for. */
export function convolve(input, kernels, bias, relu) {
  const [F, C, P] = kernels.shape,
    width = input.width - P + 1,
    values = new Float32Array(F * width * width);
  for (let f = 0, to = 0; f < F; f++) {
    for (let y = 0; y < width; y++) {
      for (let x = 0; x < width; x++) {
        let sum = bias.values[f];
        for (let c = 0; c < C; c++) {
          for (let p = 0; p < P; p++) {
            const k = ((f * C + c) * P + p) * P,
              from = (c * input.width + y + p) * input.width + x;
            for (let q = 0; q < P; q++) sum += kernels.values[k + q] * input.values[from + q];
          }
        }
        values[to++] = relu && sum < 0 ? 0 : sum;
      }
    }
  }
  return { channels: F, width, values };
}

/** The largest of every 2 x 2 units. */
export function pool(input) {
  const width = Math.floor(input.width / 2),
    values = new Float32Array(input.channels * width * width);
  for (let c = 0, to = 0; c < input.channels; c++) {
    for (let y = 0; y < width; y++) {
      for (let x = 0; x < width; x++) {
        const at = (c * input.width + 2 * y) * input.width + 2 * x,
          below = at + input.width,
          v = input.values;
        values[to++] = Math.max(v[at], v[at + 1], v[below], v[below + 1]);
      }
    }
  }
  return { channels: input.channels, width, values };
}
