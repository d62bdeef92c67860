import { still } from "./dom.js";

/**
 * Call onStep(i) for i = 0 … steps - 1, one every `every` milliseconds; with reduced motion, all at once.
 * Returns {stop()}. onEnd is called after the last step and not after stop().
 */
export function play({ steps, every, onStep, onEnd = () => {} }) {
  if (still()) {
    for (let i = 0; i < steps; i++) onStep(i);
    onEnd();
    return { stop() {} };
  }
  let i = 0;
  const timer = setInterval(() => {
    onStep(i++);
    if (i >= steps) {
      clearInterval(timer);
      onEnd();
    }
  }, every);
  return { stop: () => clearInterval(timer) };
}
