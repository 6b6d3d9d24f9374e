import { wrongValue } from '../errors.js';
import { U } from '../numeric/constants.js';
import { log } from '../numeric/scalar.js';
import type { Vertices } from '../run/directed-run.js';
import { atomicPair } from './atomic-pair.js';
import { pureMu } from './exponential-pair.js';
import type { AtomicPair, Atoms } from './pair.js';

/** A point of a trade-off function. */
export interface Breakpoint {
  /** False positive rate, in [0, 1]. */
  readonly alpha: number;
  /** False negative rate, in [0, 1 − alpha]. */
  readonly beta: number;
}

/** The lower convex hull of the points, (0, 1) and (1, 0), from its first vertex to the first at β = 0. */
export function hullOf(points: readonly Breakpoint[]): Vertices {
  const n = points.length + 2;
  const a = new Float64Array(n);
  const b = new Float64Array(n);
  let ascending = true;
  b[0] = 1;
  points.forEach((point, i) => {
    a[i + 1] = point.alpha;
    b[i + 1] = point.beta;
    if (point.alpha < a[i]) ascending = false;
  });
  a[n - 1] = 1;
  const order = ascending ? undefined : Uint32Array.from(a.keys()).sort((i, j) => a[i] - a[j] || b[i] - b[j]);
  const alpha = new Float64Array(n);
  const beta = new Float64Array(n);
  let m = 0;
  const fall = (i: number, x: number, y: number): number => (beta[i] - y) / (x - alpha[i]);
  for (let k = 0; k < n; k++) {
    const i = order === undefined ? k : order[k];
    const [x, y] = [a[i], b[i]];
    if (m > 0 && y >= beta[m - 1]) continue;
    if (m > 0 && x === alpha[m - 1]) m--;
    while (m > 1 && fall(m - 2, alpha[m - 1], beta[m - 1]) <= fall(m - 1, x, y)) m--;
    alpha[m] = x;
    beta[m] = y;
    m++;
  }
  return { alpha: alpha.slice(0, m), beta: beta.slice(0, m), relative: 0 };
}

/** The polygon with the vertices of `points` and, of a symmetric one, their mirror images. */
export function polygonPair(points: readonly Breakpoint[], symmetric: boolean): AtomicPair {
  const mirrored = symmetric ? points.map(({ alpha, beta }) => ({ alpha: beta, beta: alpha })) : [];
  const vertices = hullOf(symmetric ? [...points, ...mirrored] : points);
  return withVertices(atomicPair(polygonAtoms(vertices)), vertices);
}

function withVertices(pair: AtomicPair, vertices: Vertices): AtomicPair {
  const { alpha, beta, rest, relative } = vertices;
  const back: Vertices = {
    alpha: beta.slice().reverse(),
    beta: alpha.slice().reverse(),
    ...(rest && { rest: { alpha: rest.beta.slice().reverse(), beta: rest.alpha.slice().reverse() } }),
    relative,
  };
  return {
    ...pair,
    forward: { ...pair.forward, vertices },
    backward: { ...pair.backward, vertices: back },
  };
}

/** One loss, log of minus the slope, a segment; masses are differences of the vertices, rounded once. */
export function polygonAtoms({ alpha, beta }: Vertices): Atoms {
  const n = alpha.length - 1;
  const p = new Float64Array(n);
  const q = new Float64Array(n);
  // losses ascend as α falls
  for (let i = 0; i < n; i++) {
    p[i] = alpha[n - i] - alpha[n - i - 1];
    q[i] = beta[n - i - 1] - beta[n - i];
  }
  return atomsOfMasses({ p, q, infinity: 1 - beta[0], minusInfinity: 1 - alpha[n] });
}

/** Masses in ascending order of q/p, as atoms. */
function atomsOfMasses(
  masses: Pick<Atoms, 'p' | 'q' | 'infinity' | 'minusInfinity'>,
  relative = 2e-15,
): Atoms {
  const { p, q, infinity, minusInfinity } = masses;
  const loss = p.map((x, i) => lossOf(x, q[i]));
  const certain = infinity > 0 || minusInfinity > 0;
  const n = loss.length;
  return {
    loss,
    ...masses,
    relative,
    lossError: 8 * U + 2 * relative,
    gdpMu: certain ? Infinity : pureMu(n === 0 ? 0 : Math.max(-loss[0], loss[n - 1], 0)),
    tailMu: certain ? Infinity : 0,
  };
}

/** log(q/p) to a rounding of the quotient, or of two logarithms where it is out of range. */
function lossOf(p: number, q: number): number {
  const ratio = q / p;
  return ratio > 1e-290 && ratio < 1e290 ? log(ratio) : log(q) - log(p);
}

/** Sums of masses above 1 by more than this are no rounding. */
const OVER = 1e-9;

/**
 * The pair (X, Y) of two laws on the same outputs, from their masses: T(X, Y) rejects in order of falling y/x (REP algorithm 1).
 * What a sum falls short of 1 by more than rounding is taken as lost to an output that the other law never gives; one
 * above 1 is divided by.
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
  // what sums of masses that are each rounded may be off 1
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
    2e-15 + 2 * slack,
  );
  return withVertices(atomicPair(atoms), {
    alpha: sumFrom(a.masses),
    beta: sumFrom(b.masses.slice().reverse()).reverse(),
    rest: {
      alpha: sumFrom(a.masses.slice().reverse(), a.missing).reverse(),
      beta: sumFrom(b.masses, b.missing),
    },
    relative: 2 * slack,
  });
}

/** start, start + m₀, start + m₀ + m₁, … */
function sumFrom(masses: Float64Array, start = 0): Float64Array {
  const sums = new Float64Array(masses.length + 1);
  sums[0] = start;
  let sum = start;
  let lost = 0;
  // Neumaier's summation: each partial sum of non-negative terms is right to 2u + n²u²
  for (let i = 0; i < masses.length; i++) {
    const next = sum + masses[i];
    lost += sum >= masses[i] ? sum - next + masses[i] : masses[i] - next + sum;
    sum = next;
    sums[i + 1] = sum + lost;
  }
  return sums;
}
