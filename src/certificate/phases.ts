/** The run as steps with densities, as the texts define them: what `verify` integrates. */

import type { Adjacency } from '../mechanism/adjacency.js';
import type { Mechanism } from '../mechanism/mechanism.js';

/** Outputs as mass under the base and loss log(other/base): points of a quadrature, or atoms. */
type Outputs = readonly (readonly [mass: number, loss: number])[];

interface Law {
  /** For E_base[(other/base)^{a + ib}]. */
  outputs(a: number, b: number): Outputs;
  /** Spacing of the losses; 0 where they are on no lattice. */
  readonly lattice: number;
  /** Mass of the atoms of some weight. */
  readonly held?: number;
  /** Mass of either side's outputs that the other does not have. */
  readonly apart?: number;
}

export interface Phase extends Law {
  readonly rate: number;
  readonly count: number;
}

/** More than this are summed over at too many frequencies. */
const MAX_PHASES = 10_000;
const MAX_ATOMS = 50_000;

/** The run as phases; or why it is none. */
export function flatten(
  mechanism: Mechanism,
  count: number,
  adjacency: Adjacency,
  into: Phase[],
): string | undefined {
  const m = mechanism as unknown as Record<string, never>;
  if (!(count <= Number.MAX_SAFE_INTEGER)) return 'a run of 2^53 steps or more';
  if (m['kind'] === 'repeat') return flatten(m['inner'], count * m['count'], adjacency, into);
  if (m['kind'] === 'compose') {
    for (const part of m['parts'] as Mechanism[]) {
      const problem = flatten(part, count, adjacency, into);
      if (problem !== undefined) return problem;
    }
    return into.length > MAX_PHASES ? `a run of more than ${MAX_PHASES} phases` : undefined;
  }
  const order = orderOf(m);
  if (order?.moves && adjacency === 'add-remove')
    return 'steps that hang on the places of records, one of which is added or removed: nothing is proved of that';
  if (order !== undefined) return flatten(order.steps, count * order.count, adjacency, into);
  const sampled = m['kind'] === 'poisson-subsampled';
  const rate: number = sampled ? m['rate'] : 1;
  if (rate > 0 && rate < 1 && count > 0 && adjacency === 'replace-one')
    return 'Poisson sampling under replace-one, for which there is no theorem here';
  // replacing a record is removing one and adding another: twice the sensitivity
  const law = lawOf(sampled ? m['inner'] : m, adjacency === 'replace-one' ? 2 : 1);
  if (typeof law === 'string') return law;
  if (rate < 1 && law.apart! > 0) return 'sampled steps that may fail altogether';
  // two atoms are on a lattice whatever they are; more than two are on none once sampled
  const two = rate < 1 && law.lattice > 0 && law.outputs(0, 0).length === 2;
  const [low, high] = two ? law.outputs(0, 0).map(([, s]) => sampledLoss(s, rate)) : [0, 0];
  const lattice = rate < 1 ? high - low : law.lattice;
  // those of a sample are nearly on the lattice that they come from: they come into phase again, however small the atoms
  const again = rate < 1 && law.lattice > 0 && !two && { held: 1 };
  if (rate > 0 && count > 0) into.push({ ...law, lattice, ...again, rate, count });
  return undefined;
}

/** Gaussian steps in a fixed order: those that one record is in, and whether the removal of another changes which. */
function orderOf(
  m: Record<string, never>,
): { readonly moves: boolean; readonly steps: Mechanism; readonly count: number } | undefined {
  const noise = { kind: 'gaussian', noiseMultiplier: m['noiseMultiplier'] } as const;
  const moves = m['places'] !== 'kept';
  switch (m['kind'] as string) {
    case 'fixed-batches':
      return { moves: moves && m['bins'] !== 1, steps: noise, count: 1 };
    case 'tree-aggregation': {
      let nodes = 0;
      for (let leaves: number = m['steps']; leaves >= 1; leaves = Math.floor(leaves / 2)) nodes++;
      return { moves, steps: noise, count: nodes };
    }
    case 'band-mf':
      return {
        moves: moves && m['bands'] > 1,
        steps: { kind: 'poisson-subsampled', rate: m['samplingRate'], inner: noise },
        count: Math.ceil(m['steps'] / m['bands']),
      };
    default:
      return undefined;
  }
}

/** The loss of a Poisson sample. */
export function sampledLoss(s: number, rate: number): number {
  if (rate === 1) return s;
  return s > 40
    ? s + Math.log(rate) + Math.log1p(((1 - rate) / rate) * Math.exp(-s))
    : Math.log1p(rate * Math.expm1(s));
}

