/** Cells in a row, and pixels in a cell; then those of a thing and of a scrap. */
export const SIDE = 3;
export const CELL = 16;
const PIXELS = { things: 14, scraps: 6 };

/** The image of nine cells, each null or {kind, which, down, across}: things and scraps lie `down` and `across` in theirs. */
export function compose(tensors, cells) {
  const width = SIDE * CELL,
    image = new Float32Array(width * width);
  cells.forEach((held, cell) => {
    if (!held) return;
    const side = PIXELS[held.kind],
      top = Math.floor(cell / SIDE) * CELL + held.down,
      left = (cell % SIDE) * CELL + held.across;
    for (let y = 0; y < side; y++) {
      for (let x = 0; x < side; x++) {
        image[(top + y) * width + left + x] = tensors[held.kind].values[(held.which * side + y) * side + x] / 255;
      }
    }
  });
  return image;
}

/** The caption that a scene deserves, as numbers of words; null unless two things share a row or a column. */
export function truth({ words, names }, cells) {
  const there = cells.flatMap((held, cell) => (held?.kind === "things" ? [{ cell, name: names[held.which] }] : []));
  if (there.length !== 2) return null;
  const [one, two] = there,
    row = ({ cell }) => Math.floor(cell / SIDE),
    column = ({ cell }) => cell % SIDE;
  if (row(one) !== row(two) && column(one) !== column(two)) return null;
  const article = (name) => (/^[aeiou]/.test(words[name]) ? "an" : "a"),
    relation = row(one) === row(two) ? "beside" : "above";
  return [article(one.name), words[one.name], relation, article(two.name), words[two.name], "."].map((word) =>
    typeof word === "string" ? words.indexOf(word) : word,
  );
}

/** A scene like those of the training: two things in one row or column, and three scraps. `chance()` is from 0 to below 1. */
export function another(things, scraps, chance) {
  const below = (n) => Math.floor(chance() * n),
    cells = new Array(SIDE * SIDE).fill(null);
  const line = below(SIDE),
    upright = below(2) === 1,
    left = below(SIDE),
    rest = [0, 1, 2].filter((n) => n !== left);
  for (const n of [left, rest[below(2)]])
    cells[upright ? n * SIDE + line : line * SIDE + n] = put("things", below(things), below(3), below(3));
  for (let left = 3; left > 0; ) {
    const cell = below(SIDE * SIDE);
    if (cells[cell]) continue;
    cells[cell] = put("scraps", below(scraps), below(11), below(11));
    left--;
  }
  return cells;
}

export const put = (kind, which, down, across) => ({ kind, which, down, across });

/** Even numbers from 0 to below 1, the same ones after every start. */
export function dice(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
