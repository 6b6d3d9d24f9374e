import { FEW_ROUNDINGS, LONG_SUM, up } from '../numeric/rounding.js';
import { logNormalCdf, normalQuantileLog } from '../numeric/scalar.js';
import { atomicPair } from './atomic-pair.js';
import type { Shift } from './discrete-vector.js';
import { type ListedNoise, logTails } from './integer-noise.js';
import { splitAtoms } from './meshed-atoms.js';
import type { AtomicPair, Atoms } from './pair.js';
import { MOST_WORK, productAtoms } from './product-atoms.js';

/** Gaussian noise that is more revealing than listed noise, except with a small probability (docs/proofs/integer-noise.md 6). */
export interface GaussianBelow {
  /** A change of k is dominated by kμ-GDP. */
  readonly mu: number;
  /** log of the probability of outputs not covered for a change of this size; 0 if the change is too large. */
  logRare(change: number): number;
}

/**
 * The Gaussian mechanism that dominates a change of one: μ is the greatest distance of normal scores of adjacent tails.
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
    // for a mode at one integer, the tails next to it mirror each other; for one between two integers the first score is 0
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
 * z with Φ(−z) = e^{logTail}, rounded to one side.
 *
 * Ensures: no less than that z for side 1, no more for −1.
 */
function score(logTail: number, side: 1 | -1): number {
  const start = -normalQuantileLog(logTail);
  let z = start;
  for (let step = FEW_ROUNDINGS; !isBeyond(z, logTail, side); step *= 4)
    z = start + side * step * (1 + start);
  return z;
}

/** Relative errors of log Φ and of the comparison, added up; the bracket depends on it. */
const SLACK = 2e-15;

function isBeyond(z: number, logTail: number, side: 1 | -1): boolean {
  return side * (logNormalCdf(-z) * (1 - side * SLACK) - logTail) <= 0;
}

/** A wider mesh bounds no better than the Gaussian. Only sharpness depends on it. */
const COARSEST = 0.2;
/** Greatest number of coordinates in a listed product. */
const MOST_LISTED = 256;
/** About the number of its multiplications, and log of the mass that it omits; sharpness depends on both. */
const [WORK, LOG_RARE] = [6e6, -150];

/**
 * The pair of a change of a vector, on a mesh. It is a lower bound: an attack that sees only the cells, of the first 256 coordinates.
 *
 * Ensures: the pair is dominated by the vector's.
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
 * log δ(ε), ε ≥ 0, of one change of a vector from above: losses split between the points of a mesh. Undefined where there are too many.
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
  // the pair is its own mirror image: one direction bounds both
  const { forward } = atomicPair(found);
  return (epsilon) => forward.logDelta(epsilon).upper;
}
