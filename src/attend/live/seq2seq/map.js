import { set, shape } from "../kit/dom.js";

/** A square [x, y] of ranges that holds all words, with room for their names. */
export function reach(words) {
  const range = (d) => [Math.min(...words.map(({ at }) => at[d])), Math.max(...words.map(({ at }) => at[d]))];
  return [range(0), range(1)].map(([low, high], d) => [
    low - 0.08 * (high - low),
    high + (d ? 0.08 : 0.14) * (high - low),
  ]);
}

const OFFSETS = [
  [6, 4, "start"],
  [-6, 4, "end"],
  [0, -7, "middle"],
  [0, 15, "middle"],
  [6, -6, "start"],
  [6, 14, "start"],
  [-6, -6, "end"],
  [-6, 14, "end"],
];

const HALO = "paint-order: stroke; stroke: var(--paper); stroke-width: 3; stroke-linejoin: round";

/**
 * A dot and a name for each word; each name takes the side on which it covers least of what stands there already, and keeps within the frame.
 * Returns a function that shows some of the words in ink, and the others quietly.
 */
export function labels(on, words) {
  const layer = on.layer("words"),
    dots = words.map(({ at }) => box(on.X(at[0]), on.Y(at[1]), 6, 6)),
    taken = [];
  const texts = words.map(({ name, at }, own) => {
    const [x, y] = [on.X(at[0]), on.Y(at[1])],
      wide = 6.2 * name.length;
    const there = [...dots.filter((_, other) => other !== own), ...taken];
    const tried = OFFSETS.map(([dx, dy, anchor]) => {
      const middle = x + dx + { start: wide / 2, end: -wide / 2, middle: 0 }[anchor],
        made = box(middle, y + dy - 4, wide / 2, 6);
      const out = made[0] < 11 || made[1] > on.width || made[2] < 18 || made[3] > on.height - 11;
      return { dx, dy, anchor, made, cost: there.reduce((sum, other) => sum + overlap(made, other), out ? 1000 : 0) };
    });
    const best = tried.reduce((a, b) => (b.cost < a.cost - 0.5 ? b : a));
    taken.push(best.made);
    shape(layer, "circle", { r: 2, cx: x, cy: y });
    return shape(layer, "text", { x: x + best.dx, y: y + best.dy, "text-anchor": best.anchor, style: HALO }, name);
  });
  return (inked) =>
    texts.forEach((text, i) =>
      set(text, { style: inked.includes(words[i].word) ? `${HALO}; fill: var(--ink)` : HALO }),
    );
}

const box = (x, y, w, h) => [x - w, x + w, y - h, y + h];
const overlap = (a, b) =>
  Math.max(0, Math.min(a[1], b[1]) - Math.max(a[0], b[0])) * Math.max(0, Math.min(a[3], b[3]) - Math.max(a[2], b[2]));
