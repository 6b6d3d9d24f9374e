import { HALF_LOG_2PI } from '../numeric/constants.js';
import { logComplement } from '../numeric/log-arithmetic.js';
import { padLogProbability } from '../numeric/log-probability.js';
import { MANY_ROUNDINGS, ROUNDINGS } from '../numeric/rounding.js';
import { exp, logDeltaGdp, logNormalCdf, normalQuantileLog } from '../numeric/scalar.js';
import { logTails, type WholeNoise } from './integer-noise.js';

/** Gaussian releases between which another one lies (docs/proofs/integer-noise.md 7). */
export interface GaussiansAround {
  /** μ of one that dominates the release, and of one that it dominates, outputs aside that are so rare. */
  readonly worse: number;
  readonly better: number;
  readonly logRare: number;
}

/** How much further tails are listed than they are compared: what is left out is less than a rounding. */
const FURTHER = 45;
/** Outputs are taken together to cells of this width, in standard deviations. Only width and speed depend on it. */
const CELL = 1 / 24;
/** Least distance of two losses: more than all their roundings. Correctness depends on it. */
const LEAST_GAP = 1e-10;
/** A μ is moved further than it has to be, by this share of the squared width of a cell. So it is seldom moved. Only width and speed depend on it. */
const MARGIN = 0.01;
/** Most steps of Newton's method for a μ. Only success depends on it. */
const MOST_STEPS = 40;

/**
 * The logarithm of the profile of a change at some losses. `above`: upper bounds of δ there. `below`: lower bounds of δ by the likelihood ratio
 * tests whose thresholds lie between one loss and the next. `quantile`: normal quantiles of those tests' false positive rates.
 */
interface Profile {
  readonly epsilon: readonly number[];
  readonly above: readonly number[];
  readonly below: readonly number[];
  readonly quantile: readonly number[];
}

/**
 * The Gaussians around a change of noise of whole numbers, symmetric and log-concave; undefined if there are none.
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
  // the ends decide mostly
  for (const j of [0, last, ...epsilon.keys()]) {
    better &&= movedMu(better, epsilon[j], (mu) => logDeltaAbove(mu, epsilon[j]) - below[j], -margin);
    if (j < last) worse &&= movedMu(worse, epsilon[j], (mu) => shortOf(mu, quantile[j], profile, j), margin);
  }
  if (!(worse && better)) return undefined;
  return { worse, better, logRare: Math.max(above[last], logDeltaAbove(better, epsilon[last])) };
}

/** Losses from 0 on, and δ there. Ensures: `above` and `below` are on their sides of what they bound. */
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
  // what a threshold leaves of δ
  const left = (i: number, epsilon: number, side: 1 | -1): number => {
    const [q, p] = [tailAt(i - change), tailAt(i)];
    const gap = p + epsilon - q - side * (4 * error + ROUNDINGS);
    return gap < 0 ? q + side * (2 * error + ROUNDINGS) + logComplement(gap) : -Infinity;
  };
  // at loss 0 the first threshold is the best, and at that of an output its own and the next
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

function logDeltaAbove(mu: number, epsilon: number): number {
  return padLogProbability(logDeltaGdp(mu, epsilon)).upper;
}

/**
 * By how much a test of δ_μ falls short of the profile at the ends of a span. The test has the false positive rate Φ(quantile); its line is linear in
 * e^ε. Where it does not fall short, δ_μ is above the line, the line above the chord, and the chord above the profile.
 */
function shortOf(mu: number, quantile: number, { epsilon, above }: Profile, j: number): number {
  const [q, p] = [logNormalCdf(quantile + mu), logNormalCdf(quantile)];
  const lineAt = (at: number): number => {
    const gap = p + at - q + MANY_ROUNDINGS;
    return gap < 0 ? q - MANY_ROUNDINGS + logComplement(gap) : -Infinity;
  };
  return Math.max(above[j] - lineAt(epsilon[j]), above[j + 1] - lineAt(epsilon[j + 1]));
}

/** A μ beyond `from` at which `excess` is at most 0, by Newton's method, and a share further. Ensures: it is, if there is a result. */
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
