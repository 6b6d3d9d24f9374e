import { U } from '../numeric/constants.js';
import { charge } from '../numeric/meter.js';
import { LONG_SUM, ROUNDING } from '../numeric/rounding.js';
import { exp, expm1, log, log1p, logNormalCdf, normalQuantileLog } from '../numeric/scalar.js';
import { bySquares } from '../numeric/whole-power.js';
import { atomicPair } from './atomic-pair.js';
import { ALL_FINITE, type AtomicPair, type Atoms } from './pair.js';

/** Most cells of the largest batch sum, of `largestBatchPair`. Only width and speed depend on it. */
const MOST_CELLS = 4096;
/** Width of the cells of `largestBatchPair`, in standard deviations of the noise. Only width and speed depend on it. */
const WIDTH = 0.01;
/** Log of the probability of the outermost cells, about. Only width depends on it. */
const LOG_TAIL = -110;
/**
 * Relative error of masses of cells: differences of tails, which fall by 1 % or more from edge to edge. A tail has a relative error of a few roundings
 * times its logarithm.
 */
const RELATIVE = 2e-11;

/**
 * A lower bound for a shuffled epoch of t = `bins` batches: the pair of the largest batch sum (docs/proofs/shuffled.md). All other records have the gradient
 * −1; the record has +1, or 0 without it. In units of the noise the largest sum has the distribution function Φ(c − mμ)Φ(c)^{t−1}, m = 2 with the record and 1
 * without it. With probability `leftOut` the record is in no batch, and the distribution function is Φ(c)^t. Cutting into cells is post-processing.
 *
 * Ensures: up to the errors stated, the pair is that of a statistic of the epoch. So its lower ends of δ hold for the epoch.
 */
