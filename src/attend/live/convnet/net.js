/** Maps {channels, width, values} through kernels (F, C, P, P), by inner products with every window; then ReLU. */
function convolve(input, kernels, bias, relu) {
  const [F, C, P] = kernels.shape, width = input.width - P + 1, values = new Float32Array(F * width * width);
  for (let f = 0, to = 0; f < F; f++) {
    for (let y = 0; y < width; y++) {
      for (let x = 0; x < width; x++) {
        let sum = bias.values[f];
        for (let c = 0; c < C; c++) {
          for (let p = 0; p < P; p++) {
            const k = ((f * C + c) * P + p) * P, from = (c * input.width + y + p) * input.width + x;
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
function pool(input) {
  const width = Math.floor(input.width / 2), values = new Float32Array(input.channels * width * width);
  for (let c = 0, to = 0; c < input.channels; c++) {
    for (let y = 0; y < width; y++) {
      for (let x = 0; x < width; x++) {
        const at = (c * input.width + 2 * y) * input.width + 2 * x, below = at + input.width, v = input.values;
        values[to++] = Math.max(v[at], v[at + 1], v[below], v[below + 1]);
      }
    }
  }
  return { channels: input.channels, width, values };
}

/** Every map and the ten scores of an image: 28 x 28 numbers from 0 to 1, row by row. */
export function read(tensors, image) {
  const maps = { input: { channels: 1, width: 28, values: image } };
  maps.conv1 = convolve(maps.input, tensors.kernels1, tensors.bias1, true);
  maps.pool1 = pool(maps.conv1);
  maps.conv2 = convolve(maps.pool1, tensors.kernels2, tensors.bias2, true);
  maps.pool2 = pool(maps.conv2);
  const scores = Array.from(convolve(maps.pool2, tensors.kernels3, tensors.bias3, false).values);
  return { scores, maps };
}
