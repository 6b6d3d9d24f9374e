import { U } from '../numeric/constants.js';
import { exp, expm1, log, logNormalCdf, normalQuantileLog } from '../numeric/scalar.js';
import { atomicPair } from './atomic-pair.js';
import { ALL_FINITE, type AtomicPair, type Atoms } from './pair.js';

/** Cells of the statistic, at most, and their width in standard deviations of the noise. */
const MOST_CELLS = 4096;
const WIDTH = 0.01;
/** Tails of the statistic that are one cell each: e^{LOG_TAIL}. */
const LOG_TAIL = -110;
/**
 * Relative error of the masses: differences of tails known to a few roundings for each unit of their logarithm, which fall by at least
 * a hundredth from edge to edge.
 */
const RELATIVE = 2e-11;

/**
 * What the largest batch of a shuffled epoch says of a record: others have the gradient −1, it has +1 against 0, and the sum that batches
 * have without it is public. With σ = 1 and μ = 1/σ the largest of the t sums has the cdf Φ(c − mμ)Φ(c)^{t−1}, m = 2 against 1 (1 − a of the time;
 * Φ(c)^t where the record is in no batch). Cut into cells: post-processing, so what they say the epoch says. Proof: docs/proofs/shuffled.md.
 */
export function largestBatchPair(mu: number, bins: number, leftOut: number): AtomicPair {
  // most noise alone is below this with probability 1 − e^{LOG_TAIL}, and above that
  const high = 2 * mu - normalQuantileLog(LOG_TAIL);
  const from = normalQuantileLog(Math.min(-0.7, LOG_TAIL / bins));
  const n = Math.min(MOST_CELLS, Math.ceil((high - from) / WIDTH));
  const edges = Array.from({ length: n - 1 }, (_, k) => from + ((high - from) * (k + 1)) / n);
  const masses = [1, 2].map((shift) => cellMasses(edges, shift * mu, bins, leftOut));
  const pair = atomicPair({
    ...joined(masses[0], masses[1], 1e-280),
    relative: RELATIVE,
    lossError: 2 * RELATIVE,
    ...ALL_FINITE,
    gdpMu: mu * (1 + 4 * U),
    tailMu: 0,
  });
  return { ...pair, asymmetric: true };
}

/** Masses of the cells below, between and above the edges. */
function cellMasses(edges: readonly number[], shift: number, bins: number, leftOut: number): Float64Array {
  const masses = new Float64Array(edges.length + 1);
  const add = (weight: number, logCdf: (c: number) => number): void => {
    let before = -Infinity;
    for (let k = 0; k <= edges.length; k++) {
      const next = k < edges.length ? logCdf(edges[k]) : 0;
      // the smaller of the two tails keeps its digits
      const mass = before > -0.7 ? expm1(next) - expm1(before) : exp(next) - exp(before);
      masses[k] += weight * Math.max(0, mass);
      before = next;
    }
  };
  add(1 - leftOut, (c) => logNormalCdf(c - shift) + (bins - 1) * logNormalCdf(c));
  if (leftOut > 0) add(leftOut, (c) => bins * logNormalCdf(c));
  return masses;
}

/** Losses, ascending, and their masses. */
export type Listed = Pick<Atoms, 'loss' | 'p' | 'q'>;

/** Cells from left to right, each joined with the next until both laws have at least a mass of `least` in it, by their losses. */
export function joined(p: Float64Array, q: Float64Array, least: number): Listed {
  const cells: { p: number; q: number; loss: number }[] = [];
  let [restP, restQ] = [0, 0];
  for (let k = 0; k < p.length; k++) {
    restP += p[k];
    restQ += q[k];
    if (restP < least || restQ < least) continue;
    cells.push({ p: restP, q: restQ, loss: log(restQ / restP) });
    [restP, restQ] = [0, 0];
  }
  const last = cells.pop() ?? { p: 0, q: 0 };
  const [allP, allQ] = [last.p + restP, last.q + restQ];
  cells.push({ p: allP, q: allQ, loss: allP > 0 && allQ > 0 ? log(allQ / allP) : 0 });
  cells.sort((a, b) => a.loss - b.loss);
  const column = (of: keyof Listed): Float64Array => Float64Array.from(cells, (cell) => cell[of]);
  return { loss: column('loss'), p: column('p'), q: column('q') };
}
