/** The nearest whole number; a half goes to the even one, as torch rounds. */
const whole = (x) => (Math.abs(x % 1) === 0.5 ? 2 * Math.round(x / 2) : Math.round(x));

/** Row and column of the first pixel of a window of `size` pixels around a place (down, across) from -1 to 1. */
export function corner([down, across], width, size) {
  return [down, across].map((at) => whole(((at + 1) / 2) * width - size / 2));
}

/**
 * What is seen of a square image around a place: `scales` crops of size x size numbers, one after the other, each twice
 * as wide as the one before and as coarse. Outside the image it is 0.
 */
export function glimpse(image, width, place, size, scales) {
  const crops = new Float32Array(scales * size * size),
    wide = size * 2 ** (scales - 1);
  const [top, left] = corner(place, width, wide);
  for (let k = 0, to = 0; k < scales; k++) {
    const each = 2 ** k,
      edge = (wide - size * each) / 2;
    for (let i = 0; i < size; i++) {
      for (let j = 0; j < size; j++)
        crops[to++] = mean(image, width, top + edge + i * each, left + edge + j * each, each);
    }
  }
  return crops;
}

function mean(image, width, top, left, each) {
  let sum = 0;
  for (let y = Math.max(top, 0); y < Math.min(top + each, width); y++) {
    for (let x = Math.max(left, 0); x < Math.min(left + each, width); x++) sum += image[y * width + x];
  }
  return sum / each ** 2;
}
