import { U } from '../numeric/constants.js';
import { LONG_SUM, up } from '../numeric/rounding.js';
import { exp } from '../numeric/scalar.js';
import { atomicPair } from './atomic-pair.js';
import { ALL_FINITE, type AtomicPair, type Atoms, type ExponentialPair } from './pair.js';
import { productAtoms } from './product-atoms.js';

/** A dominating pair (P, Q) whose likelihood ratio dQ/dP is bounded. */
export type BoundedPair = ExponentialPair | AtomicPair;

/** Cells over the range of the sum of `bins` ratios, about; and most cells over the range of one ratio. Width and speed depend on them. */
const [CELLS, MOST_CELLS] = [5000, 2 ** 14];
/** Log of the mass below which values of a sum are omitted (and counted). Cells are sized for sums within 18 standard deviations of the mean. */
const [LOG_RARE, FAR] = [-150, 18];
/** Factor by which the width of cells grows until their convolutions take little enough work. Only width and speed depend on it. */
const COARSER = 1.5;

/** Masses of the likelihood ratio dQ/dP, in cells or at their ends: `p` under P, without the record, and `q` under Q, with it. */
interface Cells {
  readonly p: Float64Array;
  readonly q: Float64Array;
}

/**
 * The pair of `bins` releases of one mechanism, one of which, chosen uniformly, has the record. Its likelihood ratio is the mean of the ratios dQ/dP
 * of the releases (docs/proofs/balls-and-bins.md, 15). For 'above', each ratio is moved to the ends of its cell with the same mean, which dominates by
 * convexity. For 'below', only the cell of each ratio is published, which is post-processing.
 *
 * Ensures: for 'above' the result dominates the exact pair, for 'below' it is dominated by it, within the errors that its atoms state.
 */
export function allocatedPair(pair: BoundedPair, bins: number, side: 'above' | 'below'): AtomicPair {
  const [low, high] = [exp(pair.smallest), exp(pair.largest)];
  const spread = Math.sqrt(Math.max(0, secondMoment(pair) - 1));
  const reach = Math.min(bins * (high - low), 2 * FAR * spread * Math.sqrt(bins) + FAR * (high - low));
  let step = Math.max(reach / CELLS, (high - low) / MOST_CELLS);
  for (;;) {
    const count = Math.max(1, Math.ceil((high - low) / step));
    const edges = Float64Array.from({ length: count + 1 }, (_, k) => low + (k * (high - low)) / count);
    const found = sumOf(pair, bins, edges, side);
    if (found !== undefined) return { ...atomicPair(found), asymmetric: true };
    if (count === 1) throw new Error('sums of ratios at two places are few');
    step *= COARSER;
  }
}

/** E[(dQ/dP)²] under P, as Σ q e^loss, or as ∫ w e^{3y/2} dy and the atoms of a `Shape` with the density w e^{y/2}. Heuristic: only chooses the width of cells; it enters no bound. */
function secondMoment({ forward, ...pair }: BoundedPair): number {
  if (pair.family === 'atoms')
    return pair.atoms.q.reduce((sum, q, i) => sum + q * exp(pair.atoms.loss[i]), 0);
  const { range, weight, atom } = pair.shape;
  return (2 * weight * (exp(1.5 * range) - exp(-1.5 * range))) / 3 + atom * (exp(range) + exp(-2 * range));
}

/**
 * The pair of `allocatedPair` on cells with the given edges: the sum of `bins` ratios. Under the first law all of them have the law of P; under the
 * second one of them has that of Q. It is a convolution of masses by number of cell. Undefined if that takes too much work.
 *
 * Ensures: for 'above' the atoms dominate the exact pair, for 'below' it dominates them. Rounding errors and omitted mass are stated in the atoms.
 */
