import { FEW_ROUNDINGS, LONG_SUM, up } from '../numeric/rounding.js';
import { logNormalCdf, normalQuantileLog } from '../numeric/scalar.js';
import { atomicPair } from './atomic-pair.js';
import type { Shift } from './discrete-vector.js';
import { type ListedNoise, logTails } from './integer-noise.js';
import { splitAtoms } from './meshed-atoms.js';
import type { AtomicPair, Atoms } from './pair.js';
import { MOST_WORK, productAtoms } from './product-atoms.js';

/** A Gaussian mechanism that dominates integer noise, except for an event of small probability (docs/proofs/integer-noise.md 6). */
export interface GaussianBelow {
  /** A change of the query by k is dominated by kμ-GDP, except for an event of probability e^{logRare(k)}. */
  readonly mu: number;
  /** Log of the probability of the event that is excepted for a change by `change`; 0 if the change is too large. */
  logRare(change: number): number;
}

/**
 * The Gaussian mechanism that dominates a change of the query by 1 (docs/proofs/integer-noise.md 6). Its μ is the largest z(t) − z(t − 1) over
 * thresholds t; z(t) = −Φ⁻¹(P[Z ≥ t]), Z the noise. Errors of tails and roundings are added to it.
 *
 * Ensures: (Z, Z + k) is dominated by kμ-GDP together with an event of probability e^{logRare(k)} that reveals all.
 *
 * @param depth Tails are compared down to e^{−depth}, at most 640.
 */
export function gaussianBelow(noise: ListedNoise, depth: number): GaussianBelow {
  const { logs, error } = logTails(noise, depth);
  const first = noise.centre === 0 ? 1 : 0;
  let mu = 0;
  for (let t = 1; t < logs.length; t++) {
    // z(0) = −z(1) if Z is centred at an integer; z(½) = 0 if it is centred between two
    const before =
      t > 1 ? score(logs[t - 1] + error, -1) : noise.centre === 0 ? -score(logs[t] - error, 1) : 0;
    mu = Math.max(mu, score(logs[t] - error, 1) - before);
  }
  return {
    mu: up(mu, LONG_SUM),
    logRare: (change) => {
      const at = logs.length - change;
      return at < first ? 0 : Math.min(0, logs[at] + error);
    },
  };
}

/**
 * z = −Φ⁻¹(e^{logTail}), rounded up for side 1 and down for −1. The computed quantile is moved until Φ(−z) is on its side of the tail.
 *
 * Ensures: no less than the exact z for side 1, no more for −1.
 */
function score(logTail: number, side: 1 | -1): number {
  const start = -normalQuantileLog(logTail);
  let z = start;
  for (let step = FEW_ROUNDINGS; !isBeyond(z, logTail, side); step *= 4)
    z = start + side * step * (1 + start);
  return z;
}

/** Bound of the relative errors of log Φ and of its comparison. Correctness depends on it. */
const SLACK = 2e-15;

/** Whether z is on the given side of the exact score, also after the rounding error of log Φ. */
function isBeyond(z: number, logTail: number, side: 1 | -1): boolean {
  return side * (logNormalCdf(-z) * (1 - side * SLACK) - logTail) <= 0;
}

/** Spacing of the mesh of losses above which `shiftDelta` gives up: `GaussianBelow` is then sharper. Only width depends on it. */
const COARSEST = 0.2;
/** Largest number of coordinates that `shiftBelow` observes. Only width depends on it. */
const MOST_LISTED = 256;
/** Multiplications of a convolution, about, and log of the mass that it may omit. Only width and speed depend on them. */
const [WORK, LOG_RARE] = [6e6, -150];

/**
 * A lower bound of the pair of a vector `shift`, by post-processing: the first 256 coordinates alone are observed, their losses rounded to a mesh.
 * The law of the sum is a convolution.
 *
 * Ensures: the pair of the vector dominates the result, within the errors that its atoms state.
 *
 * @param atomsOf Atoms of a change of one integer.
 */
export function shiftBelow(shift: Shift, atomsOf: (entry: number) => Atoms): AtomicPair {
  let free = MOST_LISTED;
  const parts = shift.flatMap(([entry, counted]) => {
    const count = Math.min(counted, free);
    free -= count;
    return count > 0 ? [{ atoms: atomsOf(entry), count }] : [];
  });
  const [{ atoms }] = parts;
  if (parts.length === 1 && parts[0].count === 1) return atomicPair(atoms);
  const widths = parts.map(({ atoms: { loss }, count }) => count * (loss[loss.length - 1] - loss[0]));
  const whole = widths.reduce((sum, width) => sum + width, 0);
  const step = Math.max(whole / Math.sqrt(Math.min(WORK, MOST_WORK)), 1e-9);
  return atomicPair(productAtoms(parts, step, { logRare: LOG_RARE, merged: true }) ?? atoms);
}

/**
 * An upper bound of log δ(ε), ε ≥ 0, of a vector `shift`. The losses of each coordinate are split between the points of a mesh (`splitAtoms`); then
 * their laws are convolved. Undefined if that is too much work.
 *
 * Ensures: no less than log δ(ε) of the vector.
 *
 * @param atomsOf Atoms of a change of one integer.
 */
export function shiftDelta(
  shift: Shift,
  atomsOf: (entry: number) => Atoms,
): ((epsilon: number) => number) | undefined {
  const listed = shift.map(([entry, count]) => ({ atoms: atomsOf(entry), count }));
  const whole = listed.reduce(
    (sum, { atoms: { loss }, count }) => sum + count * (loss[loss.length - 1] - loss[0]),
    0,
  );
  const step = Math.max(whole / Math.sqrt(WORK), 1e-9);
  if (!(step < COARSEST)) return undefined;
  const parts = listed.map(({ atoms, count }) => ({ atoms: splitAtoms(atoms, step), count }));
  const found = productAtoms(parts, step, { logRare: LOG_RARE });
  if (found === undefined) return undefined;
  // noise is symmetric: both directions have the same δ
  const { forward } = atomicPair(found);
  return (epsilon) => forward.logDelta(epsilon).upper;
}
