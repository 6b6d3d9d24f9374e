import { CompensatedSum } from '../numeric/compensated-sum.js';
import { U } from '../numeric/constants.js';
import { charge } from '../numeric/meter.js';
import { exp } from '../numeric/scalar.js';
import { wholePower } from '../numeric/whole-power.js';

/**
 * W = (1/n) Σ_j e^{Y_j − Var Y_j/2} over n places on a circle. Y is a Gaussian vector with Cov(Y_i, Y_j) = products[|i − j|], products[d] = products[n − d].
 * Proofs: docs/proofs/factorisations.md, 9 to 12.
 */
export interface Ring {
  readonly products: Float64Array;
}

/** The moments E W^k, W of `Ring`, from order k = 0 on, and a bound of their relative errors. */
export interface Moments {
  readonly values: Float64Array;
  readonly relative: number;
}

/** Largest number of terms of the sums for the moments of one W. Only width and speed depend on it. */
const MOST_WORK = 1e7;
/** Highest orders of moments, in order of preference. Only width and speed depend on them. */
const ORDERS = [8, 6, 4];

/** How the moments E W^k of a `Ring` are summed. */
interface Plan {
  /** The highest order. */
  readonly order: number;
  /** Number of terms. */
  readonly work: number;
  /** Whether they are summed by `ofRuns`, for products that are 0 beyond the distance `band`. */
  readonly isSparse: boolean;
  readonly band: number;
}

/** Heuristic: the highest of `ORDERS` whose number of terms is at most `MOST_WORK`; undefined if there is none. It enters no bound. */
function planOf(products: Float64Array): Plan | undefined {
  const bins = products.length;
  const band = bandOf(products);
  for (const order of ORDERS) {
    const isSparse = order * band + 1 <= bins;
    const work = isSparse ? wholePower(band + 1, order - 1) : lists(bins, order - 1);
    if (work <= MOST_WORK) return { order, work, isSparse, band };
  }
  return undefined;
}

/** Whether the moments of the W of `Ring` with these products can be summed with the work allowed. */
export function isAffordable(products: Float64Array): boolean {
  return planOf(products) !== undefined;
}

/**
 * E W^k, W of `Ring`: n^{−k} Σ exp(Σ_{p<q} Cov(Y_{j_p}, Y_{j_q})) over all n^k lists of places j_1, …, j_k: a sum of positive terms. Undefined if that is too much
 * work.
 *
 * Ensures: each moment is within `relative` of its value, for the given products.
 */
export function ringMoments({ products }: Ring): Moments | undefined {
  const plan = planOf(products);
  if (plan === undefined) return undefined;
  const { order, work, isSparse, band } = plan;
  charge(10 * work);
  const pairs = (order * (order - 1)) / 2;
  const terms = products.length + order * order * (band + 1);
  return {
    values: isSparse ? ofRuns(products, band, order) : ofLists(products, order),
    relative: 4 * U * (4 * pairs + order * (terms + 20)),
  };
}

/** The largest distance of two places whose product is not 0. */
function bandOf(products: Float64Array): number {
  let band = products.length >> 1;
  while (band > 0 && products[band] === 0) band--;
  return band;
}

/** Number of multisets of `size` places out of n. */
function lists(n: number, size: number): number {
  let count = 1;
  for (let k = 1; k <= size; k++) count *= (n + k - 1) / k;
  return count;
}

/** What `walk` enumerates. */
interface Walk {
  /** e^{products[d]} at each distance d. */
  readonly factors: Float64Array;
  readonly order: number;
  /** Largest difference of consecutive places of a list. */
  readonly gap: number;
  /** The last place. */
  readonly end: number;
  /** Whether one entry of the list is distinguished: it is not counted in the multiplicity of place 0. */
  readonly marked: boolean;
}

/**
 * Enumerates ascending lists of up to `order` places that start at 0. `visit` receives length, last place, and the weight Π 1/m! · Π e^{product}, over
 * places with multiplicities m and over pairs of entries. Weights have a few roundings for each pair.
 */
