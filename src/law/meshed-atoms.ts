import { U } from '../numeric/constants.js';
import { gaussLegendre } from '../numeric/gauss-legendre.js';
import { LONG_SUM, up } from '../numeric/rounding.js';
import { exp, expm1, log } from '../numeric/scalar.js';
import { ALL_FINITE, type Atoms, type ExponentialPair, type GaussianPair } from './pair.js';

/** The law of a loss under Q: a density on the interval [`from`, `to`], atoms, and at most mass `beyond` outside. */
interface Continuum extends Pick<Atoms, 'gdpMu' | 'tailMu'> {
  readonly from: number;
  readonly to: number;
  /** log of the density under Q at a loss. */
  logDensity(loss: number): number;
  /** Length of losses over which the density is smooth: panels of the quadrature are a sixteenth of it. */
  readonly scale: number;
  readonly atoms: readonly { readonly loss: number; readonly q: number }[];
  readonly beyond: number;
}

/** Gaussian tails are truncated where they have the mass e^{−DEPTH}, which is counted in `beyond`. Only width depends on it. */
const DEPTH = 150;
/** Gauss–Legendre nodes of a panel. The quadrature error is below a rounding error (docs/proofs/joint.md, 5); correctness depends on it. */
const NODES = 8;
/** Panels in a length of `scale`. Correctness depends on it as on NODES. */
const PANELS = 16;
/** Bound of the relative error of a mass: rounding of exponents up to `DEPTH`, and quadrature. */
const RELATIVE = 1e-12;

/**
 * The loss of a pair under Q: for a Gaussian pair N(μ²/2, μ²), truncated where tails have mass e^{−DEPTH}; else the density w e^{y/2} and atoms of its
 * `Shape`. Log densities have a few roundings.
 */
function continuumOf(pair: GaussianPair | ExponentialPair): Continuum {
  if (pair.family === 'gaussian') {
    const { mu, gdpMu, tailMu } = pair;
    const reach = mu * (mu / 2 + Math.sqrt(2 * DEPTH));
    const constant = -log(mu) - 0.5 * log(2 * Math.PI);
    return {
      from: -reach,
      to: reach,
      logDensity: (y) => {
        const x = y / mu - mu / 2;
        return constant - 0.5 * x * x;
      },
      scale: Math.min(mu, 1),
      atoms: [],
      beyond: exp(-DEPTH),
      gdpMu,
      tailMu,
    };
  }
  const { range, weight, atom, gdpMu } = pair.shape;
  const constant = log(weight);
  return {
    from: -range,
    to: range,
    logDensity: (y) => constant + y / 2,
    scale: 1,
    atoms:
      atom > 0
        ? [
            { loss: -range, q: atom * exp(-range) },
            { loss: range, q: atom },
          ]
        : [],
    beyond: 0,
    gdpMu,
    tailMu: 0,
  };
}

/** Heuristic: width of the interval of losses that has all but e^{−150} of the mass. It only chooses meshes; it enters no bound. */
export function widthOf(pair: GaussianPair | ExponentialPair): number {
  const { from, to } = continuumOf(pair);
  return to - from;
}

/** Receives a piece of a law: its cell of the mesh, its loss, and its masses under Q and P. */
type Add = (cell: number, loss: number, q: number, p: number) => void;

/** Q-masses below this may have lost digits to underflow, so that no P-mass is computed from them. Correctness depends on it. */
const SMALLEST = 1e-290;

/**
 * Calls `add` for each node of the Gauss–Legendre rules of a law, with weight times density as masses, and for each atom. Cell k is the losses from
 * (k + offset)·step to (k + 1 + offset)·step. Sums over a cell have a relative error of at most `RELATIVE`.
 */
function forPieces(
  { from, to, logDensity, scale, atoms }: Continuum,
  step: number,
  offset: number,
  add: Add,
): void {
  const { node, weight } = gaussLegendre(NODES);
  const panels = Math.max(1, Math.ceil((step * PANELS) / scale));
  const first = Math.floor(from / step - offset);
  const last = Math.ceil(to / step - offset);
  for (let cell = first; cell < last; cell++) {
    const start = Math.max(from, (cell + offset) * step);
    const width = (Math.min(to, (cell + offset + 1) * step) - start) / panels;
    if (!(width > 0)) continue;
    for (let panel = 0; panel < panels; panel++) {
      for (let i = 0; i < NODES; i++) {
        const loss = start + width * (panel + node[i]);
        const q = width * weight[i] * exp(logDensity(loss));
        const p = q < SMALLEST ? width * weight[i] * exp(logDensity(loss) - loss) : q * exp(-loss);
        add(cell, loss, q, p);
      }
    }
  }
  for (const { loss, q } of atoms) add(Math.floor(loss / step - offset), loss, q, q * exp(-loss));
}

