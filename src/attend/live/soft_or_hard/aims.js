import { dot, softmax } from "../kit/tensor.js";

/** The place that a number from 0 to 1 falls on, when the places lie side by side, as wide as their chances. */
export function fallen(weights, number) {
  let edge = 0;
  for (let s = 0; s < weights.length - 1; s++) {
    edge += weights[s];
    if (number < edge) return s;
  }
  return weights.length - 1;
}

/** The logits of every place: `sure` for its own letter, 0 for the others. */
export const logitsOf = (letters, V, sure) =>
  letters.map((letter) => Array.from({ length: V }, (_, v) => (v === letter ? sure : 0)));

/** Marginal, bound and soft as chances of the right letter (the first), each with its slope at every score. */
export function aims(weights, logits) {
  const mean = logits[0].map((_, v) =>
    dot(
      weights,
      logits.map((of) => of[v]),
    ),
  );
  const spoken = logits.map(softmax),
    p = spoken.map((of) => of[0]),
    logP = p.map(Math.log),
    said = softmax(mean);
  const bound = dot(weights, logP),
    marginal = dot(weights, p),
    error = said.map((chance, v) => (v === 0) - chance);
  const pull = logits.map((of) =>
    dot(
      error,
      of.map((value, v) => value - mean[v]),
    ),
  );
  return {
    said,
    spoken,
    logP,
    values: { marginal, bound: Math.exp(bound), soft: said[0] },
    slopes: {
      marginal: weights.map((a, s) => a * (p[s] / marginal - 1)),
      bound: weights.map((a, s) => a * (logP[s] - bound)),
      soft: weights.map((a, s) => a * pull[s]),
    },
  };
}

/** The slope of the bound as estimated from looks: log p, less the mean of the other looks with a baseline, times the score. */
export function estimate(weights, logP, looks, baseline) {
  const N = looks.length,
    slope = weights.map(() => 0),
    sum = looks.reduce((total, s) => total + logP[s], 0);
  for (const k of looks) {
    const less = baseline && N > 1 ? (sum - logP[k]) / (N - 1) : 0;
    weights.forEach((a, s) => {
      slope[s] += ((logP[k] - less) * ((s === k) - a)) / N;
    });
  }
  return slope;
}
