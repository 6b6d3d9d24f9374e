import { U } from '../numeric/constants.js';
import { SLACK } from '../numeric/log-probability.js';
import { charge } from '../numeric/meter.js';
import { PRICES } from '../numeric/prices.js';
import { LONG_SUM, ROUNDINGS, up } from '../numeric/rounding.js';
import { exp, expm1, log, log1p } from '../numeric/scalar.js';
import { bySquares } from '../numeric/whole-power.js';
import { RELATIVE } from './atomic-pair.js';
import { placesOn } from './lattice-atoms.js';
import type { Atoms } from './pair.js';

export interface CountedAtoms {
  readonly atoms: Atoms;
  readonly count: number;
}

/** Masses at integer multiples of a loss, and the mass, under either, of what is omitted. */
interface Masses {
  readonly at: Float64Array;
  readonly p: Float64Array;
  readonly q: Float64Array;
  readonly lost: number;
  /** Relative error of the masses. */
  readonly relative: number;
}

/** Multiplications of one convolution at most: some 50 ms. */
export const MOST_WORK = 4e7;
/** log of the probability below which convolutions omit atoms. */
const LOG_RARE = -640;

/**
 * Convolution: the law of the sum of independent losses on the multiples of `unit`, for releases about the same record. Undefined where it takes more
 * than `MOST_WORK`, or a loss is on no multiple. Sums of positive terms: relative error at most 2u a term.
 *
 * @param unit A loss.
 * @param options `logRare`: losses whose mass is below e^{logRare} under both are omitted. `merged`: losses may lie between the multiples, and are
 * published rounded to the nearest one; the releases then dominate the product.
 */
export function productAtoms(
  parts: readonly CountedAtoms[],
  unit: number,
  { logRare = LOG_RARE, merged = false }: { logRare?: number; merged?: boolean } = {},
): Atoms | undefined {
  const one = Float64Array.of(1);
  const lattice: Lattice = { unit, rare: exp(logRare), merged, left: MOST_WORK };
  let whole: Masses | undefined = { at: Float64Array.of(0), p: one, q: one, lost: 0, relative: 0 };
  let [lossError, tailSquare, gdpSquare, logP, logQ] = [0, 0, 0, 0, 0];
  for (const { atoms, count } of parts) {
    const given = massesOf(atoms, lattice);
    if (given === undefined || atoms.error !== undefined) return undefined;
    const product = (a: Masses | undefined, b: Masses | undefined): Masses | undefined =>
      times(a, b, lattice);
    whole = product(whole, bySquares<Masses | undefined>(given.masses, count, product));
    if (whole === undefined) return undefined;
    lossError += count * given.off;
    tailSquare += count * atoms.tailMu * atoms.tailMu;
    gdpSquare += count * atoms.gdpMu * atoms.gdpMu;
    logP += count * log1p(-atoms.minusInfinity);
    logQ += count * log1p(-atoms.infinity);
  }
  return {
    ...(merged ? byRatio(whole) : byPlace(whole, unit, lossError)),
    ...(whole.lost > 0 && { beyond: whole.lost }),
    ...(parts.some(({ atoms }) => atoms.differences) && { differences: true as const }),
    infinity: -expm1(logQ),
    minusInfinity: -expm1(logP),
    gdpMu: up(Math.sqrt(gdpSquare), ROUNDINGS),
    tailMu: Math.sqrt(tailSquare),
  };
}

type Listed = Pick<Atoms, 'loss' | 'p' | 'q' | 'relative' | 'lossError' | 'lattice'>;

/**
 * Atoms at the multiples of the unit, with P-masses computed from Q-masses; `off` bounds how far a loss is from its multiple. Errors of both masses
 * and losses are stated in the result.
 */
function byPlace({ at, q, relative }: Masses, unit: number, off: number): Listed {
  const loss = at.map((k) => k * unit);
  const furthest = loss.reduce((most, y) => Math.max(most, Math.abs(y)), 0);
  return {
    loss,
    p: q.map((mass, i) => mass * exp(-loss[i])),
    q,
    // P-masses are computed from Q-masses by losses that were moved
    relative: relative + off + 8 * U * (1 + furthest),
    lossError: off + 2 * U * furthest,
    lattice: unit,
  };
}

/** Atoms whose losses are the logs of their mass ratios, in ascending order. Losses have twice the relative error of masses. */
function byRatio({ p, q, relative }: Masses): Listed {
  const own = p.map((mass, i) => log(q[i] / mass));
  const order = own.map((_, i) => i).sort((i, j) => own[i] - own[j]);
  const sorted = (values: Float64Array): Float64Array => order.map((i) => values[i]);
  return {
    loss: sorted(own),
    p: sorted(p),
    q: sorted(q),
    relative,
    lossError: 2 * relative + SLACK,
  };
}

