import { LONG_SUM, up } from '../numeric/rounding.js';
import { exp } from '../numeric/scalar.js';
import { atomicPair, discreteGaussianAtoms } from './atomic-pair.js';
import { ALL_FINITE, type AtomicPair, type Atoms } from './pair.js';
import { MOST_WORK, productAtoms } from './product-atoms.js';
import { tabulatedAtoms } from './tabulated-atoms.js';

/** Bounds of the integer vector that one record adds to the query. Discrete Gaussian noise is added to each entry. */
export interface Changes {
  /** Largest absolute value of an entry; ∞ if absent. */
  readonly largest?: number;
  /** Largest squared l2 norm, a whole number. */
  readonly squared: number;
  /** Largest l1 norm. */
  readonly sum: number;
  /** Number of entries; ∞ where unknown. */
  readonly dimension: number;
}

/** Users give l2 norms to 1e-12: for a whole number N the square of √N as a double may be below N. */
const STATED = 1 + 1e-12;

/** Largest squared l2 norm of vectors of integers whose norm is at most this. */
export function wholeSquare(norm: number): number {
  return Math.floor(norm * norm * STATED);
}

/** A vector up to signs and order of its entries: the absolute values ≥ 1, the largest first, and the number of entries with each. */
export type Shift = readonly (readonly [entry: number, count: number])[];

/** Number of maximal vectors above which `worstShifts` gives up. Only width and speed depend on this constant and the next ones. */
const MOST_SHIFTS = 40;
/** Number of non-zero entries above which `worstShifts` gives up. */
const MOST_ENTRIES = 400;
/** Number of equal entries in the second vector of `someShifts`. */
const MOST_EQUAL = 1e6;
/** Number of distinct entries in the first vector of `someShifts`. */
const MOST_FILLED = 400;
/** Logarithms of the probability that convolutions may omit. The first one for which the convolutions are not too much work is used. */
const LOG_RARE = [-640, -150];

/**
 * The maximal vectors, exactly: every admissible vector is at most one of these, entry by entry. So one of them has the largest δ, as δ rises with
 * each entry (docs/proofs/discrete-vector.md, 1). Undefined if there are more than 40, or more than 400 entries.
 */
export function worstShifts({ squared, sum, dimension, largest = Infinity }: Changes): Shift[] | undefined {
  // the vector with every entry at its largest value is admissible
  if (dimension * largest <= sum && dimension * largest * largest <= squared) return [[[largest, dimension]]];
  const most = Math.min(dimension, sum, squared);
  if (largest === 1) return [[[1, most]]];
  if (most > MOST_ENTRIES) return undefined;
  const found: Shift[] = [];
  const visit = (entries: readonly number[], norm: number, total: number): void => {
    if (found.length > MOST_SHIFTS) return;
    const smallest = entries.at(-1) ?? Infinity;
    // least increase of the squared norm by raising an entry that is below `largest`
    const increment = smallest < largest ? 2 * smallest + 1 : Infinity;
    // the vector is maximal: no entry can be larger, and no further entry can be added
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
 * Two admissible vectors, for lower bounds where the maximal ones are too many. The first takes the largest entry that the norms still allow, again
 * and again. The second has equal entries, as many as possible. Both satisfy the bounds exactly.
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

/**
 * Heuristic: the first of `LOG_RARE` at which convolutions for all the vectors take less than about `MOST_WORK` multiplications; undefined if there is
 * none. It only chooses which mass is omitted, and counted; it enters no bound.
 */
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
 * The privacy loss distribution of one change: the convolution, over its entries, of those of discrete Gaussians. All losses are multiples of
 * 1/(2σ²).
 *
 * Ensures: masses and losses are within the errors that the atoms state.
 */
function shiftAtoms(sigma: number, shift: Shift, depth: number): Atoms {
  const parts = shift.map(([entry, count]) => ({ atoms: discreteGaussianAtoms(sigma, entry), count }));
  const found = productAtoms(parts, 1 / (2 * sigma * sigma), { logRare: depth });
  if (found === undefined) throw new Error('losses of discrete Gaussian noise are on one lattice');
  return found;
}

/**
 * The pair of one change, for lower bounds. If its convolution is too much work, it is the pair of the largest entry alone, which the change
 * dominates. Ensures: its lower ends of δ hold for the change.
 */
export function shiftPair(sigma: number, shift: Shift): AtomicPair {
  const depth = affordable(sigma, [shift]);
  return atomicPair(
    depth === undefined ? discreteGaussianAtoms(sigma, shift[0][0]) : shiftAtoms(sigma, shift, depth),
  );
}

/** Losses are listed until δ is below this; what remains counts as mass of losses that are not listed. Only width depends on it. */
const LEAST = 1e-285;

/**
 * A pair that dominates each of the changes. At the multiples of 1/(2σ²) its δ is the largest of the changes' δ, rounded up. Between them it is the
 * chord in e^ε, which lies above as each δ is convex in e^ε. Ensures: it dominates the pair of each change.
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
