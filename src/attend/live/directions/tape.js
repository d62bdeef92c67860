/**
 * Vectors that remember how they were made, so that slopes can be followed back to the inputs.
 * Every step keeps its value and a rule `back(slopes)` that hands the slopes of some outputs on to its parts.
 */
export function tape() {
  const steps = [];

  function step(value, back) {
    const made = { value, slopes: null, back };
    steps.push(made);
    return made;
  }

  /** Add to the slopes of `part`: a row for each output, a number for each entry of its value. */
  function give(part, rows) {
    if (part.slopes === null) part.slopes = rows.map(() => new Float64Array(part.value.length));
    rows.forEach((row, r) => {
      for (let j = 0; j < row.length; j++) part.slopes[r][j] += row[j];
    });
  }

  const each = (part, change, slope) =>
    step(part.value.map(change), (rows, value) =>
      give(
        part,
        rows.map((row) => row.map((s, j) => s * slope(value[j]))),
      ),
    );

  return {
    /** A vector that comes from outside. */
    input: (values) => step(Float64Array.from(values), () => {}),
    /** `rows` rows of W from row `from` on, times x, plus those of b where there is one. */
    linear(W, x, b = null, from = 0, rows = W.shape[0]) {
      const columns = W.shape[1],
        out = new Float64Array(rows);
      for (let i = 0; i < rows; i++) {
        let sum = b ? b.values[from + i] : 0;
        for (let j = 0; j < columns; j++) sum += W.values[(from + i) * columns + j] * x.value[j];
        out[i] = sum;
      }
      return step(out, (slopes) =>
        give(
          x,
          slopes.map((row) => {
            const moved = new Float64Array(columns);
            for (let i = 0; i < rows; i++)
              if (row[i] !== 0)
                for (let j = 0; j < columns; j++) moved[j] += row[i] * W.values[(from + i) * columns + j];
            return moved;
          }),
        ),
      );
    },
    add: (...parts) =>
      step(
        parts[0].value.map((_, j) => parts.reduce((sum, part) => sum + part.value[j], 0)),
        (rows) => parts.forEach((part) => give(part, rows)),
      ),
    mul: (a, b) =>
      step(
        a.value.map((v, j) => v * b.value[j]),
        (rows) => {
          give(
            a,
            rows.map((row) => row.map((s, j) => s * b.value[j])),
          );
          give(
            b,
            rows.map((row) => row.map((s, j) => s * a.value[j])),
          );
        },
      ),
    scale: (a, by) =>
      step(
        a.value.map((v) => v * by),
        (rows) =>
          give(
            a,
            rows.map((row) => row.map((s) => s * by)),
          ),
      ),
    sigmoid: (a) =>
      each(
        a,
        (v) => 1 / (1 + Math.exp(-v)),
        (y) => y * (1 - y),
      ),
    tanh: (a) => each(a, Math.tanh, (y) => 1 - y * y),
    /** How much all of `output` moves with each of `inputs`: the length (Frobenius norm) of ∂output/∂input. */
    slopes(output, inputs) {
      for (const made of steps) made.slopes = null;
      output.slopes = Array.from(output.value, (_, i) => Float64Array.from(output.value, (__, j) => (i === j ? 1 : 0)));
      for (let s = steps.length - 1; s >= 0; s--) if (steps[s].slopes) steps[s].back(steps[s].slopes, steps[s].value);
      return inputs.map(({ slopes }) =>
        slopes ? Math.sqrt(slopes.reduce((sum, row) => sum + row.reduce((part, s) => part + s * s, 0), 0)) : 0,
      );
    },
  };
}