/** A step as its law, or why there is none. `changed`: sensitivities are this many times those of adding a record. */
function lawOf(m: Record<string, never>, changed: number): Law | string {
  const atoms = (losses: Outputs, lattice: number, apart = 0): Law => ({
    outputs: () => losses,
    lattice,
    held: losses.reduce((sum, [mass]) => sum + (mass > 1 / 64 ? mass : 0), 0),
    apart,
  });
  switch (m['kind'] as string) {
    case 'gaussian':
    case 'gdp': {
      const sigma = m['kind'] === 'gdp' ? 1 / m['mu'] : m['noiseMultiplier'] / changed;
      return sigma >= 0.05 && sigma <= 1e4 ? normal(sigma) : 'only Gaussian noise between 0.05 and 1e4';
    }
    case 'laplace':
      return laplace((m['sensitivity'] * changed) / m['scale']);
    case 'pure-dp':
    case 'approximate-dp':
    case 'randomized-response': {
      const [epsilon, others] = [m['epsilon'] as number, (m['categories'] ?? 2) - 2];
      const apart = m['delta'] ?? 0;
      const unit = (1 - apart) / (1 + Math.exp(-epsilon) * (1 + others));
      const ends: Outputs = [
        [unit, -epsilon],
        [unit * Math.exp(-epsilon), epsilon],
      ];
      const middle: Outputs = others > 0 ? [[unit * others * Math.exp(-epsilon), 0]] : [];
      return atoms([...ends, ...middle], others > 0 ? epsilon : 2 * epsilon, apart);
    }
    case 'discrete-gaussian': {
      const [sigma, shift] = [m['sigma'] as number, m['sensitivity'] * changed];
      if (14 * sigma + 40 * shift > MAX_ATOMS) return `discrete noise on more than ${MAX_ATOMS} numbers`;
      const noise = normal(sigma / shift, 1 / shift);
      return { ...atoms(noise.outputs(0, 0), shift / sigma ** 2), outputs: noise.outputs };
    }
    case 'discrete-laplace': {
      const [scale, shift] = [m['scale'] as number, m['sensitivity'] * changed];
      if (shift > MAX_ATOMS) return `discrete noise on more than ${MAX_ATOMS} numbers`;
      const share = Math.tanh(0.5 / scale);
      const ends = 1 / (1 + Math.exp(-1 / scale));
      const mass = (k: number) =>
        k === 0 ? ends : k === shift ? ends * Math.exp(-shift / scale) : share * Math.exp(-k / scale);
      return atoms(
        Array.from({ length: shift + 1 }, (_, k) => [mass(k), (2 * k - shift) / scale]),
        2 / scale,
      );
    }
    default:
      return `a step of kind ${String(m['kind'])} has no density this route knows`;
  }
}

/**
 * N(0, σ²) and N(1, σ²) by trapezoids, or on the multiples of `spacing` alone. Outputs reach beyond those of the tilt; those of one tilt are kept for the frequencies of an octave.
 */
function normal(sigma: number, spacing?: number): Law {
  const known = new Map<string, Outputs>();
  // at such frequencies little is left; of a tilt nothing may be left out
  const beyond: Outputs = spacing === undefined ? [] : [[Number.NaN, 0]];
  const outputs = (a: number, b: number): Outputs => {
    const widest = Math.min(sigma / 6, (2 * Math.PI) / (Math.abs(b) / sigma ** 2 + 14 / sigma));
    const h = spacing ?? 2 ** Math.floor(Math.log2(widest));
    // those of a lattice serve an octave of tilts
    const tilt = spacing === undefined ? a : Math.sign(a) * 2 ** Math.ceil(Math.log2(Math.abs(a)));
    const from = Math.floor((Math.min(0, tilt) - 13 * sigma) / h);
    const n = Math.ceil((Math.max(1, tilt) + 13 * sigma) / h) - from + 1;
    const at = (j: number) => (from + j) * h;
    const mass = (j: number) => Math.exp(-(at(j) ** 2) / (2 * sigma ** 2));
    const make = (): Outputs => {
      const masses = Array.from({ length: n }, (_, j) => mass(j));
      const total =
        spacing === undefined ? (sigma * Math.sqrt(2 * Math.PI)) / h : masses.reduce((sum, x) => sum + x, 0);
      return masses.map((x, j) => [x / total, (2 * at(j) - 1) / (2 * sigma ** 2)]);
    };
    const made = known.get(`${tilt} ${h}`) ?? (n > 2e5 ? beyond : make());
    if (known.size >= 8) known.clear();
    known.set(`${tilt} ${h}`, made);
    return made;
  };
  return { outputs, lattice: 0 };
}

/** Laplace noise: atoms at either end and, between them, a tanh-sinh rule; those of an octave of frequencies are one. */
function laplace(epsilon: number): Law {
  const known = new Map<number, Outputs>();
  const made = (n: number): Outputs => {
    const h = 3.2 / n;
    const rule: Outputs = Array.from({ length: 2 * n + 1 }, (_, j) => {
      const u = (Math.PI / 2) * Math.sinh((j - n) * h);
      const share =
        (Math.cosh((j - n) * h) / Math.cosh(u) ** 2) * Math.exp(-(epsilon / 2) * (1 + Math.tanh(u)));
      return [(Math.PI / 8) * epsilon * h * share, epsilon * Math.tanh(u)];
    });
    return [[0.5, -epsilon], [Math.exp(-epsilon) / 2, epsilon], ...rule];
  };
  const outputs = (_: number, b: number): Outputs => {
    const n = 2 ** Math.ceil(Math.log2(30 + Math.abs(b) * epsilon));
    const found = known.get(n) ?? made(n);
    known.set(n, found);
    return found;
  };
  return { outputs, lattice: 0, held: (1 + Math.exp(-epsilon)) / 2 };
}
