import { convolve, pool } from "../kit/convolve.js";

/** Every map and the ten logits of an image: 28 x 28 numbers from 0 to 1, row by row. */
export function read(tensors, image) {
  const maps = { input: { channels: 1, width: 28, values: image } };
  maps.conv1 = convolve(maps.input, tensors["conv1.weight"], tensors["conv1.bias"], true);
  maps.pool1 = pool(maps.conv1);
  maps.conv2 = convolve(maps.pool1, tensors["conv2.weight"], tensors["conv2.bias"], true);
  maps.pool2 = pool(maps.conv2);
  const logits = Array.from(convolve(maps.pool2, tensors["conv3.weight"], tensors["conv3.bias"], false).values);
  return { logits, maps };
}
