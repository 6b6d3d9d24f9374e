import { U } from '../numeric/constants.js';
import { charge } from '../numeric/meter.js';
import { LONG_SUM, ROUNDING } from '../numeric/rounding.js';
import { exp, expm1, log, log1p, logNormalCdf, normalQuantileLog } from '../numeric/scalar.js';
import { bySquares } from '../numeric/whole-power.js';
import { atomicPair } from './atomic-pair.js';
import { ALL_FINITE, type AtomicPair, type Atoms } from './pair.js';

/** Cells of the statistic at most, and their width in standard deviations of the noise. */
const MOST_CELLS = 4096;
const WIDTH = 0.01;
/** Tails of the statistic beyond e^{LOG_TAIL} are one cell each. */
const LOG_TAIL = -110;
/**
 * Relative error of the masses: differences of tails that decrease by at least a hundredth from edge to edge. Each tail has an error of a few
 * roundings per unit of its logarithm.
 */
const RELATIVE = 2e-11;

/**
 * A lower bound by the largest batch sum of a shuffled epoch. The other records have gradient −1; this one has +1 against 0, and
 * the sum that batches have without it is public. With σ = 1 and μ = 1/σ the largest of the t sums has the cdf Φ(c −
 * mμ)Φ(c)^{t−1}. m is 2 against 1, with probability 1 − a; where the record is in no batch the cdf is Φ(c)^t. Cutting into cells
 * is post-processing, so the bound holds for the epoch. Proof: docs/proofs/shuffled.md.
 *
 * Ensures: every bracket is one of a statistic of the epoch: its lower ends hold for the epoch.
 */
export function largestBatchPair(mu: number, bins: number, leftOut: number): AtomicPair {
  // pure noise is below the first with probability 1 − e^{LOG_TAIL}, and above the second likewise
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
 * Masses of the cells between the edges, and beyond both ends.
 *
 * Ensures: masses to `RELATIVE`, except cells of less than 1e-280.
 */
function cellMasses(edges: readonly number[], shift: number, bins: number, leftOut: number): Float64Array {
  const masses = new Float64Array(edges.length + 1);
  const add = (weight: number, logCdf: (c: number) => number): void => {
    let before = -Infinity;
    for (let k = 0; k <= edges.length; k++) {
      const next = k < edges.length ? logCdf(edges[k]) : 0;
      // a difference of the smaller tails keeps its digits
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
 * Merges cells, from left to right, until both laws have mass of at least `least` in each; returns masses and log ratios of masses as losses. Masses
 * have a rounding a term merged.
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

/** Cells of the sum at most, and per standard deviation: fewer make the test weaker, not invalid. */
const MOST_SUMS = 2048;
const FINEST = 6;
const COARSEST = 1.5;
/** Standard deviations covered by the cells, approximately. */
const REACH = 33;
/** Outputs of a coordinate beyond this many standard deviations count as the outermost cell. */
const FAR = 13;
/** Cells of intermediate sums with less mass than the first are dropped, and final cells with less than the second. */
const DROPPED = 1e-60;
const KEPT = 1e-40;
/** Relative error of the mass of one cell: cells that are less accurate are merged with a neighbour. */
const OF_A_CELL = 1e-11;

/**
 * An epoch of `bins` batches with a record in `perRecord` of them, and noise 1/μ. Its test has a parameter h, given as a multiple of perRecord/(bins
 * − perRecord).
 */
export interface SeveralBins {
  readonly mu: number;
  readonly bins: number;
  readonly perRecord: number;
  readonly share: number;
}

/** Heuristic: the width of the cells of log(1 + hX), from two moments; only tightness depends on it. Undefined where it would be too coarse. */
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

/** Whether the cells of the sum are fine enough for a useful bound. */
export function tellsSeveral(setting: SeveralBins): boolean {
  return (
    setting.perRecord < setting.bins && setting.mu > 1e-3 && setting.mu < 30 && widthOf(setting) !== undefined
  );
}

/**
 * The pair of Σ log(1 + hX_i) for a record in k of t batches, X_i the likelihood ratio of batch i alone. Each term is rounded to a whole number of
 * cells, which is post-processing. Under either law the sum has independent terms: t of one kind, or t − k of it and k of the other. Their masses are
 * sums of positive terms. Proof: docs/proofs/balls-and-bins.md, 12. Ensures: its lower ends hold for the epoch.
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

/** Masses of log(1 + hX)/width, rounded to integers, without the record and with it. Ensures: each to a relative error of `OF_A_CELL`. */
function cellsOf(mu: number, h: number, width: number): Masses[] {
  const reach = FAR * mu + (mu * mu) / 2;
  // edges as losses of the coordinate: cell j begins at (j − ½) widths
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

interface Tails {
  /** Whether the masses next to edge k are differences without much cancellation. */
  sharp(k: number): boolean;
  /** Masses of the cells between the edges kept; cells without a kept edge between them are merged. */
  masses(kept: readonly number[], first: number): Masses;
}

/** Masses of a normal law between edges, as differences of the nearer tails, and whether these are accurate to `OF_A_CELL`. */
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

/** Convolution of two laws, without negligible masses at either end: sums of positive terms. The relative error is a rounding a term. */
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

/** The sums as losses, log ratios of masses, with neighbours merged until both laws have mass in each. */
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
