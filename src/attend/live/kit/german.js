const UNITS = "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf".split(" ");
const SHORT = { 6: "sech", 7: "sieb" };
const TENS = { 2: ["zwanzig"], 3: ["dreißig"] };

const ty = (tens) => TENS[tens] ?? [SHORT[tens] ?? UNITS[tens], "zig"];

function below100(n) {
  if (n < 13) return [UNITS[n]];
  if (n < 20) return [SHORT[n - 10] ?? UNITS[n - 10], "zehn"];
  return [...(n % 10 ? [UNITS[n % 10], "und"] : []), ...ty(Math.floor(n / 10))];
}

function below1000(n) {
  const hundreds = n > 99 ? [UNITS[Math.floor(n / 100)], "hundert"] : [];
  return n % 100 === 1 ? [...hundreds, "eins"] : [...hundreds, ...(n % 100 ? below100(n % 100) : [])];
}

/** A whole number below a million in German pieces, as the readers were taught: 342 is drei, hundert, zwei, und, vier, zig. */
export function german(n) {
  const thousands = Math.floor(n / 1000);
  if (n === 0) return ["null"];
  return [
    ...(thousands === 1 ? ["ein"] : below1000(thousands)),
    ...(thousands ? ["tausend"] : []),
    ...below1000(n % 1000),
  ];
}
