import { add, affine, argmax, layerNorm, relu, row, softmax } from "../kit/tensor.js";

/** The tensors by name, the matrices unpacked: six bits a weight, in steps of a size that each row has for itself. */
export function unpack({ packed, scales, ...rest }, { matrices }) {
  const tensors = { ...rest },
    bytes = packed.values;
  let at = 0,
    row = 0;
  for (const [name, rows, columns] of matrices) {
    const values = new Float32Array(rows * columns);
    for (let i = 0; i < values.length; i++, at++) {
      const first = 3 * (at >> 2),
        four = (bytes[first] << 16) | (bytes[first + 1] << 8) | bytes[first + 2];
      values[i] = (((four >> (6 * (3 - (at & 3)))) & 63) - 32) * scales.values[row + Math.floor(i / columns)];
    }
    tensors[name] = { shape: [rows, columns], values };
    row += rows;
  }
  return tensors;
}

const linear = (tensors, name, x) => affine(tensors[`${name}.weight`], x, tensors[`${name}.bias`]);

const normalise = (tensors, name, x) => layerNorm(x, tensors[`${name}.weight`], tensors[`${name}.bias`]);

/** A word's vector times √D, plus the waves of its place. */
function placed(rows, token, at) {
  const word = row(rows, token),
    D = word.length;
  return word.map((value, i) => {
    const angle = at * Math.exp((-Math.log(1e4) * (i - (i % 2))) / D);
    return value * Math.sqrt(D) + (i % 2 ? Math.cos(angle) : Math.sin(angle));
  });
}

const keyValue = (tensors, name, x) => ({
  key: linear(tensors, `${name}.k_proj`, x),
  value: linear(tensors, `${name}.v_proj`, x),
});

/** Attention of one position by K heads to a memory of keys and values: the output, and the weights of every head. */
function attend(tensors, name, K, x, memory) {
  const query = linear(tensors, `${name}.q_proj`, x),
    Q = query.length / K,
    R = memory[0].value.length / K;
  const output = [],
    weights = [];
  for (let k = 0; k < K; k++) {
    const shares = softmax(
      memory.map(({ key }) => {
        let score = 0;
        for (let i = k * Q; i < (k + 1) * Q; i++) score += query[i] * key[i];
        return score / Math.sqrt(Q);
      }),
    );
    for (let i = k * R; i < (k + 1) * R; i++)
      output.push(memory.reduce((sum, { value }, s) => sum + shares[s] * value[i], 0));
    weights.push(shares);
  }
  return { output: linear(tensors, `${name}.out_proj`, output), weights };
}

/** x plus what the feed-forward layer makes of it; `norm` is the number of its normalisation. */
function feedForward(tensors, name, norm, x) {
  const hidden = relu(linear(tensors, `${name}.feed_forward.linear1`, normalise(tensors, `${name}.norm${norm}`, x)));
  return add(x, linear(tensors, `${name}.feed_forward.linear2`, hidden));
}

/** Read the source tokens: for each decoder layer the keys and values of all words; `weights` are [layer][head][word][word]. */
export function read(tensors, { K, N }, source) {
  let steps = source.map((token, s) => placed(tensors["source_embedding.weight"], token, s));
  const weights = [];
  for (let n = 0; n < N; n++) {
    const name = `encoder.${n}`,
      normed = steps.map((x) => normalise(tensors, `${name}.norm1`, x));
    const memory = normed.map((x) => keyValue(tensors, `${name}.self_attn`, x));
    const attended = normed.map((x) => attend(tensors, `${name}.self_attn`, K, x, memory));
    steps = steps.map((x, s) => feedForward(tensors, name, 2, add(x, attended[s].output)));
    weights.push(byHead(attended.map((found) => found.weights)));
  }
  const outputs = steps.map((x) => normalise(tensors, "encoder_norm", x));
  const across = weights.map((_, n) => outputs.map((h) => keyValue(tensors, `decoder.${n}.cross_attn`, h)));
  return { across, weights };
}

/**
 * The likeliest token at each step, until `end` or `most` of them, with the looks back and across of every step.
 * `allowed(tokens)` says of each token whether it may come next.
 */
export function write(tensors, { K, N, end }, { across }, most = 50, allowed = null) {
  const tokens = [],
    logits = [],
    written = across.map(() => []),
    back = across.map(() => []),
    between = across.map(() => []);
  for (let token = end; tokens.length < most; ) {
    let x = placed(tensors["target_embedding.weight"], token, tokens.length);
    for (let n = 0; n < N; n++) {
      const name = `decoder.${n}`,
        normed = normalise(tensors, `${name}.norm1`, x);
      written[n].push(keyValue(tensors, `${name}.self_attn`, normed));
      const behind = attend(tensors, `${name}.self_attn`, K, normed, written[n]);
      x = add(x, behind.output);
      const source = attend(tensors, `${name}.cross_attn`, K, normalise(tensors, `${name}.norm2`, x), across[n]);
      x = feedForward(tensors, name, 3, add(x, source.output));
      back[n].push(behind.weights);
      between[n].push(source.weights);
    }
    logits.push(linear(tensors, "output", normalise(tensors, "decoder_norm", x)));
    const may = allowed?.(tokens);
    token = argmax(may ? logits.at(-1).map((logit, v) => (may[v] ? logit : -Infinity)) : logits.at(-1));
    tokens.push(token);
    if (token === end) break;
  }
  return { tokens, logits, decoder: back.map(byHead), between: between.map(byHead) };
}

/** [step][head][place] as [head][step][place]. */
const byHead = (steps) => steps[0].map((_, k) => steps.map((heads) => heads[k]));
