/** Decode the tensors of a figure: {name: {shape, values}} with float32 values (uint8 stays uint8). */
export function decode(layout, buffer) {
  const view = buffer instanceof DataView ? buffer : new DataView(buffer?.buffer ?? buffer ?? new ArrayBuffer(0));
  const tensors = {};
  for (const [name, { shape, type, offset, scales }] of Object.entries(layout ?? {})) {
    const size = shape.reduce((a, b) => a * b, 1);
    const values = type === "uint8" ? new Uint8Array(size) : new Float32Array(size);
    const width = shape.length > 1 ? size / shape[0] : size;
    for (let i = 0; i < size; i++) {
      if (type === "uint8") values[i] = view.getUint8(offset + i);
      else if (type === "float32") values[i] = view.getFloat32(offset + 4 * i, true);
      else if (type === "float16") values[i] = half(view.getUint16(offset + 2 * i, true));
      else values[i] = view.getInt8(offset + i) * view.getFloat32(scales + 4 * Math.floor(i / width), true);
    }
    tensors[name] = { shape, values };
  }
  return tensors;
}

function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1,
    exponent = (bits >> 10) & 31,
    fraction = bits & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return exponent === 31 ? (fraction ? NaN : sign * Infinity) : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** W x + b for W of shape (rows, columns); b may be left out. Returns an array of numbers. */
export function affine(W, x, b) {
  const [rows, columns] = W.shape,
    out = new Array(rows);
  for (let i = 0; i < rows; i++) {
    let sum = b ? b.values[i] : 0;
    for (let j = 0; j < columns; j++) sum += W.values[i * columns + j] * x[j];
    out[i] = sum;
  }
  return out;
}

/** Row i of a matrix, as an array of numbers. */
export function row(W, i) {
  const columns = W.shape[1];
  return Array.from(W.values.subarray(i * columns, (i + 1) * columns));
}

export const add = (a, b) => a.map((value, i) => value + b[i]);
export const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
export const tanh = (a) => a.map(Math.tanh);
export const relu = (a) => a.map((value) => Math.max(value, 0));
export const sigmoid = (a) => a.map((value) => 1 / (1 + Math.exp(-value)));
export const argmax = (a) => a.reduce((best, value, i) => (value > a[best] ? i : best), 0);

/** Layer normalisation of one vector: mean 0 and variance 1, then the learned gain and bias. */
export function layerNorm(x, gain, bias) {
  const mean = x.reduce((sum, value) => sum + value, 0) / x.length;
  const spread = Math.sqrt(x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / x.length + 1e-5);
  return x.map((value, i) => ((value - mean) / spread) * gain.values[i] + bias.values[i]);
}

export function softmax(a) {
  const largest = Math.max(...a),
    powers = a.map((value) => Math.exp(value - largest));
  const sum = powers.reduce((x, y) => x + y, 0);
  return powers.map((value) => value / sum);
}
