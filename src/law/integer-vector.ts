import { LONG_SUM, up } from '../numeric/rounding.js';
import { logNormalCdf, normalQuantileLog } from '../numeric/scalar.js';
import { atomicPair } from './atomic-pair.js';
import type { Shift } from './discrete-vector.js';
import { type ListedNoise, logTails } from './integer-noise.js';
import type { AtomicPair, Atoms } from './pair.js';
import { MOST_WORK, productAtoms } from './product-atoms.js';

/** Gaussian noise that is no more than listed noise, but for what is rare (docs/proofs/integer-noise.md 6). */
export interface GaussianBelow {
  /** A change of k costs at most kμ. */
  readonly mu: number;
  /** log of the probability that a change of so much shows beside that; 0 where it is too large. */
  logRare(change: number): number;
}

/**
 * The Gaussian beside which noise is no better, for a change of one.
 *
 * Ensures: (Z, Z + k) is dominated by kμ-GDP and what gives all away with probability e^{logRare(k)}.
 *
 * @param depth Tails are followed to e^{−depth}, at most 640.
 */
export function gaussianBelow(noise: ListedNoise, depth: number): GaussianBelow {
  const { logs, error } = logTails(noise, depth);
  const first = noise.centre === 0 ? 1 : 0;
  let mu = 0;
  for (let t = 1; t < logs.length; t++) {
    // thresholds of a number in the middle are mirror images; where there is none, the score of the first is 0
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

/** z with Φ(−z) = e^{logTail}, on one side of it. */
function score(logTail: number, side: 1 | -1): number {
  const start = -normalQuantileLog(logTail);
  let z = start;
  for (let step = 1e-15; !isBeyond(z, logTail, side); step *= 4) z = start + side * step * (1 + start);
  return z;
}

/** Errors of log Φ and of what is compared with it. Safety hangs on it. */
const SLACK = 2e-15;

function isBeyond(z: number, logTail: number, side: 1 | -1): boolean {
  return side * (logNormalCdf(-z) * (1 - side * SLACK) - logTail) <= 0;
}

/** Coordinates of a product that is listed. */
const MOST_LISTED = 256;
/** Multiplications that it takes, about, and what it leaves out, as a logarithm. Width hangs on both. */
const [WORK, LOG_RARE] = [6e6, -150];

/**
 * What is told of a change by a vector, on a mesh: no more than the releases tell of it together.
 *
 * @param atomsOf Losses of a change of one number.
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
