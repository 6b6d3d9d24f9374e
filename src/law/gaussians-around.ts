import { HALF_LOG_2PI } from '../numeric/constants.js';
import { logComplement } from '../numeric/log-arithmetic.js';
import { padLogProbability } from '../numeric/log-probability.js';
import { MANY_ROUNDINGS, ROUNDINGS } from '../numeric/rounding.js';
import { exp, logDeltaGdp, logNormalCdf, normalQuantileLog } from '../numeric/scalar.js';
import { logTails, type WholeNoise } from './integer-noise.js';

/** Two Gaussian pairs, one above and one below another pair, except for an event of small probability (docs/proofs/integer-noise.md 7). */
export interface GaussiansAround {
  /** μ of a Gaussian pair that dominates the release, except for an event of probability e^{logRare}. */
  readonly worse: number;
  /** μ of a Gaussian pair that the release dominates, except for an event of probability e^{logRare}. */
  readonly better: number;
  /** Log of the probability of the event that is excepted. */
  readonly logRare: number;
}

/** Tails of the noise are listed down to e^{−depth−45}, but compared down to e^{−depth}. So masses that are not listed are below a rounding error. */
const FURTHER = 45;
/** Distance between outputs whose losses are compared, in standard deviations. Only width and speed depend on it. */
const CELL = 1 / 24;
/** Least distance of the losses of two adjacent outputs: more than their rounding errors. Correctness depends on it. */
const LEAST_GAP = 1e-10;
/** Each step of `movedMu` goes further by this fraction of the squared cell width, so that μ seldom has to move again. Only width and speed depend on it. */
const MARGIN = 0.01;
/** Most steps of Newton's method for a μ. Without success there is no result. */
const MOST_STEPS = 40;

/**
 * log δ of the pair (Z, Z + change) at ascending losses `epsilon`. `above`: upper bounds. `below`: lower bounds log(q − e^ε p) by tests of false positive rates
 * p and powers q. Thresholds lie between one loss and the next. `quantile`: Φ⁻¹(p) of these tests.
 */
interface Profile {
  readonly epsilon: readonly number[];
  readonly above: readonly number[];
  readonly below: readonly number[];
  readonly quantile: readonly number[];
}

/**
 * Two Gaussian pairs around (Z, Z + change), Z symmetric log-concave noise of integers; undefined if the search finds none. A test of false positive rate p and
 * power q has the line q − e^ε p. Between listed losses δ of `worse` is above such a line, and δ of `better` below one (docs/proofs/integer-noise.md 7).
 *
 * Ensures: (Z, Z + change) is dominated by `worse`, and dominates `better`, each together with an event of probability e^{logRare} that reveals all.
 *
 * @param depth Tails are compared down to e^{−depth}, at most 640.
 */
export function gaussiansAround(noise: WholeNoise, depth: number): GaussiansAround | undefined {
  const profile = profileOf(noise, depth);
  if (profile === undefined) return undefined;
  const { epsilon, above, below, quantile } = profile;
  const last = epsilon.length - 1;
  const margin = MARGIN * Math.max(CELL, 1 / noise.deviation) ** 2;
  const about = noise.change / noise.deviation;
  let [worse, better]: (number | undefined)[] = [about, about];
  // the first and the last loss mostly decide, so they come first
  for (const j of [0, last, ...epsilon.keys()]) {
    better &&= movedMu(better, epsilon[j], (mu) => logDeltaAbove(mu, epsilon[j]) - below[j], -margin);
    if (j < last) worse &&= movedMu(worse, epsilon[j], (mu) => shortOf(mu, quantile[j], profile, j), margin);
  }
  if (!(worse && better)) return undefined;
  return { worse, better, logRare: Math.max(above[last], logDeltaAbove(better, epsilon[last])) };
}

/**
 * δ(ε) = P[Z + change ≥ t] − e^ε P[Z ≥ t], maximised over thresholds t, at losses from 0 on. Undefined if these losses are too few. Ensures: `above` and
 * `below` are upper and lower bounds, errors of tails included.
 */