/** Atoms as multiples of the lattice, and the largest distance of a loss from it. */
function massesOf(
  atoms: Atoms,
  { unit, rare, merged }: Lattice,
): { masses: Masses; off: number } | undefined {
  const { loss, beyond = 0, relative = RELATIVE, lossError = 0 } = atoms;
  const places = merged ? { at: loss.map((y) => Math.round(y / unit)), off: 0 } : placesOn(loss, unit);
  if (places === undefined) return undefined;
  const { at, off } = places;
  const placed = merged ? gathered(at, atoms) : { at, p: atoms.p, q: atoms.q };
  const masses = frequent(placed, beyond, rare);
  return { masses: { ...masses, relative: relative + 8 * U }, off: off + lossError };
}

type Placed = Pick<Masses, 'at' | 'p' | 'q'>;

/** Merges atoms at the same multiple by adding their masses; multiples ascend. One rounding for each mass added. */
function gathered(at: Float64Array, { p, q }: Atoms): Placed {
  const out: Record<keyof Placed, number[]> = { at: [], p: [], q: [] };
  for (let i = 0; i < at.length; i++) {
    if (out.at.at(-1) !== at[i]) {
      out.at.push(at[i]);
      out.p.push(0);
      out.q.push(0);
    }
    out.p[out.p.length - 1] += p[i];
    out.q[out.q.length - 1] += q[i];
  }
  const of = (values: number[]): Float64Array => Float64Array.from(values);
  return { at: of(out.at), p: of(out.p), q: of(out.q) };
}

/** Masses below this may have lost relative accuracy to underflow. Correctness depends on it. */
const SMALLEST = 1e-300;

/**
 * Drops masses that are rare under both laws, or underflow under one; returns the rest, and the total mass dropped, `before` included. The masses
 * kept are exact copies.
 */
function frequent({ at, p, q }: Placed, before: number, rare: number): Omit<Masses, 'relative'> {
  let lost = before;
  const keeps = at.map((_, i) => {
    const kept = Math.max(p[i], q[i]) >= rare && Math.min(p[i], q[i]) >= SMALLEST;
    if (!kept) lost += Math.max(p[i], q[i]);
    return kept ? 1 : 0;
  });
  const of = (values: Float64Array): Float64Array => values.filter((_, i) => keeps[i] === 1);
  return { at: of(at), p: of(p), q: of(q), lost };
}

/** Size of a loss beyond which an atom's P- or Q-mass may underflow. */
const DEEP = 300;

/** The lattice, the rarest mass kept, and the multiplications that remain. */
interface Lattice {
  readonly unit: number;
  readonly rare: number;
  readonly merged: boolean;
  left: number;
}

/**
 * Convolution of two laws: masses of the sum of independent losses. Undefined where the work allowed is spent. Sums of positive terms, with their
 * relative error.
 */
function times(a: Masses | undefined, b: Masses | undefined, lattice: Lattice): Masses | undefined {
  if (a === undefined || b === undefined || a.q.length === 0 || b.q.length === 0) return undefined;
  lattice.left -= a.q.length * b.q.length;
  if (lattice.left < 0) return undefined;
  const at = sumsOf(a.at, b.at);
  const q = convolved(a, b, 'q', at);
  const [first, last] = [at[0] * lattice.unit, at[at.length - 1] * lattice.unit];
  // where Q-masses may underflow, P-masses are convolved by themselves
  const own = lattice.merged || -first > DEEP || last > DEEP;
  const p = own ? convolved(a, b, 'p', at) : q.map((mass, k) => mass * exp(-at[k] * lattice.unit));
  const masses = frequent({ at, p, q }, up(a.lost + b.lost, LONG_SUM), lattice.rare);
  return { ...masses, relative: a.relative + b.relative + 2 * U * (2 + Math.min(a.q.length, b.q.length)) };
}

/** The sums of two losses as ascending multiples of the unit: all between the ends, or each sum alone where those are fewer. */
function sumsOf(a: Float64Array, b: Float64Array): Float64Array {
  const first = a[0] + b[0];
  const size = a[a.length - 1] + b[b.length - 1] - first + 1;
  if (size <= a.length * b.length) return new Float64Array(size).map((_, k) => first + k);
  charge(PRICES.moved * 10 * a.length * b.length);
  const all = new Set<number>();
  for (const x of a) for (const y of b) all.add(x + y);
  return Float64Array.from(all).sort();
}

/**
 * Masses of the sum of two losses under one law: Σ a_i b_j at the place of the sum. All terms are positive. Relative error: a rounding a term and
 * those of the masses.
 */
function convolved(a: Masses, b: Masses, of: 'p' | 'q', sums: Float64Array): Float64Array {
  const [one, other, places] = [a[of], b[of], b.at];
  const masses = new Float64Array(sums.length);
  const [first, last] = [sums[0], sums[sums.length - 1]];
  if (last - first + 1 === sums.length) {
    for (let i = 0; i < one.length; i++) {
      const [from, mass] = [a.at[i] - first, one[i]];
      for (let j = 0; j < other.length; j++) masses[from + places[j]] += mass * other[j];
    }
    return masses;
  }
  const index = new Map<number, number>();
  for (const [k, x] of sums.entries()) index.set(x, k);
  for (let i = 0; i < one.length; i++) {
    for (let j = 0; j < other.length; j++)
      masses[index.get(a.at[i] + places[j]) as number] += one[i] * other[j];
  }
  return masses;
}
