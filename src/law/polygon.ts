import { wrongValue } from '../errors.js';
import { CompensatedSum } from '../numeric/compensated-sum.js';
import { U } from '../numeric/constants.js';
import { FUNCTIONS_ERROR } from '../numeric/rounding.js';
import { log } from '../numeric/scalar.js';
import type { DirectedRun, Vertices } from '../run/directed-run.js';
import { atomicPair, logInfinityOf } from './atomic-pair.js';
import { pureMu } from './exponential-pair.js';
import { latePair } from './late-pair.js';
import type { AtomicPair, Atoms, PairBase } from './pair.js';

/** A point of a trade-off function. */
export interface Breakpoint {
  /** False positive rate, in [0, 1]. */
  readonly alpha: number;
  /** False negative rate, in [0, 1 − alpha]. */
  readonly beta: number;
}

/**
 * The lower convex hull of the points, (0, 1) and (1, 0), up to its first vertex with β = 0. Vertices are given points, unchanged; `relative` bounds
 * the error of the rates of points that rounding has left out.
 */
export function hullOf(points: readonly Breakpoint[]): Vertices {
  const n = points.length + 2;
  const alpha = new Float64Array(n);
  const beta = new Float64Array(n);
  let ascending = true;
  beta[0] = 1;
  points.forEach((point, i) => {
    alpha[i + 1] = point.alpha;
    beta[i + 1] = point.beta;
    if (point.alpha < alpha[i]) ascending = false;
  });
  alpha[n - 1] = 1;
  if (ascending) return chain({ alpha, beta, relative: tiesOf(alpha) });
  const order = Uint32Array.from(alpha.keys()).sort((i, j) => alpha[i] - alpha[j] || beta[i] - beta[j]);
  const taken = (values: Float64Array): Float64Array => Float64Array.from(order, (i) => values[i]);
  const sorted = taken(alpha);
  return chain({ alpha: sorted, beta: taken(beta), relative: tiesOf(sorted) });
}

/** Least error bound returned by `tiesOf`, which suffices if lengths of segments have ratios up to 6e9. Correctness depends on it. */
const TIES = 1e-14;

/**
 * Bound of the error by vertices that rounding omits from a hull. A vertex is omitted if its two slopes differ by less than their relative rounding
 * error 4u. A chord that grows by such omissions from length b to length a turns by at most 4u log(a/b) in all; a ≤ 1 and b is the shortest gap.
 *
 * Ensures: no less than the relative error of β or 1 − β at an omitted vertex.
 */
function tiesOf(...rates: readonly Float64Array[]): number {
  let shortest = 1;
  for (const values of rates)
    for (let i = 1; i < values.length; i++) {
      const gap = Math.abs(values[i] - values[i - 1]);
      if (gap > 0) shortest = Math.min(shortest, gap);
    }
  return Math.max(TIES, -4 * U * log(shortest));
}

/**
 * The vertices of min{f, f⁻¹}** where its slope is −1 or steeper; f is the given polygon and ** the largest convex function below. The flatter part is
 * its mirror image in the diagonal. Vertices are given points or their mirror images, unchanged; `relative` grows by `tiesOf`.
 */
export function steepHalf({ alpha, beta, rest, relative }: Vertices): Vertices {
  const n = alpha.length;
  let k = 0;
  while (k < n && alpha[k] <= beta[k]) k++;
  // two lists ascending in α are merged: points with α ≤ β, and mirror images of the others; the last place is for the mirror image of the last vertex
  const half = {
    alpha: new Float64Array(n + 1),
    beta: new Float64Array(n + 1),
    ...(rest && { rest: { alpha: new Float64Array(n + 1), beta: new Float64Array(n + 1) } }),
    relative: relative + tiesOf(alpha, beta),
  };
  for (let m = 0, i = 0, j = n - 1; m < n; m++) {
    const mirrored = !(i < k && (j < k || alpha[i] <= beta[j]));
    const from = mirrored ? j-- : i++;
    half.alpha[m] = mirrored ? beta[from] : alpha[from];
    half.beta[m] = mirrored ? alpha[from] : beta[from];
    if (half.rest === undefined || rest === undefined) continue;
    half.rest.alpha[m] = mirrored ? rest.beta[from] : rest.alpha[from];
    half.rest.beta[m] = mirrored ? rest.alpha[from] : rest.beta[from];
  }
  let m = chain(half, n).alpha.length;
  while (m > 1 && half.beta[m - 2] - half.beta[m - 1] < half.alpha[m - 1] - half.alpha[m - 2]) m--;
  if (half.alpha[m - 1] === half.beta[m - 1]) return firstOf(half, m);
  half.alpha[m] = half.beta[m - 1];
  half.beta[m] = half.alpha[m - 1];
  if (half.rest !== undefined) {
    half.rest.alpha[m] = half.rest.beta[m - 1];
    half.rest.beta[m] = half.rest.alpha[m - 1];
  }
  return firstOf(half, m + 1);
}

