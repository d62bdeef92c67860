const ONES =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(
    " ",
  );
const TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const SCALES = [
  [1e12, "trillion"],
  [1e9, "billion"],
  [1e6, "million"],
  [1e3, "thousand"],
];

const below100 = (n) => (n < 20 ? [ONES[n]] : [TENS[Math.floor(n / 10) - 2], ...(n % 10 ? [ONES[n % 10]] : [])]);

const below1000 = (n) =>
  n < 100 ? below100(n) : [ONES[Math.floor(n / 100)], "hundred", ...(n % 100 ? ["and", ...below100(n % 100)] : [])];

/** A whole number below 10^15 in English words: 1042 is one, thousand, and, forty, two. */
export function english(n) {
  const words = [];
  for (const [scale, name] of SCALES) {
    const group = Math.floor(n / scale) % 1000;
    if (group) words.push(...below1000(group), name);
  }
  const rest = n % 1000;
  if (rest) words.push(...(words.length && rest < 100 ? ["and"] : []), ...below1000(rest));
  return words.length ? words : ["zero"];
}
