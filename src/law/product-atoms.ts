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

/** `count` releases with these atoms. */
export interface CountedAtoms {
  readonly atoms: Atoms;
  readonly count: number;
}

/** Masses under P and Q at integer multiples `at` of the lattice's unit. */
interface Masses {
  readonly at: Float64Array;
  readonly p: Float64Array;
  readonly q: Float64Array;
  /** Bound of the omitted mass, under P and under Q. */
  readonly lost: number;
  /** Bound of the relative error of the masses. */
  readonly relative: number;
}

/** Most multiplications of one product: some 50 ms. Only speed depends on it. */
export const MOST_WORK = 4e7;
/** Log of the mass below which atoms are omitted, and counted. Only width depends on it. */
const LOG_RARE = -640;

/**
 * The law of the sum of independent losses, all multiples of `unit`: the convolution of their masses. Undefined if it takes more than `MOST_WORK`
 * multiplications, or a loss is no multiple. Terms are positive: the relative error of a sum is at most 2u a term.
 *
 * @param unit Spacing of the lattice of losses.
 * @param options `logRare`: losses whose mass is below e^{logRare} under both laws are omitted, and their mass counted in `beyond`. `merged`: losses
 * need not be multiples, and only the nearest multiple is published; then the releases dominate the product.
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

/** The fields of atoms that a list of masses determines. */
type Listed = Pick<Atoms, 'loss' | 'p' | 'q' | 'relative' | 'lossError' | 'lattice'>;

/**
 * Atoms at the multiples of `unit`, with P-masses q e^{−loss}. `off` bounds how far an exact loss is from its multiple; it is part of the stated errors
 * of masses and losses.
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

/** Atoms with the losses log(q/p), ascending. The error of a loss is at most twice the relative error of masses, plus roundings. */
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

/**
 * Atoms by integer multiples of the lattice's unit, rare ones omitted. `off` bounds the distance of exact losses from them; undefined if a loss is no
 * multiple and they are not `merged`.
 */
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

/** Masses by integer multiples of the unit. */
type Placed = Pick<Masses, 'at' | 'p' | 'q'>;

/** Adds the masses of atoms at the same multiple, with one rounding for each mass added; `at` ascends. */
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

/** Masses below this may have lost digits to underflow, and are omitted. Correctness depends on it. */
const SMALLEST = 1e-300;

/**
 * Omits atoms whose mass is below `rare` under both laws, or below `SMALLEST` under one. `lost` is `before` plus the larger mass of each omitted atom.
 * Masses that are kept are exact copies.
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

/** Absolute value of losses above which P- or Q-masses may underflow. Correctness depends on it. */
const DEEP = 300;

/** The lattice of losses, and options of `productAtoms`. */
interface Lattice {
  readonly unit: number;
  /** Atoms with less mass under both laws are omitted. */
  readonly rare: number;
  readonly merged: boolean;
  /** Multiplications that may still be done. */
  left: number;
}

/**
 * Convolution Σ a_i b_{k−i} of two laws of losses, under Q and under P; undefined if the work allowed is spent. Terms are positive: the relative
 * error `relative` is the sum of both, and 2u for each term of a sum.
 */
function times(a: Masses | undefined, b: Masses | undefined, lattice: Lattice): Masses | undefined {
  if (a === undefined || b === undefined || a.q.length === 0 || b.q.length === 0) return undefined;
  lattice.left -= a.q.length * b.q.length;
  if (lattice.left < 0) return undefined;
  const at = sumsOf(a.at, b.at);
  const q = convolved(a, b, 'q', at);
  const [first, last] = [at[0] * lattice.unit, at[at.length - 1] * lattice.unit];
  // P = Q e^{−loss} needs Q-masses with all digits; else P-masses are convolved, too
  const own = lattice.merged || -first > DEEP || last > DEEP;
  const p = own ? convolved(a, b, 'p', at) : q.map((mass, k) => mass * exp(-at[k] * lattice.unit));
  const masses = frequent({ at, p, q }, up(a.lost + b.lost, LONG_SUM), lattice.rare);
  return { ...masses, relative: a.relative + b.relative + 2 * U * (2 + Math.min(a.q.length, b.q.length)) };
}

/** The sums of two losses as ascending multiples of the unit, exactly: all integers between the ends, or the sums that occur if fewer. */
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
 * Masses of the sum of two losses under one law: Σ a_i b_j over the pairs with that sum. All terms are positive: beside the errors of a and b there is a
 * relative error of one rounding a term.
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