function walk(
  { factors, order, gap, end, marked }: Walk,
  visit: (length: number, last: number, weight: number) => void,
): void {
  const weights = Array.from({ length: order }, () => new Float64Array(end + 1));
  const visitFrom = (length: number, at: number, weight: number, times: number): void => {
    visit(length, at, weight);
    if (length === order) return;
    const own = weights[length - 1];
    const next = weights[length];
    const reach = Math.min(end, at + gap);
    const far = Math.min(end, at + gap * (order - length));
    if (length === order - 1) {
      for (let s = at; s <= reach; s++) visit(order, s, (weight * own[s]) / (s === at ? times + 1 : 1));
      return;
    }
    for (let s = at; s <= reach; s++) {
      for (let t = s; t <= far; t++) next[t] = own[t] * factors[t - s];
      visitFrom(length + 1, s, (weight * own[s]) / (s === at ? times + 1 : 1), s === at ? times + 1 : 1);
    }
  };
  weights[0].set(factors.subarray(0, end + 1));
  visitFrom(1, 0, 1, marked ? 0 : 1);
}

/**
 * E W^k, W of `Ring`, k up to `order`, by all lists that contain place 0, which suffice as products are invariant under rotation. Compensated sums of positive terms;
 * `ringMoments` states their relative error.
 */
function ofLists(products: Float64Array, order: number): Float64Array {
  const bins = products.length;
  const sums = Array.from({ length: order + 1 }, () => new CompensatedSum());
  const factors = products.map((each) => exp(each));
  walk({ factors, order, gap: bins - 1, end: bins - 1, marked: true }, (length, _, weight) =>
    sums[length].add(weight),
  );
  return fromLists(
    sums.map((each) => each.value),
    bins,
  );
}

/**
 * E W^k, W of `Ring`, k up to `order`, if products are 0 beyond the distance `band`. Lists are cut into runs of places at most `band` apart; the weight of a list
 * is the product of those of its runs (docs/proofs/factorisations.md, 12). Sums of positive terms; `ringMoments` states their relative error.
 */
function ofRuns(products: Float64Array, band: number, order: number): Float64Array {
  const bins = products.length;
  const end = (order - 1) * band;
  const sums = Array.from({ length: order + 1 }, () =>
    Array.from({ length: end + 1 }, () => new CompensatedSum()),
  );
  const factors = new Float64Array(end + 1).fill(1);
  for (let d = 0; d <= band; d++) factors[d] = exp(products[d]);
  walk({ factors, order, gap: band, end, marked: false }, (length, last, weight) =>
    sums[length][last].add(weight),
  );
  const runs = sums.map((row) => row.map((each) => each.value));
  // lines[n][k]: the weight of all lists of k places on a line of n; either the first place is empty, or a run starts there
  const lines = [unit(order)];
  const line = (length: number): Float64Array => lines[Math.max(0, length)];
  const withRuns = (most: number, rest: (last: number) => Float64Array, marked: boolean): Float64Array => {
    const found = new Float64Array(order + 1);
    for (let last = 0; last <= Math.min(end, most); last++) {
      const others = rest(last);
      for (let k = 1; k <= order; k++) {
        const weight = runs[k][last] * (marked ? k : 1);
        for (let i = 0; weight > 0 && i + k <= order; i++) found[i + k] += weight * others[i];
      }
    }
    return found;
  };
  for (let length = 1; length <= bins; length++) {
    const before = line(length - 1);
    const more = withRuns(length - 1, (last) => line(length - last - 1 - band), false);
    lines.push(before.map((x, k) => x + more[k]));
  }
  // on the circle of places: the run with the distinguished entry, which is any of its k entries, beside lists on the other places
  return fromLists(
    withRuns(end, (last) => line(bins - last - 1 - 2 * band), true),
    bins,
  );
}

/** E W^k, W of `Ring`, is (k − 1)!/n^{k−1} times the sum over lists of k places that contain place 0, with a few roundings. */
function fromLists(sums: ArrayLike<number>, bins: number): Float64Array {
  const moments = new Float64Array(sums.length).fill(1);
  for (let k = 2, factorial = 1; k < sums.length; k++) {
    factorial *= (k - 1) / bins;
    moments[k] = factorial * sums[k];
  }
  return moments;
}

/** (1, 0, …, 0), of length `order` + 1. */
function unit(order: number): Float64Array {
  const one = new Float64Array(order + 1);
  one[0] = 1;
  return one;
}