/**
 * The vertices of the decreasing part of the lower convex hull of the first n points, ascending in α, by Andrew's monotone chain, in place. Slopes are
 * compared with a relative error of 4u, whose effect `tiesOf` bounds.
 */
function chain(points: Vertices, n: number = points.alpha.length): Vertices {
  const { alpha, beta, rest } = points;
  let m = 0;
  for (let i = 0; i < n; i++) {
    const [x, y] = [alpha[i], beta[i]];
    if (m > 0 && y >= beta[m - 1]) continue;
    if (m > 0 && x === alpha[m - 1]) m--;
    while (m > 1 && fall(points, m - 2, m - 1) <= fall(points, m - 1, i)) m--;
    alpha[m] = x;
    beta[m] = y;
    if (rest !== undefined) {
      rest.alpha[m] = rest.alpha[i];
      rest.beta[m] = rest.beta[i];
    }
    m++;
  }
  return firstOf(points, m);
}

/** Minus the slope between two points. A difference of rates above ½ is taken of their complements in `rest`, which have smaller errors. */
function fall({ alpha, beta, rest }: Vertices, i: number, j: number): number {
  if (rest === undefined) return (beta[i] - beta[j]) / (alpha[j] - alpha[i]);
  const down = beta[j] > 0.5 ? rest.beta[j] - rest.beta[i] : beta[i] - beta[j];
  return down / (alpha[i] > 0.5 ? rest.alpha[i] - rest.alpha[j] : alpha[j] - alpha[i]);
}

/** The first m vertices of a polygon, as views of the same arrays, unchanged. */
function firstOf({ alpha, beta, rest, relative }: Vertices, m: number): Vertices {
  return {
    alpha: alpha.subarray(0, m),
    beta: beta.subarray(0, m),
    ...(rest && { rest: { alpha: rest.alpha.subarray(0, m), beta: rest.beta.subarray(0, m) } }),
    relative,
  };
}

/**
 * The pair whose trade-off function is the lower convex hull of `points` and, if symmetric, their mirror images in the diagonal. A segment is an atom:
 * its loss is the log of minus its slope; its masses are the differences of α and of β, rounded once.
 *
 * Ensures: δ of the pair lies in its brackets.
 */
export function polygonPair(points: readonly Breakpoint[], symmetric: boolean): AtomicPair {
  const mirrored = symmetric ? points.map(({ alpha, beta }) => ({ alpha: beta, beta: alpha })) : [];
  const vertices = hullOf(symmetric ? [...points, ...mirrored] : points);
  const { alpha, beta } = vertices;
  const n = alpha.length - 1;
  const lossAt = (i: number): number => lossOf(alpha[i + 1] - alpha[i], beta[i] - beta[i + 1]);
  const off = lossErrorOf(RELATIVE);
  const ends = { smallest: n > 0 ? lossAt(n - 1) - off : 0, largest: n > 0 ? lossAt(0) + off : 0 };
  const [infinity, minusInfinity] = [1 - beta[0], 1 - alpha[n]];
  // if 1 − (1 − x) = x the subtraction was exact
  const exactInfinity = 1 - infinity === beta[0] && 1 - minusInfinity === alpha[n];
  return withVertices(() => atomicPair(polygonAtoms(vertices)), vertices, {
    ...ends,
    infinity,
    minusInfinity,
    exactInfinity,
  });
}

/**
 * The pair of the lower convex hull of the points and their mirror images, where points have errors. Each mass may have the absolute error `error`,
 * and the mass at infinity twice that.
 *
 * Ensures: δ lies in its brackets for all points whose masses are within these errors.
 */
