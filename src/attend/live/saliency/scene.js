import { clamp } from "../kit/dom.js";

/** How many pixels wide a digit is, and a piece of another. */
export const SIDE = 14;
export const PIECE = 6;

/** From this darkness on, a pixel of the digit hides what a piece would put there. */
const INK = 0.25;

function place(image, tensors, { kind, which, row, column, side }, width, where) {
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const at = (row + y) * width + column + x,
        value = tensors[kind].values[(which * side + y) * side + x] / 255;
      if (where(at)) image[at] = Math.max(image[at], value);
    }
  }
}

/** The canvas: the digit (unless its `which` is negative), the pieces around its ink, then what was painted or erased. */
export function compose(tensors, [digit, ...pieces], painted, width) {
  const own = new Float32Array(width * width);
  if (digit.which >= 0) place(own, tensors, digit, width, () => true);
  const image = own.slice();
  for (const piece of pieces) place(image, tensors, piece, width, (at) => own[at] < INK);
  return image.map((value, at) => clamp(value + painted[at], 0, 1));
}

/** The number of the thing under a point, of the smallest if there are several; -1 where there is none. */
export function pick(things, x, y) {
  const under = things
    .map((thing, i) => ({ ...thing, i }))
    .filter(
      ({ which, row, column, side }) => which >= 0 && x >= column && x < column + side && y >= row && y < row + side,
    );
  return under.length ? under.reduce((a, b) => (b.side < a.side ? b : a)).i : -1;
}

/** The share of mass in a box, where each part {value, row, column, side} is spread evenly over its own square. */
export function inBox(parts, box) {
  const overlap = (from, side, start) => Math.max(0, Math.min(from + side, start + box.side) - Math.max(from, start));
  let whole = 0,
    held = 0;
  for (const { value, row, column, side } of parts) {
    whole += value;
    held += (value * overlap(row, side, box.row) * overlap(column, side, box.column)) / side ** 2;
  }
  return whole > 0 ? held / whole : 0;
}
