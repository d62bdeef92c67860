import { shape } from "../kit/dom.js";

/** A square [x, y] of ranges that holds all words, with room for their names. */
export function reach(words) {
  const range = (d) => [Math.min(...words.map(({ at }) => at[d])), Math.max(...words.map(({ at }) => at[d]))];
  return [range(0), range(1)].map(([low, high], d) => [low - (d ? 0.06 : 0.08) * (high - low), high + (d ? 0.06 : 0.14) * (high - low)]);
}

const OFFSETS = [[6, 4, "start"], [-6, 4, "end"], [0, -7, "middle"], [0, 15, "middle"], [6, -6, "start"], [6, 14, "start"], [-6, -6, "end"], [-6, 14, "end"]];

/** A dot and a name for each word; each name takes the side on which it covers least of what stands there already. */
export function labels(on, words) {
  const layer = on.layer("words"), taken = words.map(({ at }) => box(on.X(at[0]), on.Y(at[1]), 4, 4));
  for (const { name, at } of words) {
    const [x, y] = [on.X(at[0]), on.Y(at[1])], wide = 6.2 * name.length;
    const tried = OFFSETS.map(([dx, dy, anchor]) => {
      const middle = x + dx + { start: wide / 2, end: -wide / 2, middle: 0 }[anchor], made = box(middle, y + dy - 4, wide / 2, 6);
      const out = made[0] < 0 || made[1] > on.width || made[2] < 0 || made[3] > on.height;
      return { dx, dy, anchor, made, cost: taken.reduce((sum, other) => sum + overlap(made, other), out ? 1000 : 0) };
    });
    const best = tried.reduce((a, b) => (b.cost < a.cost - 0.5 ? b : a));
    taken.push(best.made);
    shape(layer, "circle", { r: 2, cx: x, cy: y });
    shape(layer, "text", { x: x + best.dx, y: y + best.dy, "text-anchor": best.anchor }, name);
  }
}

const box = (x, y, w, h) => [x - w, x + w, y - h, y + h];
const overlap = (a, b) => Math.max(0, Math.min(a[1], b[1]) - Math.max(a[0], b[0])) * Math.max(0, Math.min(a[3], b[3]) - Math.max(a[2], b[2]));
