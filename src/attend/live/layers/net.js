import { add, affine, argmax, relu, row, softmax } from "../kit/tensor.js";

/** The tensors by name, the matrices unpacked: six bits a weight, in steps of a size that each row has for itself. */
export function unpack({ packed, scales, ...rest }, { matrices }) {
  const tensors = { ...rest }, bytes = packed.values;
  let at = 0, row = 0;
  for (const [name, rows, columns] of matrices) {
    const values = new Float32Array(rows * columns);
    for (let i = 0; i < values.length; i++, at++) {
      const first = 3 * (at >> 2), four = (bytes[first] << 16) | (bytes[first + 1] << 8) | bytes[first + 2];
      values[i] = (((four >> (6 * (3 - (at & 3)))) & 63) - 32) * scales.values[row + Math.floor(i / columns)];
    }
    tensors[name] = { shape: [rows, columns], values };
    row += rows;
  }
  return tensors;
}

const linear = (tensors, name, x) => affine(tensors[`${name}.weight`], x, tensors[`${name}.bias`]);

/** Mean 0 and variance 1, then the learned gain and bias. */
function normalise(tensors, name, x) {
  const gain = tensors[`${name}.gain`].values, bias = tensors[`${name}.bias`].values;
  const mean = x.reduce((sum, value) => sum + value, 0) / x.length;
  const spread = Math.sqrt(x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / x.length + 1e-5);
  return x.map((value, i) => ((value - mean) / spread) * gain[i] + bias[i]);
}

/** A word's vector times √D, plus the waves of its place. */
function placed(rows, token, at) {
  const word = row(rows, token), D = word.length;
  return word.map((value, i) => {
    const angle = at * Math.exp((-Math.log(1e4) * (i - (i % 2))) / D);
    return value * Math.sqrt(D) + (i % 2 ? Math.cos(angle) : Math.sin(angle));
  });
}

const remember = (tensors, name, x) => ({ key: linear(tensors, `${name}.key`, x), value: linear(tensors, `${name}.value`, x) });

/** One step asks: what its K heads read in the memory, mixed, and where each of them looked. */
function look(tensors, name, K, x, memory) {
  const query = linear(tensors, `${name}.query`, x), Q = query.length / K, R = memory[0].value.length / K;
  const read = [], weights = [];
  for (let k = 0; k < K; k++) {
    const shares = softmax(memory.map(({ key }) => {
      let score = 0;
      for (let i = k * Q; i < (k + 1) * Q; i++) score += query[i] * key[i];
      return score / Math.sqrt(Q);
    }));
    for (let i = k * R; i < (k + 1) * R; i++) read.push(memory.reduce((sum, { value }, s) => sum + shares[s] * value[i], 0));
    weights.push(shares);
  }
  return { said: linear(tensors, `${name}.mix`, read), weights };
}

/** x beside what is thought of it. */
function think(tensors, name, x) {
  const wide = relu(linear(tensors, `${name}.think.widen`, normalise(tensors, `${name}.beside_think.norm`, x)));
  return add(x, linear(tensors, `${name}.think.narrow`, wide));
}

/** Read the source tokens: for each decoder layer the keys and values of all words; `weights` are [layer][head][word][word]. */
export function read(tensors, { K, N }, source) {
  let steps = source.map((token, s) => placed(tensors["embed_source.weight"], token, s));
  const weights = [];
  for (let n = 0; n < N; n++) {
    const name = `encoder.${n}`, normed = steps.map((x) => normalise(tensors, `${name}.beside_around.norm`, x));
    const memory = normed.map((x) => remember(tensors, `${name}.around`, x));
    const looks = normed.map((x) => look(tensors, `${name}.around`, K, x, memory));
    steps = steps.map((x, s) => think(tensors, name, add(x, looks[s].said)));
    weights.push(byHead(looks.map((found) => found.weights)));
  }
  const summaries = steps.map((x) => normalise(tensors, "norms.0", x));
  const across = weights.map((_, n) => summaries.map((h) => remember(tensors, `decoder.${n}.across`, h)));
  return { across, weights };
}

/** The likeliest token at each step, until `end` or `most` of them, with the looks back and across of every step. */
export function write(tensors, { K, N, end }, { across }, most = 50) {
  const tokens = [], logits = [], written = across.map(() => []), back = across.map(() => []), between = across.map(() => []);
  for (let token = end; tokens.length < most;) {
    let x = placed(tensors["embed_target.weight"], token, tokens.length);
    for (let n = 0; n < N; n++) {
      const name = `decoder.${n}`, normed = normalise(tensors, `${name}.beside_back.norm`, x);
      written[n].push(remember(tensors, `${name}.back`, normed));
      const behind = look(tensors, `${name}.back`, K, normed, written[n]);
      x = add(x, behind.said);
      const source = look(tensors, `${name}.across`, K, normalise(tensors, `${name}.beside_across.norm`, x), across[n]);
      x = think(tensors, name, add(x, source.said));
      back[n].push(behind.weights);
      between[n].push(source.weights);
    }
    logits.push(linear(tensors, "readout", normalise(tensors, "norms.1", x)));
    token = argmax(logits.at(-1));
    tokens.push(token);
    if (token === end) break;
  }
  return { tokens, logits, decoder: back.map(byHead), between: between.map(byHead) };
}

/** [step][head][place] as [head][step][place]. */
const byHead = (steps) => steps[0].map((_, k) => steps.map((heads) => heads[k]));
