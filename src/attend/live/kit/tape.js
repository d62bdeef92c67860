import { softmax } from "./tensor.js";

/** Reverse-mode differentiation over vectors: a tape records what is computed, and `backward` plays it in reverse. */
export function tape() {
  const record = [];

  /** A vector with room for its gradient; `back` passes the gradient on to what it was made of. */
  function node(values, back) {
    const made = { values, gradient: new Float64Array(values.length) };
    if (back) record.push(() => back(made));
    return made;
  }

  /** A vector made number by number, with the slope of each: f(value) gives [result, slope]. */
  function each(a, f) {
    const both = Array.from(a.values, f);
    return node(
      both.map(([value]) => value),
      ({ gradient }) => {
        for (let i = 0; i < both.length; i++) a.gradient[i] += gradient[i] * both[i][1];
      },
    );
  }

  return {
    leaf: (values) => node(values),

    /** W x + b for a tensor W of shape (rows, columns); b may be left out. */
    affine(W, x, b) {
      const [rows, columns] = W.shape;
      const out = new Float64Array(rows);
      for (let i = 0; i < rows; i++) {
        let sum = b ? b.values[i] : 0;
        for (let j = 0; j < columns; j++) sum += W.values[i * columns + j] * x.values[j];
        out[i] = sum;
      }
      return node(out, ({ gradient }) => {
        for (let i = 0; i < rows; i++) {
          for (let j = 0; j < columns; j++) x.gradient[j] += W.values[i * columns + j] * gradient[i];
        }
      });
    },

    /** x W for a tensor W of shape (rows, columns). */
    times(x, W) {
      const [rows, columns] = W.shape;
      const out = new Float64Array(columns);
      for (let i = 0; i < rows; i++) {
        for (let j = 0; j < columns; j++) out[j] += x.values[i] * W.values[i * columns + j];
      }
      return node(out, ({ gradient }) => {
        for (let i = 0; i < rows; i++) {
          for (let j = 0; j < columns; j++) x.gradient[i] += W.values[i * columns + j] * gradient[j];
        }
      });
    },

    add: (...parts) =>
      node(
        Float64Array.from(parts[0].values, (_, i) => parts.reduce((sum, part) => sum + part.values[i], 0)),
        ({ gradient }) => {
          for (const part of parts) for (let i = 0; i < gradient.length; i++) part.gradient[i] += gradient[i];
        },
      ),

    multiply: (a, b) =>
      node(
        Float64Array.from(a.values, (value, i) => value * b.values[i]),
        ({ gradient }) => {
          for (let i = 0; i < gradient.length; i++) {
            a.gradient[i] += gradient[i] * b.values[i];
            b.gradient[i] += gradient[i] * a.values[i];
          }
        },
      ),

    slice: (a, start, end) =>
      node(a.values.slice(start, end), ({ gradient }) => {
        for (let i = 0; i < gradient.length; i++) a.gradient[start + i] += gradient[i];
      }),

    tanh: (a) => each(a, (value) => [Math.tanh(value), 1 - Math.tanh(value) ** 2]),
    relu: (a) => each(a, (value) => (value > 0 ? [value, 1] : [0, 0])),
    complement: (a) => each(a, (value) => [1 - value, -1]),
    sigmoid: (a) =>
      each(a, (value) => {
        const gate = 1 / (1 + Math.exp(-value));
        return [gate, gate * (1 - gate)];
      }),

    /** Layer normalisation. */
    norm(a, gain, bias) {
      const D = a.values.length;
      const mean = a.values.reduce((sum, value) => sum + value, 0) / D;
      const spread = Math.sqrt(a.values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / D + 1e-5);
      const unit = Float64Array.from(a.values, (value) => (value - mean) / spread);
      return node(
        unit.map((value, i) => value * gain.values[i] + bias.values[i]),
        ({ gradient }) => {
          const scaled = gradient.map((value, i) => value * gain.values[i]);
          const level = scaled.reduce((sum, value) => sum + value, 0) / D;
          const along = scaled.reduce((sum, value, i) => sum + value * unit[i], 0) / D;
          for (let i = 0; i < D; i++) a.gradient[i] += (scaled[i] - level - unit[i] * along) / spread;
        },
      );
    },

    /** What one query reads from the values by its softmax over the keys, head by head. */
    attend(query, keys, values, heads) {
      const D = query.values.length;
      const width = D / heads;
      const out = new Float64Array(D);
      const tables = [];
      for (let start = 0; start < D; start += width) {
        const scores = keys.map((key) => {
          let sum = 0;
          for (let j = start; j < start + width; j++) sum += query.values[j] * key.values[j];
          return sum / Math.sqrt(width);
        });
        const weights = softmax(scores);
        weights.forEach((weight, s) => {
          for (let j = start; j < start + width; j++) out[j] += weight * values[s].values[j];
        });
        tables.push(weights);
      }
      return node(out, ({ gradient }) => {
        tables.forEach((weights, head) => {
          const start = head * width;
          const slopes = values.map((value, s) => {
            let sum = 0;
            for (let j = start; j < start + width; j++) {
              sum += gradient[j] * value.values[j];
              value.gradient[j] += weights[s] * gradient[j];
            }
            return sum;
          });
          const mean = slopes.reduce((sum, slope, s) => sum + weights[s] * slope, 0);
          slopes.forEach((slope, s) => {
            const by = (weights[s] * (slope - mean)) / Math.sqrt(width);
            for (let j = start; j < start + width; j++) {
              query.gradient[j] += by * keys[s].values[j];
              keys[s].gradient[j] += by * query.values[j];
            }
          });
        });
      });
    },

    /** -log p of one of several logits, as a number; its gradient starts the way back. */
    surprise(logits, target) {
      const probs = softmax(Array.from(logits.values));
      probs.forEach((prob, i) => {
        logits.gradient[i] += prob - Number(i === target);
      });
      return -Math.log(probs[target]);
    },

    /** From the last thing computed to the first. */
    backward() {
      for (const back of record.reverse()) back();
    },
  };
}