function profileOf({ change, deviation, listed }: WholeNoise, depth: number): Profile | undefined {
  const noise = listed(depth + FURTHER);
  const { centre, decay } = noise;
  const { logs, error } = logTails(noise, depth, depth + FURTHER);
  const first = Math.ceil(change / 2 - centre);
  if (change - first + 1 >= logs.length) return undefined;
  const sums = new Float64Array(logs.length + change + 1);
  for (let i = 1; i < sums.length; i++) sums[i] = sums[i - 1] + (decay[i - 1] ?? Infinity);
  const tailAt = (i: number): number => (i >= 0 ? logs[i] : logComplement(logs[1 - 2 * centre - i]));
  const lossAt = (i: number): number => sums[i] - sums[Math.abs(i + centre - change) - centre];
  // log(q − e^ε p) of the test with threshold i, rounded up (side 1) or down
  const left = (i: number, epsilon: number, side: 1 | -1): number => {
    const [q, p] = [tailAt(i - change), tailAt(i)];
    const gap = p + epsilon - q - side * (4 * error + ROUNDINGS);
    return gap < 0 ? q + side * (2 * error + ROUNDINGS) + logComplement(gap) : -Infinity;
  };
  // at loss 0 the best threshold is `first`; at the loss of output x it is x and x + 1, equal up to rounding
  const [epsilon, above, below, quantile] = [[0], [left(first, 0, 1)], [left(first, 0, -1)], [] as number[]];
  const stride = Math.max(1, Math.floor(CELL * deviation));
  for (let [at, next] = [first - 1, first]; next + 1 < logs.length; [at, next] = [next, next + stride]) {
    const to = lossAt(next);
    if (!(to < Infinity && lossAt(next + 1) - to > LEAST_GAP)) break;
    const [from, threshold] = [epsilon.length - 1, at + 1 + ((next - at - 1) >> 1)];
    if (!(to > epsilon[from])) continue;
    below[from] = Math.min(below[from], left(threshold, epsilon[from], -1));
    quantile.push(normalQuantileLog(logs[threshold]));
    epsilon.push(to);
    above.push(Math.max(left(next, to, 1), left(next + 1, to, 1)));
    below.push(left(threshold, to, -1));
  }
  return epsilon.length > 2 ? { epsilon, above, below, quantile } : undefined;
}

/** An upper bound of log δ(ε) of the Gaussian pair with μ. */
function logDeltaAbove(mu: number, epsilon: number): number {
  return padLogProbability(logDeltaGdp(mu, epsilon)).upper;
}

/**
 * The larger of log δ − log(q − e^ε p) at the losses j and j + 1; p = Φ(quantile) and q = Φ(quantile + μ) are the rates of a test of the Gaussian pair.
 * If it is at most 0, the line q − e^ε p is above the chord of δ between the two losses. δ of the Gaussian pair is above the line. Rounded up.
 */
function shortOf(mu: number, quantile: number, { epsilon, above }: Profile, j: number): number {
  const [q, p] = [logNormalCdf(quantile + mu), logNormalCdf(quantile)];
  const lineAt = (at: number): number => {
    const gap = p + at - q + MANY_ROUNDINGS;
    return gap < 0 ? q - MANY_ROUNDINGS + logComplement(gap) : -Infinity;
  };
  return Math.max(above[j] - lineAt(epsilon[j]), above[j + 1] - lineAt(epsilon[j + 1]));
}

/**
 * `from` if `excess` is at most 0 there, else a μ at which it is, by Newton's method; each step goes further by the relative amount `further`, whose
 * sign is the direction. Ensures: `excess` is at most 0 at a result; undefined after `MOST_STEPS`.
 */
function movedMu(
  from: number,
  at: number,
  excess: (mu: number) => number,
  further: number,
): number | undefined {
  let mu = from;
  for (let step = 0; step < MOST_STEPS; step++) {
    const over = excess(mu);
    if (over <= 0) return mu;
    // d log δ/d log μ = μφ(ε/μ − μ/2)/δ
    const z = at / mu - mu / 2;
    const growth = exp(-(z * z) / 2 - HALF_LOG_2PI - logDeltaAbove(mu, at)) * mu;
    mu *= 1 + Math.sign(further) * Math.min(0.5, over / growth) + further;
  }
  return undefined;
}
