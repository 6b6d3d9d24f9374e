import { LONG_SUM, up } from '../numeric/rounding.js';
import { exp } from '../numeric/scalar.js';
import { atomicPair, discreteGaussianAtoms } from './atomic-pair.js';
import { ALL_FINITE, type AtomicPair, type Atoms } from './pair.js';
import { MOST_WORK, productAtoms } from './product-atoms.js';
import { tabulatedAtoms } from './tabulated-atoms.js';

/** What one record may change: a vector of integers within these norms. Each entry has discrete Gaussian noise σ. */
export interface Changes {
  /** Largest entry, up to its sign; ∞ where left out. */
  readonly largest?: number;
  /** Largest squared l2 norm, a whole number. */
  readonly squared: number;
  /** Largest l1 norm. */
  readonly sum: number;
  /** Number of entries; ∞ where unknown. */
  readonly dimension: number;
}

/** L2 norms are stated to 1e-12: √N as a double may have a square below N. */
const STATED = 1 + 1e-12;

/** Largest squared l2 norm of vectors of integers whose norm is at most this. */
export function wholeSquare(norm: number): number {
  return Math.floor(norm * norm * STATED);
}

/** A vector up to signs and order: its entries ≥ 1, the largest first, and how many there are of each. */
export type Shift = readonly (readonly [entry: number, count: number])[];

/** At most so many maximal vectors are distinguished. */
const MOST_SHIFTS = 40;
/** Number of entries of a vector that is considered entry by entry, and of one with equal entries. */
const MOST_ENTRIES = 400;
const MOST_EQUAL = 1e6;
/** Steps in which a vector is filled. */
const MOST_FILLED = 400;
/** What a product leaves out, as a logarithm: the first that is affordable. */
const LOG_RARE = [-640, -150];

/**
 * The maximal vectors: every admissible one is at most one of these, entry by entry. Undefined if there are more than 40. A larger entry is never
 * better: docs/proofs/discrete-vector.md, 1.
 */
export function worstShifts({ squared, sum, dimension, largest = Infinity }: Changes): Shift[] | undefined {
  // every entry at its largest value
  if (dimension * largest <= sum && dimension * largest * largest <= squared) return [[[largest, dimension]]];
  const most = Math.min(dimension, sum, squared);
  if (largest === 1) return [[[1, most]]];
  if (most > MOST_ENTRIES) return undefined;
  const found: Shift[] = [];
  const visit = (entries: readonly number[], norm: number, total: number): void => {
    if (found.length > MOST_SHIFTS) return;
    const smallest = entries.at(-1) ?? Infinity;
    // no entry can be larger, and there can be no further one
    const increment = smallest < largest ? 2 * smallest + 1 : Infinity;
    const full =
      total + 1 > sum || norm + Math.min(increment, entries.length < dimension ? 1 : Infinity) > squared;
    if (full) found.push(counted(entries));
    if (full || entries.length === dimension) return;
    const next = Math.min(smallest, largest, sum - total, Math.floor(Math.sqrt(squared - norm)));
    for (let s = next; s >= 1; s--) visit([...entries, s], norm + s * s, total + s);
  };
  visit([], 0, 0);
  return found.length > MOST_SHIFTS ? undefined : found;
}

function counted(entries: readonly number[]): Shift {
  const counts = new Map<number, number>();
  for (const s of entries) counts.set(s, (counts.get(s) ?? 0) + 1);
  return [...counts];
}

/**
 * Two admissible vectors, for lower bounds if the maximal ones are too many. The first has the largest possible entries, one after another; the
 * second has equal entries. Exact.
 *
 * @param most Greatest number of equal entries.
 */
export function someShifts(
  { squared, sum, dimension, largest = Infinity }: Changes,
  most: number = MOST_EQUAL,
): Shift[] {
  const greedy: [entry: number, count: number][] = [];
  let [norm, left, free] = [squared, sum, Math.min(dimension, most)];
  while (norm >= 1 && left >= 1 && free >= 1 && greedy.length < MOST_FILLED) {
    const own = Math.min(left, Math.floor(Math.sqrt(norm)), largest);
    const count = Math.floor(Math.min(norm / (own * own), left / own, free));
    greedy.push([own, count]);
    norm -= own * own * count;
    left -= own * count;
    free -= count;
  }
  const count = Math.min(squared, sum, dimension, most);
  const entry = Math.min(Math.floor(Math.sqrt(squared / count)), Math.floor(sum / count), largest);
  return [greedy, [[entry, count]]];
}

/** Heuristic: the log of the tail mass at which the laws of the vectors take about `MOST_WORK` multiplications at most; undefined if there is none. */
export function affordable(sigma: number, shifts: readonly Shift[]): number | undefined {
  return LOG_RARE.find((depth) => {
    const reach = 2 * sigma * Math.sqrt(-2 * depth) + 3;
    let work = 0;
    for (const shift of shifts) {
      let norm = 0;
      for (const [entry, count] of shift) {
        // repeated squaring: few convolutions, of which the last is the largest
        norm += entry * entry * count;
        work += reach * Math.sqrt(count) * reach * (Math.sqrt(norm) + 1) * (count > 1 ? 2 : 1);
      }
    }
    return work < MOST_WORK;
  });
}

/**
 * The privacy loss distribution of one change: the convolution, over its entries, of those of discrete Gaussians, on one lattice.
 *
 * Ensures: masses and losses are within their stated errors.
 */
function shiftAtoms(sigma: number, shift: Shift, depth: number): Atoms {
  const parts = shift.map(([entry, count]) => ({ atoms: discreteGaussianAtoms(sigma, entry), count }));
  const found = productAtoms(parts, 1 / (2 * sigma * sigma), { logRare: depth });
  if (found === undefined) throw new Error('losses of discrete Gaussian noise are on one lattice');
  return found;
}

/** The pair of one change. If that takes too long, the pair of its largest entry alone, which is a lower bound. Ensures: its lower ends of δ hold for the change. */
export function shiftPair(sigma: number, shift: Shift): AtomicPair {
  const depth = affordable(sigma, [shift]);
  return atomicPair(
    depth === undefined ? discreteGaussianAtoms(sigma, shift[0][0]) : shiftAtoms(sigma, shift, depth),
  );
}

/** δ below this counts as mass beyond the listed losses. */
const LEAST = 1e-285;

/**
 * A pair that dominates all these changes. Its losses lie on the multiples of 1/(2σ²), where its δ is the largest of the changes' δ, rounded up. In
 * between δ is the chord in e^ε, which convexity puts above. Ensures: it dominates the pair of each change.
 */
export function worstPair(sigma: number, shifts: readonly Shift[]): AtomicPair {
  const depth = affordable(sigma, shifts)!;
  const unit = 1 / (2 * sigma * sigma);
  const laws = shifts.map((shift) => shiftAtoms(sigma, shift, depth));
  const runs = laws.map((atoms) => atomicPair({ ...atoms, beyond: 0 }).forward);
  const points: { epsilon: number; delta: number }[] = [];
  for (let k = 0; ; k++) {
    const delta = Math.max(...runs.map((run) => up(exp(run.logDelta(k * unit).upper), LONG_SUM)));
    points.push({ epsilon: k * unit, delta });
    if (delta < LEAST) break;
  }
  const { infinity, ...table } = tabulatedAtoms(points);
  return atomicPair({
    ...table,
    ...ALL_FINITE,
    beyond: infinity * (1 + 1e-9) + Math.max(...laws.map(({ beyond = 0 }) => beyond)),
    tailMu: Math.max(...laws.map(({ tailMu }) => tailMu)),
  });
}
