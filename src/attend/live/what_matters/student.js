/** The logarithm of the gamma function (Lanczos). */
function logGamma(x) {
  const c = [
    76.18009172947146, -86.50532032941678, 24.01409824083091, -1.231739572450155, 1.208650973866179e-3,
    -5.395239384953e-6,
  ];
  const base = x + 5.5 - (x + 0.5) * Math.log(x + 5.5);
  const sum = c.reduce((total, value, i) => total + value / (x + 1 + i), 1.000000000190015);
  return -base + Math.log((2.5066282746310007 * sum) / x);
}

/** The continued fraction of the incomplete beta function. */
function fraction(x, a, b) {
  const tiny = 1e-300;
  const safe = (v) => (Math.abs(v) < tiny ? tiny : v);
  let c = 1;
  let d = 1 / safe(1 - ((a + b) * x) / (a + 1));
  let product = d;
  for (let m = 1; m < 200; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    for (const step of [even, odd]) {
      d = 1 / safe(1 + step * d);
      c = safe(1 + step / c);
      product *= c * d;
    }
    if (Math.abs(c * d - 1) < 1e-12) break;
  }
  return product;
}

/** The regularised incomplete beta function. */
function beta(x, a, b) {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(1 - x));
  return x < (a + 1) / (a + b + 2) ? (front * fraction(x, a, b)) / a : 1 - (front * fraction(1 - x, b, a)) / b;
}

/** The two-sided p-value of Student's t. */
export const pValue = (t, df) => beta(df / (df + t * t), df / 2, 0.5);

/** The t whose two-sided p-value is 0.05. */
export function critical(df) {
  let low = 1.9;
  let high = 13;
  for (let i = 0; i < 40; i++) {
    const middle = (low + high) / 2;
    if (pValue(middle, df) > 0.05) low = middle;
    else high = middle;
  }
  return low;
}
