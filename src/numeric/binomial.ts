import { type Bracket, bracket } from './bracket.js';
import { HALF_LOG_2PI, U } from './constants.js';
import { logComplement, outward } from './log-arithmetic.js';
import { exp, log, log1p } from './scalar.js';

/**
 * Brackets of the logarithms of binomial tails, with relative accuracy however small the tail. As P[Bin(n, p) ≥ k] = I_p(k, n − k + 1), they are also
 * values of the regularised incomplete beta function.
 */

/** Largest |t| for success probabilities e^t/(1 + e^t). At a larger |t| a tail is bounded by that at ± this value. */
export const LARGEST_LOGIT = 700;
/** Largest number of trials: a tail then sums at most some 10⁵ terms. */
export const MOST_TRIALS = 1e9;

/** Sums end where the remainder, which is added, is below this fraction of them. Only width depends on it. */
const NEGLIGIBLE = 1e-17;

/** p = e^t/(1 + e^t) and q = 1 − p, each with a relative error of a few roundings. */
interface Chance {
  readonly logit: number;
  readonly p: number;
  readonly q: number;
}

/** log p for p = e^t/(1 + e^t), a few roundings of error. */
export function logLogistic(t: number): number {
  return t < 0 ? t - log1p(exp(t)) : -log1p(exp(-t));
}

/** e^t/(1 + e^t), with a relative error of a few roundings, also where it is small. */
export function logistic(t: number): number {
  return t < 0 ? exp(t) / (1 + exp(t)) : 1 / (1 + exp(-t));
}

/**
 * log P[Bin(trials, p) ≥ atLeast] for p = e^logit/(1 + e^logit).
 *
 * If the tail does not contain the mean it is summed from its largest term on (`smallTail`): by C. Loader's saddle-point form of the binomial
 * probability, ratios of adjacent terms, and a geometric series for the remainder. Else it is the complement of the other tail.
 *
 * Ensures: holds the logarithm for the very doubles that are given.
 *
 * @param trials A whole number from 0 to `MOST_TRIALS`.
 * @param logit Any number, or ±∞.
 */
export function logUpperTail(trials: number, atLeast: number, logit: number): Bracket {
  if (atLeast <= 0) return bracket(0, 0);
  if (atLeast > trials || logit === -Infinity) return bracket(-Infinity, -Infinity);
  if (logit === Infinity) return bracket(0, 0);
  if (logit > LARGEST_LOGIT) return bracket(logUpperTail(trials, atLeast, LARGEST_LOGIT).lower, 0);
  if (logit < -LARGEST_LOGIT) return bracket(-Infinity, logUpperTail(trials, atLeast, -LARGEST_LOGIT).upper);
  const p = logistic(logit);
  const q = logistic(-logit);
  if (atLeast > trials * p) return smallTail(trials, atLeast, { logit, p, q });
  const below = smallTail(trials, trials - atLeast + 1, { logit: -logit, p: q, q: p });
  const lower = outward(logComplement(below.upper), -1);
  return bracket(lower, outward(logComplement(below.lower), 1));
}

/**
 * log P[Bin(trials, p) ≤ atMost].
 *
 * Ensures: holds the logarithm for the very doubles that are given.
 */
export function logLowerTail(trials: number, atMost: number, logit: number): Bracket {
  return logUpperTail(trials, trials - atMost, -logit);
}

/**
 * log P[Bin(n, p) ≥ k], k > np: the first term times 1 + r₁ + r₁r₂ + …; the ratios r_j < 1 decrease. Ensures: the logarithm lies in the bracket,
 * whose upper end contains a geometric series for the terms left out.
 */
function smallTail(n: number, k: number, chance: Chance): Bracket {
  const first = logProbability(n, k, chance);
  const odds = exp(chance.logit);
  let term = 1;
  let sum = 1;
  let roundings = 0;
  let rest = 0;
  let count = 0;
  for (let j = 1; j <= n - k; j++) {
    const ratio = ((n - k - j + 1) / (k + j)) * odds;
    term *= ratio;
    sum += term;
    roundings += j * term;
    count = j;
    rest = ratio < 1 ? (term * ratio) / (1 - ratio) : Infinity;
    if (rest <= NEGLIGIBLE * sum) break;
  }
  if (count === n - k) rest = 0;
  const slack = U * (8 * (roundings / sum) + count + 8) + first.error;
  const lower = first.value + log(sum);
  const upper = first.value + log(sum + rest);
  const pad = slack * (1 + 1e-9) + 4 * U * Math.abs(upper);
  return bracket(lower - pad, Math.min(0, upper + pad));
}

/** log P[Bin(n, p) = k] by Loader's saddle-point form, and a bound of its absolute error. */
export function logProbability(
  n: number,
  k: number,
  { p, q, logit }: Chance,
): { readonly value: number; readonly error: number } {
  if (k === 0 || k === n) {
    const value = n * logLogistic(k === 0 ? -logit : logit);
    return { value, error: 8 * U * Math.abs(value) };
  }
  const a = deviance(k, n * p);
  const b = deviance(n - k, n * q);
  const scale = 0.5 * log(n / k / (n - k)) - HALF_LOG_2PI;
  const value = scale + stirlingError(n) - stirlingError(k) - stirlingError(n - k) - a.value - b.value;
  return { value, error: 16 * U * (2 + Math.abs(scale) + a.size + b.size) };
}

/**
 * x log(x/m) + m − x ≥ 0, by its series in (x − m)/(x + m) if that is below ½. Its absolute error is at most 16U·`size`, if m has a relative error of at
 * most 5U.
 */
function deviance(x: number, m: number): { readonly value: number; readonly size: number } {
  const d = x - m;
  if (Math.abs(d) >= 0.5 * (x + m)) {
    const product = x * log(x / m);
    return { value: product + m - x, size: Math.abs(product) + x + m };
  }
  const v = d / (x + m);
  let value = d * v;
  let power = 2 * x * v;
  for (let j = 1; j < 40; j++) {
    power *= v * v;
    const next = value + power / (2 * j + 1);
    if (next === value) break;
    value = next;
  }
  return { value, size: value + Math.abs(d) };
}

/** log n! − ½ log(2πn) − n log n + n for n = 1 … 15. From 16 on Stirling's series is used, whose truncation error is below 2e-18. */
const STIRLING_ERRORS = [
  0.08106146679532726, 0.0413406959554093, 0.02767792568499834, 0.020790672103765093, 0.016644691189821193,
  0.013876128823070748, 0.01189670994589177, 0.010411265261972096, 0.009255462182712733, 0.00833056343336287,
  0.007573675487951841, 0.00694284010720953, 0.006408994188004207, 0.0059513701127588475,
  0.005554733551962801,
];

/** log n! − ½ log(2πn) − n log n + n, with a few roundings. */
function stirlingError(n: number): number {
  if (n < 16) return STIRLING_ERRORS[n - 1];
  const s = 1 / (n * n);
  return (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s * (1 / 1188 - (s * 691) / 360360))))) / n;
}
