import { normals } from "../kit/random.js";
import { critical, pValue } from "./student.js";

export const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const variance = (values, middle) => values.reduce((sum, v) => sum + (v - middle) ** 2, 0) / (values.length - 1);

/** What a difference of two means is held against: Welch's standard error, its degrees of freedom, and the ranges. */
function compared(base, changed) {
  const [a, b] = [mean(base), mean(changed)];
  const [va, vb] = [variance(base, a) / base.length, variance(changed, b) / changed.length];
  const df = (va + vb) ** 2 / (va ** 2 / (base.length - 1) + vb ** 2 / (changed.length - 1));
  return { by: b - a, error: Math.sqrt(va + vb), df };
}

/** Three verdicts on two sets of runs: do they differ? And Welch's p-value and 95 % interval of the difference. */
export function judge(base, changed) {
  const { by, error, df } = compared(base, changed);
  const p = pValue(by / error, df);
  const half = critical(df) * error;
  const [least, most] = [Math.min(...base), Math.max(...base)];
  return {
    by,
    p,
    interval: [by - half, by + half],
    verdicts: {
      range: Math.abs(by) > most - least,
      apart: Math.min(...changed) > most || Math.max(...changed) < least,
      welch: p < 0.05,
    },
  };
}

/** For each rule, from how far a shift (to the right, and to the left) on it would call the two sets different. */
function thresholds(base, changed, criticals) {
  const { by, error, df } = compared(base, changed);
  const [least, most] = [Math.min(...base), Math.max(...base)];
  const place = clampIndex((df - criticals.from) / criticals.step, criticals.values.length - 2);
  const t =
    criticals.values[place] +
    (criticals.values[place + 1] - criticals.values[place]) * ((df - criticals.from) / criticals.step - place);
  return {
    range: [most - least - by, -(most - least) - by],
    apart: [most - Math.min(...changed), least - Math.max(...changed)],
    welch: [t * error - by, -t * error - by],
  };
}

const clampIndex = (value, most) => Math.min(Math.max(Math.floor(value), 0), most);

/** The share of `count` experiments with n runs a side in which each rule sees a difference, for each true effect. */
export function shares(n, effects, count) {
  const step = 0.05;
  const from = n - 1;
  const many = Math.ceil((n - 1) / step) + 2;
  const criticals = { from, step, values: Array.from({ length: many }, (_, i) => critical(from + i * step)) };
  const draw = normals(2_000_000 + n);
  const made = Array.from({ length: count }, () => {
    const base = Array.from({ length: n }, draw);
    return thresholds(base, Array.from({ length: n }, draw), criticals);
  });
  const seen = (rule, effect) =>
    made.filter(({ [rule]: [right, left] }) => effect > right || effect < left).length / count;
  return Object.fromEntries(
    ["range", "apart", "welch"].map((rule) => [rule, effects.map((effect) => seen(rule, effect))]),
  );
}
