/** The run as steps with densities, by their definitions: what `verify` integrates. */

import type { Adjacency } from '../mechanism/adjacency.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import * as own from './elementary.js';
import { gaussianLaw, type Lattice, type Law, laplaceLaw, sampledLoss } from './laws.js';
import { atomsLaw, discreteGaussianLaw, sampledGaussianLaw, sampledLaplaceLaw } from './sums.js';

/** Identical steps: the law of the loss of one, and their number. */
export interface VerifiedPhase {
  readonly law: Law;
  readonly count: number;
  /** The lattice of the losses, if they are on one. */
  readonly lattice?: Lattice | undefined;
  /** Probability, under either law of the pair, of outputs that the other law never gives. */
  readonly apart: number;
}

/** Largest number of phases, and of values of discrete noise: more would cost too much. */
const MAX_PHASES = 10_000;
const MAX_ATOMS = 50_000;

/** Appends the phases of a mechanism to `into`. Returns the reason if it has none, else undefined. */
export function flatten(
  mechanism: Mechanism,
  count: number,
  adjacency: Adjacency,
  into: VerifiedPhase[],
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
  if ((order?.moves || m['kind'] === 'last-iterate') && adjacency === 'add-remove')
    return 'steps that depend on the places of records, one of which is added or removed: nothing is proved of that';
  if (order !== undefined) return flatten(order.steps, count * order.count, adjacency, into);
  const sampled = m['kind'] === 'poisson-subsampled';
  const rate: number = sampled ? m['rate'] : 1;
  if (rate > 0 && rate < 1 && count > 0 && adjacency === 'replace-one')
    return 'Poisson sampling under replace-one, for which there is no theorem here';
  // replacing a record is removing one and adding one, at twice the sensitivity
  const law = lawOf(sampled ? m['inner'] : m, adjacency === 'replace-one' ? 2 : 1, rate);
  if (typeof law === 'string') return law;
  if (rate > 0 && count > 0) into.push({ ...law, count });
  return undefined;
}

/** Gaussian steps on batches in a fixed order: those in which one record takes part, and whether the removal of another record `moves` them. Undefined for other mechanisms. */
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

/** One step: a phase without its number. */
type Step = Omit<VerifiedPhase, 'count'>;

/** The law of a step, or the reason why there is none. @param changed Factor of sensitivities: 2 if a record is replaced, else 1. */
function lawOf(m: Record<string, never>, changed: number, rate: number): Step | string {
  switch (m['kind'] as string) {
    case 'gaussian':
    case 'gdp': {
      const sigma = m['kind'] === 'gdp' ? 1 / m['mu'] : m['noiseMultiplier'] / changed;
      if (rate === 1) return { law: gaussianLaw(sigma), apart: 0 };
      return sigma >= 0.05 && sigma <= 1e4
        ? { law: sampledGaussianLaw(sigma, rate), apart: 0 }
        : 'sampled Gaussian noise that is not between 0.05 and 1e4';
    }
    case 'last-iterate': {
      if (m['order'] === 'shuffled' && m['batches'] > 1)
        return 'a step of kind last-iterate whose batches are shuffled has no density this route knows';
      const error = OF_ITERATE + (m['noiseError'] ?? 0);
      return { law: gaussianLaw(m['noiseMultiplier'] / changed / iterateMu(m), error), apart: 0 };
    }
    case 'laplace': {
      const epsilon = (m['sensitivity'] * changed) / m['scale'];
      return { law: rate === 1 ? laplaceLaw(epsilon) : sampledLaplaceLaw(epsilon, rate), apart: 0 };
    }
    case 'pure-dp':
    case 'approximate-dp':
    case 'randomized-response': {
      const [epsilon, others] = [m['epsilon'] as number, (m['categories'] ?? 2) - 2];
      const apart = m['delta'] ?? 0;
      const unit = (1 - apart) / (1 + own.exp(-epsilon) * (1 + others));
      const ends: Atoms = [
        [unit, -epsilon],
        [unit * own.exp(-epsilon), epsilon],
      ];
      const middle: Atoms = others > 0 ? [[unit * others * own.exp(-epsilon), 0]] : [];
      return atomsStep([...ends, ...middle], others > 0 ? epsilon : 2 * epsilon, rate, apart);
    }
    case 'discrete-gaussian': {
      if (m['parties'] !== undefined)
        return 'the discrete Gaussians of several parties have no density this route knows';
      const [sigma, shift] = [m['sigma'] as number, m['sensitivity'] * changed];
      if (14 * sigma + 40 * shift > MAX_ATOMS) return `discrete noise on more than ${MAX_ATOMS} numbers`;
      const spacing = shift / sigma ** 2;
      const lattice = rate === 1 ? { spacing, one: -(shift ** 2) / (2 * sigma ** 2) } : undefined;
      return { law: discreteGaussianLaw(sigma / shift, 1 / shift, rate), lattice, apart: 0 };
    }
    case 'discrete-laplace': {
      const [scale, shift] = [m['scale'] as number, m['sensitivity'] * changed];
      if (shift > MAX_ATOMS) return `discrete noise on more than ${MAX_ATOMS} numbers`;
      const share = -own.expm1(-1 / scale) / (1 + own.exp(-1 / scale));
      const ends = 1 / (1 + own.exp(-1 / scale));
      const mass = (k: number) =>
        k === 0 ? ends : k === shift ? ends * own.exp(-shift / scale) : share * own.exp(-k / scale);
      return atomsStep(
        Array.from({ length: shift + 1 }, (_, k) => [mass(k), (2 * k - shift) / scale] as const),
        2 / scale,
        rate,
      );
    }
    default:
      return `a step of kind ${String(m['kind'])} has no density this route knows`;
  }
}

