import { row } from "../kit/tensor.js";

/** f at a place: straight between the heights that are given, and level beyond the first and the last. */
export function height(places, heights, x) {
  if (x <= places[0]) return heights[0];
  for (let i = 1; i < places.length; i++) {
    if (x > places[i]) continue;
    const part = (x - places[i - 1]) / (places[i] - places[i - 1]);
    return heights[i - 1] + part * (heights[i] - heights[i - 1]);
  }
  return heights.at(-1);
}

const average = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** What is left of each f: all of it, f less the mean of the others, or that over the spread. */
const ADVANTAGES = {
  none: (f) => [...f],
  others: (f) => f.map((value) => value - (f.length * average(f) - value) / (f.length - 1)),
  normalised: (f) => {
    const middle = average(f),
      centred = f.map((value) => value - middle);
    const deviation = Math.sqrt(average(centred.map((value) => value * value)));
    return deviation <= 1e-6 * Math.max(...f.map(Math.abs))
      ? f.map(() => 0)
      : centred.map((value) => value / deviation);
  },
};

/** One draw: places, f there, what is left of it, and the step that each sample alone would make. */
export function sampled(noise, places, rate, { heights, mean, sigma, baseline }) {
  const samples = noise.map((e) => mean + sigma * e),
    f = samples.map((x) => height(places, heights, x));
  const advantages = ADVANTAGES[baseline](f);
  const steps = samples.map((x, i) => (-rate * advantages[i] * (x - mean)) / sigma ** 2);
  return { samples, f, advantages, steps, step: average(steps) };
}

const GRID = Array.from({ length: 1001 }, (_, i) => (i - 500) / 100),
  MASS = GRID.map((e) => Math.exp(-0.5 * e * e));
const TOTAL = MASS.reduce((sum, m) => sum + m, 0);

/** The mean of f over all places that may be drawn, and its slope in the mean. */
export function expected(places, { heights, mean, sigma }) {
  let value = 0,
    slope = 0;
  GRID.forEach((e, i) => {
    const part = (MASS[i] / TOTAL) * height(places, heights, mean + sigma * e);
    value += part;
    slope += (part * e) / sigma;
  });
  return { value, slope };
}

/** The step of every draw that the figure holds. */
export function all({ noise }, places, rate, how) {
  return Array.from({ length: noise.shape[0] }, (_, i) => sampled([...row(noise, i)], places, rate, how).step);
}