export function roundedPair(points: readonly Breakpoint[], error: number): AtomicPair {
  const atoms = polygonAtoms(
    hullOf(
      points.flatMap(({ alpha, beta }) => [
        { alpha, beta },
        { alpha: beta, beta: alpha },
      ]),
    ),
  );
  return atomicPair({ ...atoms, error: atoms.loss.map(() => error), infinityError: 2 * error });
}

/** What is known of a polygon's pair without its list of atoms: ends of its losses and masses at ±∞. */
type Ends = Pick<PairBase, 'smallest' | 'largest'> &
  Pick<Atoms, 'infinity' | 'minusInfinity' | 'exactInfinity'>;

/** The pair `make()` with its vertices and `ends`; its atoms are computed on first use. Losses and masses have the errors that its atoms state. */
function withVertices(make: () => AtomicPair, vertices: Vertices, ends: Ends): AtomicPair {
  const { alpha, beta, rest, relative } = vertices;
  const { smallest, largest, infinity, minusInfinity, exactInfinity = false } = ends;
  const back: Vertices = {
    alpha: beta.slice().reverse(),
    beta: alpha.slice().reverse(),
    ...(rest && { rest: { alpha: rest.beta.slice().reverse(), beta: rest.alpha.slice().reverse() } }),
    relative,
  };
  return latePair({ ...limitsOf(ends), smallest, largest, infinity }, make, (pair) => ({
    forward: lazyRun(() => pair().forward, vertices, infinity, exactInfinity),
    backward: lazyRun(() => pair().backward, back, minusInfinity, exactInfinity),
  }));
}

/** δ and tests of `run()`, which is called on first use; the mass at infinity is known before. Ensures: brackets as those of `run()`. */
function lazyRun(run: () => DirectedRun, vertices: Vertices, infinity: number, exact: boolean): DirectedRun {
  return {
    direction: 'both',
    method: 'closed-form',
    logInfinity: logInfinityOf(infinity, 0),
    infinity: exact ? infinity : undefined,
    get largestLoss() {
      return run().largestLoss;
    },
    logDelta: (epsilon) => run().logDelta(epsilon),
    test: (omega) => run().test(omega),
    guessEpsilon: (logDelta) => run().guessEpsilon(logDelta),
    guessOmega: (logFpr) => run().guessOmega(logFpr),
    vertices,
  };
}

/** μ of a pair with these ends: it is ε-DP for its largest absolute loss ε, hence μ-GDP (`pureMu`); ∞ if a loss is infinite. Rounded up. */
function limitsOf({ smallest, largest, infinity, minusInfinity }: Ends): { gdpMu: number; tailMu: number } {
  const certain = infinity > 0 || minusInfinity > 0;
  return {
    gdpMu: certain ? Infinity : pureMu(Math.max(-smallest, largest, 0)),
    tailMu: certain ? Infinity : 0,
  };
}

/**
 * The atoms of a polygon: a loss for each segment, the log of minus its slope. Its masses under P and Q are the differences of α and of β, rounded once.
 *
 * Ensures: masses and losses are within their stated errors.
 */
export function polygonAtoms({ alpha, beta }: Vertices): Atoms {
  const n = alpha.length - 1;
  const p = new Float64Array(n);
  const q = new Float64Array(n);
  // losses ascend as α decreases
  for (let i = 0; i < n; i++) {
    p[i] = alpha[n - i] - alpha[n - i - 1];
    q[i] = beta[n - i - 1] - beta[n - i];
  }
  return atomsOfMasses({ p, q, infinity: 1 - beta[0], minusInfinity: 1 - alpha[n] });
}

/** Bound of the relative error of masses that are differences of the rates of vertices. */
const RELATIVE = FUNCTIONS_ERROR;

/** Bound of the absolute error of log(q/p) if p and q have this relative error. */
function lossErrorOf(relative: number): number {
  return 8 * U + 2 * relative;
}

/**
 * Atoms with masses p and q, sorted by ascending q/p, and losses log(q/p). `relative` bounds the relative error of the masses, and so that of losses.
 *
 * Ensures: losses are within `lossError`.
 */
