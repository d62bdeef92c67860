import { argmax, dot, softmax } from "../kit/tensor.js";

/** The logits of every place: `sure` for its own letter, 0 for the others. */
export const logitsOf = (letters, V, sure) =>
  letters.map((letter) => Array.from({ length: V }, (_, v) => (v === letter ? sure : 0)));

/** The nearest point of the simplex. */
export function sparsemax(scores) {
  let total = 0,
    threshold = 0;
  [...scores]
    .sort((a, b) => b - a)
    .forEach((score, k) => {
      total += score;
      if ((k + 1) * score > total - 1) threshold = (total - 1) / (k + 1);
    });
  return scores.map((score) => Math.max(score - threshold, 0));
}

/** The derivative of log p(A) with respect to each weight, where the places are read with these weights. */
function pull(weights, logits) {
  const mean = logits[0].map((_, v) =>
    dot(
      weights,
      logits.map((of) => of[v]),
    ),
  );
  const error = softmax(mean).map((p, v) => (v === 0) - p);
  return logits.map((of) => dot(error, of));
}

/** Back through a softmax whose weights these are. */
function backward(weights, upstream) {
  const mean = dot(weights, upstream);
  return weights.map((weight, s) => weight * (upstream[s] - mean));
}

/** log p(A) after each place alone. */
export const logProbs = (logits) => logits.map((of) => Math.log(softmax(of)[0]));

/** The gradient of the mean of log p(A) over the place drawn. */
export function exact(weights, logP) {
  return backward(weights, logP);
}

/** One estimate by one of the ways, from one row of Gumbel noise. */
export function estimate(way, scores, logits, noise, temperature, baseline) {
  const weights = softmax(scores);
  if (way === "soft") return backward(weights, pull(weights, logits));
  if (way === "sparsemax") {
    const sparse = sparsemax(scores),
      upstream = pull(sparse, logits),
      kept = upstream.filter((_, s) => sparse[s] > 0),
      mean = kept.reduce((a, b) => a + b, 0) / kept.length;
    return upstream.map((value, s) => (sparse[s] > 0 ? value - mean : 0));
  }
  const noisy = scores.map((score, s) => score + noise[s]),
    relaxed = softmax(noisy.map((value) => value / temperature)),
    drawn = argmax(noisy);
  if (way === "REINFORCE") {
    const logP = logProbs(logits),
      advantage = logP[drawn] - (baseline ? dot(weights, logP) : 0);
    return weights.map((weight, s) => advantage * ((s === drawn) - weight));
  }
  const read = way === "Gumbel-softmax" ? relaxed : relaxed.map((_, s) => Number(s === drawn));
  return backward(relaxed, pull(read, logits)).map((value) => value / temperature);
}