/** Bound of the relative error of μ: some roundings for each of 60 doublings, and for exponents of up to 745. */
const OF_ITERATE = 4e-13;

/**
 * μ of a last iterate with noise multiplier 1: the shift of the linear example of docs/proofs/last-iterate.md, 3, over its standard deviation.
 * Geometric sums are computed by doubling. Its relative error is at most OF_ITERATE.
 */
function iterateMu(m: Record<string, number>): number {
  const { batches, epochs, contraction } = m;
  if (epochs === 1 || contraction === 0) return 1;
  // log1p(c − 1) would lose digits for small c; contractions below 1e-60 change nothing
  const rate = contraction < 0.5 ? -own.log(Math.max(contraction, 1e-60)) : -own.log1p(contraction - 1);
  // contracted shifts of the record's steps, and noise variance of all steps, before the last one
  const shifts = own.exp(-batches * rate) * decaying(batches * rate, epochs - 1);
  const noise = own.exp(-2 * rate) * decaying(2 * rate, (epochs - 1) * batches);
  if (batches === 1) return (1 + shifts) / Math.sqrt(1 + noise);
  const last = shifts / noise;
  return (1 + last * shifts) / Math.sqrt(1 + last ** 2 * noise);
}

/** Σ e^{−iy} for i = 0 … n − 1, by doubling. The sum of 2k terms is that of k terms times 1 + e^{−ky}. A few roundings for each doubling. */
function decaying(y: number, n: number): number {
  if (n === 0) return 0;
  const half = Math.floor(n / 2);
  const even = decaying(y, half) * (1 + own.exp(-half * y));
  return n % 2 === 0 ? even : 1 + own.exp(-y) * even;
}

/** Outputs with their mass under the base, and their loss log(other/base). */
type Atoms = readonly (readonly [mass: number, loss: number])[];

/** A law of finitely many losses, `spacing` apart. Sampling leaves two losses on a lattice, but not more. */
function atomsStep(atoms: Atoms, spacing: number, rate: number, apart = 0): Step | string {
  if (rate < 1 && apart > 0) return 'sampled steps that may fail altogether';
  const [one, other] = [0, 1].map((j) => sampledLoss(atoms[j]![1], rate)) as [number, number];
  const regular = rate === 1 || atoms.length === 2;
  const lattice = regular ? { spacing: rate === 1 ? spacing : other - one, one } : undefined;
  return { law: atomsLaw(atoms, rate, apart), lattice, apart };
}