function sumOf(
  pair: BoundedPair,
  bins: number,
  edges: Float64Array,
  side: 'above' | 'below',
): Atoms | undefined {
  const cells = side === 'above' ? endsOf(pair, edges) : cellsOf(pair, edges);
  const kept = [...cells.p.keys()].filter((i) => cells.p[i] > 0);
  const of = (values: Float64Array): Float64Array => Float64Array.from(kept, (i) => values[i]);
  const { relative = 0, lossError = 0 } = pair.family === 'atoms' ? pair.atoms : {};
  const known = { loss: Float64Array.from(kept), p: of(cells.p), relative: relative + 32 * U, ...ALL_FINITE };
  const one: Atoms = { ...known, q: of(cells.q), gdpMu: 0, tailMu: 0 };
  const other: Atoms = { ...known, q: known.p, gdpMu: 0, tailMu: 0 };
  const parts = [{ atoms: one, count: 1 }, ...(bins > 1 ? [{ atoms: other, count: bins - 1 }] : [])];
  const found = productAtoms(parts, 1, { logRare: LOG_RARE, merged: true });
  return (
    found && {
      ...found,
      beyond: up(found.beyond ?? 0, LONG_SUM),
      lossError: (found.lossError ?? 0) + lossError + 16 * U,
      // if the index of the release with the record were published, δ would be that of `pair`, and no smaller
      gdpMu: pair.gdpMu,
    }
  );
}

/** The index of the cell of a ratio: the last one whose left end is at most the ratio, exactly. The first guess assumes equal widths. */
function placeOf(ratio: number, edges: Float64Array): number {
  const count = edges.length - 1;
  let k = Math.floor(((ratio - edges[0]) / (edges[count] - edges[0])) * count);
  if (!(k >= 0)) k = 0;
  while (k > 0 && edges[k] > ratio) k--;
  while (k + 1 < count && edges[k + 1] <= ratio) k++;
  return Math.min(k, count - 1);
}

/**
 * Masses of the cells of the ratio r = dQ/dP under P and Q. They are the masses of the atoms inside; a `Shape` adds integrals of its densities w r^{−3/2}
 * and w r^{−1/2}. Relative error: a few roundings each.
 */
function cellsOf(pair: BoundedPair, edges: Float64Array): Cells {
  const [p, q] = [new Float64Array(edges.length - 1), new Float64Array(edges.length - 1)];
  const add = (ratio: number, without: number, having: number): void => {
    const k = placeOf(ratio, edges);
    p[k] += without;
    q[k] += having;
  };
  if (pair.family === 'atoms') {
    for (const [i, loss] of pair.atoms.loss.entries()) add(exp(loss), pair.atoms.p[i], pair.atoms.q[i]);
    return { p, q };
  }
  const { range, weight, atom } = pair.shape;
  for (let k = 0; k < p.length; k++) {
    const { root, next, apart } = rootsOf(edges, k);
    p[k] = (2 * weight * apart) / (root * next);
    q[k] = 2 * weight * apart;
  }
  add(edges[0], atom, atom * exp(-range));
  add(edges[p.length], atom * exp(-range), atom);
  return { p, q };
}

/**
 * Masses at the ends of the cells of the ratio r = dQ/dP. P-mass at r in a cell [a, b] is split between its ends. The share at b is (r − a)/(b − a), so
 * that the mean ratio stays. Q-mass is ratio times P-mass. Relative error: a few roundings each.
 */
function endsOf(pair: BoundedPair, edges: Float64Array): Cells {
  const p = new Float64Array(edges.length);
  const add = (ratio: number, without: number): void => {
    const k = placeOf(ratio, edges);
    const share = Math.min(1, Math.max(0, (ratio - edges[k]) / (edges[k + 1] - edges[k] || 1)));
    p[k] += without * (1 - share);
    p[k + 1] += without * share;
  };
  if (pair.family === 'atoms') {
    for (const [i, loss] of pair.atoms.loss.entries()) add(exp(loss), pair.atoms.p[i]);
  } else {
    const { range, weight, atom } = pair.shape;
    for (let k = 0; k + 1 < edges.length; k++) {
      // ∫ of (right end − r)/width, and of (r − left end)/width, against the density w r^{−3/2} of the ratio r
      const { root, next, apart, width } = rootsOf(edges, k);
      p[k] += (2 * weight * apart * apart) / (width * root);
      p[k + 1] += (2 * weight * apart * apart) / (width * next);
    }
    add(edges[0], atom);
    add(edges[edges.length - 1], atom * exp(-range));
  }
  return { p, q: p.map((mass, k) => mass * edges[k]) };
}

/** √a and √b of the cell [a, b] number `k`, their difference as (b − a)/(√a + √b) without cancellation, and b − a. A few roundings each. */
function rootsOf(
  edges: Float64Array,
  k: number,
): { readonly root: number; readonly next: number; readonly apart: number; readonly width: number } {
  const [root, next] = [Math.sqrt(edges[k]), Math.sqrt(edges[k + 1])];
  const width = edges[k + 1] - edges[k];
  return { root, next, apart: width / (root + next), width };
}
