import { convolve, pool } from "../kit/convolve.js";

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
