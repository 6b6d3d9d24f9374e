import { U } from '../numeric/constants.js';
import { exp, expm1, log1p } from '../numeric/scalar.js';
import { RELATIVE } from './atomic-pair.js';
import type { Atoms } from './pair.js';

/** Atoms of one release, and how often it is in the product. */
export interface CountedAtoms {
  readonly atoms: Atoms;
  readonly count: number;
}

/** Masses under Q at whole multiples of a loss, and the mass, under either, of what is left out. */
interface Masses {
  readonly at: Float64Array;
  readonly q: Float64Array;
  readonly lost: number;
  /** Relative error of the masses. */
  readonly relative: number;
}

/** Multiplications of one product at most: some 50 ms. */
export const MOST_WORK = 4e7;
/** Products of atoms leave out what is rarer, as a logarithm. */
const LOG_RARE = -640;

/**
 * The law of the sum of independent losses that lie on the multiples of `unit`: releases of one and the same record. Undefined where it takes more
 * than `MOST_WORK`, or a loss is on none of them. Sums of positive terms: relative error at most 2u a term.
 *
 * @param unit A loss.
 * @param logRare Losses whose mass is below e^{logRare} under both are left out.
 */
export function productAtoms(
  parts: readonly CountedAtoms[],
  unit: number,
  logRare: number = LOG_RARE,
): Atoms | undefined {
  const rare = exp(logRare);
  const lattice: Lattice = { unit, rare, left: MOST_WORK };
  let whole: Masses | undefined = { at: Float64Array.of(0), q: Float64Array.of(1), lost: 0, relative: 0 };
  let [lossError, tailSquare, gdpSquare, logP, logQ] = [0, 0, 0, 0, 0];
  for (const { atoms, count } of parts) {
    const one = massesOf(atoms, lattice);
    if (one === undefined || atoms.error !== undefined) return undefined;
    whole = times(whole, power(one.masses, count, lattice), lattice);
    if (whole === undefined) return undefined;
    lossError += count * one.off;
    tailSquare += count * atoms.tailMu * atoms.tailMu;
    gdpSquare += count * atoms.gdpMu * atoms.gdpMu;
    logP += count * log1p(-atoms.minusInfinity);
    logQ += count * log1p(-atoms.infinity);
  }
  const { at, q, lost, relative } = whole;
  const loss = at.map((k) => k * unit);
  const furthest = loss.reduce((most, y) => Math.max(most, Math.abs(y)), 0);
  return {
    loss,
    p: q.map((mass, i) => mass * exp(-loss[i])),
    q,
    relative: relative + 8 * U * (1 + furthest),
    lossError: lossError + 2 * U * furthest,
    ...(lost > 0 && { beyond: lost }),
    infinity: -expm1(logQ),
    minusInfinity: -expm1(logP),
    lattice: unit,
    gdpMu: Math.sqrt(gdpSquare) * (1 + 1e-14),
    tailMu: Math.sqrt(tailSquare),
  };
}

/** Atoms by their places on the lattice, and how far off it a loss is at most. */
function massesOf(atoms: Atoms, { unit, rare }: Lattice): { masses: Masses; off: number } | undefined {
  const { loss, beyond = 0, relative = RELATIVE } = atoms;
  const at = loss.map((y) => Math.round(y / unit));
  let off = atoms.lossError ?? 0;
  for (let i = 0; i < loss.length; i++) {
    const own = Math.abs(loss[i] - at[i] * unit);
    if (own > 1e-12 * (unit + Math.abs(loss[i]))) return undefined;
    off = Math.max(off, (atoms.lossError ?? 0) + own + 4e-16 * Math.abs(loss[i]));
  }
  const masses = frequent({ at, p: atoms.p, q: atoms.q }, beyond, rare);
  return { masses: { ...masses, relative: relative + 8 * U }, off };
}

/** Masses below this may have lost digits. Safety hangs on it. */
const SMALLEST = 1e-300;

/** Those that are not rare under both, nor lost to the smallest doubles under either, and what the others have together. */
function frequent(
  { at, p, q }: { at: Float64Array; p: Float64Array; q: Float64Array },
  before: number,
  rare: number,
): Omit<Masses, 'relative'> {
  let [kept, lost] = [0, before];
  const places = new Float64Array(at.length);
  const masses = new Float64Array(at.length);
  for (let i = 0; i < at.length; i++) {
    if ((p[i] < rare && q[i] < rare) || Math.min(p[i], q[i]) < SMALLEST) {
      lost += Math.max(p[i], q[i]);
      continue;
    }
    places[kept] = at[i];
    masses[kept++] = q[i];
  }
  return { at: places.subarray(0, kept), q: masses.subarray(0, kept), lost };
}

/** Where losses lie, what is left out, and the multiplications that are left. */
interface Lattice {
  readonly unit: number;
  readonly rare: number;
  left: number;
}

/** The law of the sum of `count` losses, by squares. */
function power(one: Masses, count: number, lattice: Lattice): Masses | undefined {
  let [square, whole]: [Masses | undefined, Masses | undefined] = [one, undefined];
  for (let left = count; square !== undefined; left = Math.floor(left / 2)) {
    if (left % 2 === 1) whole = whole === undefined ? square : times(whole, square, lattice);
    if (left <= 1) return whole;
    square = times(square, square, lattice);
  }
  return undefined;
}

/** The law of the sum of two losses. */
function times(a: Masses | undefined, b: Masses | undefined, lattice: Lattice): Masses | undefined {
  if (a === undefined || b === undefined || a.q.length === 0 || b.q.length === 0) return undefined;
  lattice.left -= a.q.length * b.q.length;
  if (lattice.left < 0) return undefined;
  const first = a.at[0] + b.at[0];
  const size = a.at[a.at.length - 1] + b.at[b.at.length - 1] - first + 1;
  if (size > MOST_WORK) return undefined;
  const dense = new Float64Array(size);
  for (let i = 0; i < a.q.length; i++) {
    const [from, mass] = [a.at[i] - first, a.q[i]];
    for (let j = 0; j < b.q.length; j++) dense[from + b.at[j]] += mass * b.q[j];
  }
  const at = Float64Array.from(dense, (_, k) => first + k).filter((_, k) => dense[k] > 0);
  const q = dense.filter((mass) => mass > 0);
  const p = q.map((mass, i) => mass * exp(-at[i] * lattice.unit));
  const masses = frequent({ at, p, q }, (a.lost + b.lost) * (1 + 1e-12), lattice.rare);
  return { ...masses, relative: a.relative + b.relative + 2 * U * (2 + Math.min(a.q.length, b.q.length)) };
}
