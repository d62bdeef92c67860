/** A stream of numbers from 0 up to 1, the same for the same seed (mulberry32). */
export function uniform(seed) {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A stream of numbers from the standard normal distribution, the same for the same seed. */
export function normals(seed) {
  const next = uniform(seed);
  return () => {
    const far = Math.sqrt(-2 * Math.log(1 - next()));
    return far * Math.cos(2 * Math.PI * next());
  };
}