/**
 * Splits each piece between both ends of its cell such that its P-mass and its Q-mass stay (Doroshenko et al. 2022; docs/proofs/joint.md, 3). `lost`:
 * the larger mass of pieces with a Q-mass below `SMALLEST`, which are omitted. Losses lie between `least` and `most`.
 *
 * Ensures: with `lost` at infinity the result dominates, up to a few roundings of each mass.
 */
export function splitMasses(
  step: number,
  [least, most]: readonly [number, number],
  forEach: (add: Add) => void,
): Pick<Atoms, 'loss' | 'p' | 'q'> & { readonly lost: number } {
  // one more multiple at either end, for rounding
  const first = Math.floor(least / step) - 1;
  const masses = new Float64Array(Math.floor(most / step) - first + 3);
  let lost = 0;
  const [fall, rise] = [expm1(-step), expm1(step)];
  forEach((cell, loss, q, p) => {
    if (q < SMALLEST) {
      lost += up(Math.max(p, q), LONG_SUM);
      return;
    }
    // rounding may have put an atom at the end of a cell outside of it
    const inside = Math.min(step, Math.max(0, loss - cell * step));
    masses[cell + 1 - first] += (q * expm1(-inside)) / fall;
    masses[cell - first] += (q * expm1(step - inside)) / rise;
  });
  const at = Array.from(masses.keys()).filter((k) => masses[k] > 0);
  const loss = Float64Array.from(at, (k) => (k + first) * step);
  const q = Float64Array.from(at, (k) => masses[k]);
  return { loss, p: q.map((mass, i) => mass * exp(-loss[i])), q, lost };
}

/**
 * Atoms on the multiples of `step` that dominate a pair: the mass in each cell is split between its ends by `splitMasses`.
 *
 * Ensures: the atoms dominate the pair, within the errors that they state.
 */
export function meshedAbove(pair: GaussianPair | ExponentialPair, step: number): Atoms {
  const law = continuumOf(pair);
  const { loss, p, q, lost } = splitMasses(step, [law.from, law.to], (add) => forPieces(law, step, 0, add));
  return atomsOf({ ...law, beyond: law.beyond + lost }, loss, p, q);
}

/**
 * Atoms that a pair dominates: only its loss rounded to a multiple of `step` is published. Each atom has that multiple as its loss, and the masses of
 * its cell under P and Q. Ensures: masses within the relative error stated.
 */
export function meshedBelow(pair: GaussianPair | ExponentialPair, step: number): Atoms {
  const law = continuumOf(pair);
  const masses = new Map<number, [p: number, q: number]>();
  forPieces(law, step, -0.5, (cell, _, mass, base) => {
    const [p, q] = masses.get(cell) ?? [0, 0];
    masses.set(cell, [p + base, q + mass]);
  });
  const at = [...masses.keys()].sort((a, b) => a - b);
  const of = (side: 0 | 1): Float64Array => Float64Array.from(at, (k) => masses.get(k)![side]);
  return atomsOf(
    law,
    Float64Array.from(at, (k) => k * step),
    of(0),
    of(1),
  );
}

/**
 * Atoms with their error bounds: that of the quadrature, and roundings of edges and losses relative to the largest loss.
 *
 * Ensures: masses are within the relative error stated.
 */
function atomsOf(law: Continuum, loss: Float64Array, p: Float64Array, q: Float64Array): Atoms {
  const { beyond, gdpMu, tailMu } = law;
  return {
    loss,
    p,
    q,
    // includes roundings of edges and losses
    relative: RELATIVE + 8 * U * Math.max(Math.abs(law.from), law.to),
    lossError: 8 * U * Math.max(Math.abs(law.from), law.to),
    ...(beyond > 0 && { beyond }),
    ...ALL_FINITE,
    gdpMu,
    tailMu,
  };
}

/**
 * Atoms on the multiples of `step` that dominate given atoms: each is split between the adjacent multiples by `splitMasses`.
 *
 * Ensures: they dominate the given atoms, within the errors that they state.
 */
export function splitAtoms(atoms: Atoms, step: number): Atoms {
  const furthest = atoms.loss.reduce((most, y) => Math.max(most, Math.abs(y)), 0);
  const { lost, ...split } = splitMasses(step, [-furthest, furthest], (add) => {
    atoms.loss.forEach((loss, i) => {
      add(Math.floor(loss / step), loss, atoms.q[i], atoms.p[i]);
    });
  });
  const beyond = (atoms.beyond ?? 0) + lost;
  return {
    ...atoms,
    ...split,
    ...(beyond > 0 && { beyond }),
    lattice: step,
    lossError: (atoms.lossError ?? 0) + 8 * U * furthest,
  };
}