function atomsOfMasses(
  masses: Pick<Atoms, 'p' | 'q' | 'infinity' | 'minusInfinity'>,
  relative = RELATIVE,
): Atoms {
  const { p, q, infinity, minusInfinity } = masses;
  const loss = p.map((x, i) => lossOf(x, q[i]));
  const lossError = lossErrorOf(relative);
  const [smallest, largest] =
    loss.length === 0 ? [0, 0] : [loss[0] - lossError, loss[loss.length - 1] + lossError];
  return {
    loss,
    ...masses,
    relative,
    lossError,
    ...limitsOf({ smallest, largest, infinity, minusInfinity }),
  };
}

/** log(q/p) by one quotient, or log q − log p if the quotient is near overflow or underflow; absolute error within `lossErrorOf`. */
function lossOf(p: number, q: number): number {
  const ratio = q / p;
  return ratio > 1e-290 && ratio < 1e290 ? log(ratio) : log(q) - log(p);
}

/** A sum of masses may exceed 1 by this much; a larger sum is an error of the user. */
const OVER = 1e-9;

/**
 * The pair (X, Y) of two laws on the same outputs, from their masses: tests reject outputs in order of decreasing y/x (Gomez et al. 2025, algorithm 1).
 * If masses of a law sum to less than 1 by more than rounding, the other law never gives the missing mass. Else they are divided by their sum.
 *
 * Ensures: δ of the pair lies in its brackets, for masses that are each rounded once.
 *
 * @throws RangeError if a sum of masses is above 1 by more than 1e-9.
 */
export function pairOfMasses(x: ArrayLike<number>, y: ArrayLike<number>): AtomicPair {
  const order = Uint32Array.from({ length: x.length }, (_, i) => i).filter((i) => x[i] > 0 || y[i] > 0);
  const losses = new Float64Array(x.length);
  for (const i of order) losses[i] = x[i] === 0 ? Infinity : y[i] === 0 ? -Infinity : lossOf(x[i], y[i]);
  order.sort((i, j) => losses[j] - losses[i] || 0);
  const n = order.length;
  const slack = 8 * U + 2 * (n * U) ** 2;
  // bound of the distance from 1 of the sum of n masses that are each rounded
  const off = 4 * U * (n + 1);
  const scaled = (name: string, given: ArrayLike<number>): { masses: Float64Array; missing: number } => {
    const masses = Float64Array.from(order, (i) => given[i]);
    const total = sumFrom(masses.slice().sort())[n] ?? 0;
    if (!(total <= 1 + OVER)) throw wrongValue(name, 'masses that add up to at most 1', total);
    if (total < 1 - off) return { masses, missing: 1 - total };
    return { masses: masses.map((mass) => mass / total), missing: 0 };
  };
  const [a, b] = [scaled('x', x), scaled('y', y)];
  const finite = [...order.keys()].filter((k) => a.masses[k] > 0 && b.masses[k] > 0).reverse();
  const only = (own: Float64Array, other: Float64Array): number =>
    own.reduce((sum, mass, k) => (other[k] > 0 ? sum : sum + mass), 0);
  const atoms = atomsOfMasses(
    {
      p: Float64Array.from(finite, (k) => a.masses[k]),
      q: Float64Array.from(finite, (k) => b.masses[k]),
      infinity: b.missing + only(b.masses, a.masses),
      minusInfinity: a.missing + only(a.masses, b.masses),
    },
    RELATIVE + 2 * slack,
  );
  const pair = atomicPair(atoms);
  const vertices = {
    alpha: sumFrom(a.masses),
    beta: sumFrom(b.masses.slice().reverse()).reverse(),
    rest: {
      alpha: sumFrom(a.masses.slice().reverse(), a.missing).reverse(),
      beta: sumFrom(b.masses, b.missing),
    },
    relative: 2 * slack,
  };
  return withVertices(() => pair, vertices, { ...pair, minusInfinity: atoms.minusInfinity });
}

/** The compensated sums start, start + m₀, start + m₀ + m₁, …; each has a relative error of about one rounding. */
function sumFrom(masses: Float64Array, start = 0): Float64Array {
  const sums = new Float64Array(masses.length + 1);
  sums[0] = start;
  const sum = new CompensatedSum(start);
  for (let i = 0; i < masses.length; i++) {
    sum.add(masses[i]);
    sums[i + 1] = sum.value;
  }
  return sums;
}