export function largestBatchPair(mu: number, bins: number, leftOut: number): AtomicPair {
  // a sum with shift 2μ is below `high`, and the largest of t sums of pure noise above `from`, with probability 1 − e^{LOG_TAIL}
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

/**
 * Masses of the cells between the edges, and beyond both ends: differences of the distribution function of `largestBatchPair`, m·μ the `shift`.
 *
 * Ensures: a relative error of at most `RELATIVE`, except for masses below 1e-280.
 */
function cellMasses(edges: readonly number[], shift: number, bins: number, leftOut: number): Float64Array {
  const masses = new Float64Array(edges.length + 1);
  const add = (weight: number, logCdf: (c: number) => number): void => {
    let before = -Infinity;
    for (let k = 0; k <= edges.length; k++) {
      const next = k < edges.length ? logCdf(edges[k]) : 0;
      // by complements where these are smaller, so that few digits cancel
      const mass = before > -0.7 ? expm1(next) - expm1(before) : exp(next) - exp(before);
      masses[k] += weight * Math.max(0, mass);
      before = next;
    }
  };
  add(1 - leftOut, (c) => logNormalCdf(c - shift) + (bins - 1) * logNormalCdf(c));
  if (leftOut > 0) add(leftOut, (c) => bins * logNormalCdf(c));
  return masses;
}

/** Ascending losses and their masses. */
export type Listed = Pick<Atoms, 'loss' | 'p' | 'q'>;

/**
 * Merges adjacent cells until each has mass of at least `least` under both laws. Returns their masses, with a rounding for each addition, and as
 * losses log(q/p), ascending.
 */
function joined(p: Float64Array, q: Float64Array, least: number): Listed {
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

/** Most cells of the sum of `severalBinsPair`. Only width and speed depend on this constant and the next ones, up to `KEPT`. */
const MOST_SUMS = 2048;
/** Largest number of cells in a standard deviation of a term log(1 + hX) of `severalBinsPair`. X is the likelihood ratio of a batch, h as in `SeveralBins`. */
const FINEST = 6;
/** Least number of cells in a standard deviation of one term; with fewer `severalBinsPair` gives no bound. */
const COARSEST = 1.5;
/** Length of the interval of sums that is covered by cells, in standard deviations of the sum, about. */
const REACH = 33;
/** Edges of cells lie within this many standard deviations of the mean of a batch's output; all outputs beyond are in the outermost cells. */
const FAR = 13;
/** Outermost masses of intermediate sums are dropped below this. It is far less than the stated error of a final mass, which is at least KEPT. */
const DROPPED = 1e-60;
/** Cells of the final sum with less mass are merged with the next one. */
const KEPT = 1e-40;
/** Bound of the relative error of the mass of one cell of a term: edges next to which it would be larger are left out. Correctness depends on it. */
const OF_A_CELL = 1e-11;

/**
 * An epoch of `bins` batches with a record in `perRecord` of them, and noise 1/μ. The statistic of `severalBinsPair` has the parameter
 * h = `share`·perRecord/(bins − perRecord).
 */
export interface SeveralBins {
  readonly mu: number;
  readonly bins: number;
  readonly perRecord: number;
  readonly share: number;
}

/**
 * Heuristic: the width of the cells of log(1 + hX), from its mean and variance by the trapezoidal rule. X is the likelihood ratio of one batch. Undefined
 * if cells would be too coarse. It only chooses the cells; it enters no bound.
 */
function widthOf({ mu, bins, perRecord, share }: SeveralBins): number | undefined {
  const h = (share * perRecord) / (bins - perRecord);
  const moments = [-1, 1].map((side) => {
    let [mass, mean, square] = [0, 0, 0];
    for (let z = -8; z <= 8; z += 0.125) {
      const weight = exp(-0.5 * z * z);
      const term = log1p(h * exp(Math.min(600, mu * z + (side * mu * mu) / 2)));
      mass += weight;
      mean += weight * term;
      square += weight * term * term;
    }
    return { mean: mean / mass, variance: Math.max(0, square / mass - (mean / mass) ** 2) };
  });
  const [without, within] = moments;
  const variance = (bins - perRecord) * without.variance + perRecord * within.variance;
  const one = Math.sqrt(variance / bins);
  const span = REACH * Math.sqrt(variance) + perRecord * (within.mean - without.mean);
  const width = Math.max(one / FINEST, span / MOST_SUMS);
  return width < one / COARSEST ? width : undefined;
}

/** Heuristic: whether `severalBinsPair` gives a useful bound. It only chooses whether the bound is computed. */
export function tellsSeveral(setting: SeveralBins): boolean {
  return (
    setting.perRecord < setting.bins && setting.mu > 1e-3 && setting.mu < 30 && widthOf(setting) !== undefined
  );
}

/**
 * A lower bound for a record in k of t batches: the pair of Σ log(1 + hX_i), X_i the likelihood ratio of batch i. Terms are rounded to
 * multiples of the cell width (docs/proofs/balls-and-bins.md, 12). Its law is a convolution of t terms without the record, or of t − k of these and k
 * with it. Ensures: within the errors stated, the pair is that of a statistic of the epoch, so its lower ends of δ hold.
 */
export function severalBinsPair(setting: SeveralBins): AtomicPair {
  const { mu, bins, perRecord, share } = setting;
  const width = widthOf(setting) ?? 1;
  const cells = cellsOf(mu, (share * perRecord) / (bins - perRecord), width);
  const rest = bySquares(cells[0], bins - perRecord, product);
  const sums = cells.map((cell) => product(rest, bySquares(cell, perRecord, product)));
  const atoms = atomsOf(sums[0], sums[1]);
  const longest = Math.max(...sums.map(({ mass }) => mass.length));
  return {
    ...atomicPair({
      ...atoms,
      // each convolution rounds once per term, and once for each of its factors
      relative: 2 * bins * (OF_A_CELL + (longest + 4) * U) + LONG_SUM,
      lossError: 4 * bins * (OF_A_CELL + (longest + 4) * U) + LONG_SUM,
      ...ALL_FINITE,
      gdpMu: Math.sqrt(perRecord) * mu * (1 + 4 * U),
      tailMu: 0,
    }),
    asymmetric: true,
  };
}

/** Masses at consecutive integers from `first` on. */
interface Masses {
  readonly first: number;
  readonly mass: Float64Array;
}

/**
 * Masses of log(1 + hX)/width, rounded to integers, without the record and with it. X is the likelihood ratio of one batch, e^y with
 * y ~ N(∓μ²/2, μ²). So masses are differences of Φ.
 * Ensures: a relative error of at most `OF_A_CELL` each.
 */
function cellsOf(mu: number, h: number, width: number): Masses[] {
  const reach = FAR * mu + (mu * mu) / 2;
  // edges as values of log X: cell j begins where log(1 + hX) is j − ½ widths
  const edges: number[] = [];
  let skipped = 0;
  for (let j = 1; j <= MOST_SUMS; j++) {
    const x = (j - 0.5) * width;
    const edge = (x > 40 ? x : log(expm1(x))) - log(h);
    if (edge > reach) break;
    if (edge > -reach) edges.push(edge);
    else skipped++;
  }
  const tails = [-1, 1].map((side) => tailsOf(edges, (edge) => edge / mu - (side * mu) / 2));
  const kept = edges.map((_, k) => k).filter((k) => tails.every((each) => each.sharp(k)));
  return tails.map((each) => each.masses(kept, skipped));
}

/** The masses of one normal law in cells, and which edges can be kept. */
interface Tails {
  /** Whether the masses next to edge k are differences without much cancellation. */
  sharp(k: number): boolean;
  /** Masses of the cells between the edges kept; cells without a kept edge between them are merged. */
  masses(kept: readonly number[], first: number): Masses;
}

/**
 * Masses of N(0, 1) between the outputs of `edges`, as differences of Φ in the tail that is smaller. `sharp` tells whether those next to an edge have a
 * relative error of at most `OF_A_CELL`.
 */
function tailsOf(edges: readonly number[], outputOf: (edge: number) => number): Tails {
  const z = edges.map(outputOf);
  const between = (a: number, b: number): number =>
    a > 0 ? exp(logNormalCdf(-a)) - exp(logNormalCdf(-b)) : exp(logNormalCdf(b)) - exp(logNormalCdf(a));
  const exact = (a: number, b: number): boolean => {
    const nearest = a > 0 ? logNormalCdf(-a) : logNormalCdf(b);
    return between(a, b) * OF_A_CELL > exp(nearest) * (2 * ROUNDING) * (1 + Math.abs(nearest));
  };
  return {
    sharp: (k) => exact(k === 0 ? -Infinity : z[k - 1], z[k]) && exact(z[k], z[k + 1] ?? Infinity),
    masses: (kept, first) => {
      const mass = new Float64Array(edges.length + 1);
      let [from, at] = [-Infinity, 0];
      for (const k of kept) {
        mass[at] = between(from, z[k]);
        [from, at] = [z[k], k + 1];
      }
      mass[at] = from === -Infinity ? 1 : between(from, Infinity);
      return { first, mass };
    },
  };
}

/** Convolution Σ a_i b_{k−i} of two laws; outermost masses below `DROPPED` are dropped. Terms are positive: a relative error of a rounding a term. */
function product(a: Masses, b: Masses): Masses {
  charge(a.mass.length * b.mass.length);
  const mass = new Float64Array(a.mass.length + b.mass.length - 1);
  for (let i = 0; i < a.mass.length; i++) {
    const factor = a.mass[i];
    if (factor === 0) continue;
    for (let j = 0; j < b.mass.length; j++) mass[i + j] += factor * b.mass[j];
  }
  let [from, to] = [0, mass.length];
  while (from < to - 1 && mass[from] < DROPPED) from++;
  while (to > from + 1 && mass[to - 1] < DROPPED) to--;
  return { first: a.first + b.first + from, mass: mass.slice(from, to) };
}

/** Atoms of the sum: masses of its values without the record, p, and with it, q, merged by `joined`, a rounding each. Losses are log(q/p). */
function atomsOf(without: Masses, within: Masses): Listed {
  const first = Math.min(without.first, within.first);
  const last = Math.max(...[without, within].map((each) => each.first + each.mass.length));
  const [p, q] = [without, within].map((each) => {
    const all = new Float64Array(last - first);
    all.set(each.mass, each.first - first);
    return all;
  });
  return joined(p, q, KEPT);
}
