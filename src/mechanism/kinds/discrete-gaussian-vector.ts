import {
  affordable,
  type Changes,
  type Shift,
  shiftPair,
  someShifts,
  wholeSquare,
  worstPair,
  worstShifts,
} from '../../law/discrete-vector.js';
import { FEW_ROUNDINGS, up } from '../../numeric/rounding.js';
import { shortDecimal } from '../../text/decimal.js';
import { between, built, type Kind, made, type Part, requireRatio, whole, zeroOr } from '../kind.js';
import { DISCRETE_GAUSSIAN_KIND } from './discrete-gaussian.js';
import { noNoise } from './gaussian.js';
import { ZCDP_KIND } from './renyi.js';

/**
 * Several integers, each with noise k of probability ∝ e^{−k²/2σ²}, which one record changes at once. Which change is the worst depends on ε, so the
 * answer is a bracket: docs/proofs/discrete-vector.md.
 */
export interface DiscreteGaussianVector {
  readonly kind: 'discrete-gaussian-vector';
  /** σ in [0.05, 1e4], in units of the numbers; 0 is no privacy, ε = ∞. */
  readonly sigma: number;
  /** Largest l2 norm of the change, 1 … 1e6, with sensitivity/σ ≤ 50; it is read to a relative 1e-12, so that √N stands for N squared. */
  readonly sensitivity: number;
  /** Largest l1 norm of the change, an integer from 1 to 1e12; not limited if absent. */
  readonly sensitivityL1?: number;
  /** Number of integers, 1 … 1e12; not limited if absent. */
  readonly dimension?: number;
  /** Set by the account: one record is replaced by another, which doubles the norms. */
  readonly replaced?: true;
  /** Set by the account: the change itself, a list of [entry, number of integers with it]. */
  readonly shift?: Shift;
}

/**
 * Discrete Gaussian noise on several whole numbers, with norms of the vector by which one record changes them.
 *
 * @throws TypeError | RangeError for values outside the ranges stated at `DiscreteGaussianVector`.
 * @example
 * const counts = discreteGaussianVector({ sigma: 2, sensitivity: 2, dimension: 10 });
 * account(engine, counts, { adjacency: 'add-remove' }).epsilon(1e-5).upper; // 4.41511
 */
export function discreteGaussianVector(
  options: Omit<DiscreteGaussianVector, 'kind' | 'replaced' | 'shift'>,
): DiscreteGaussianVector {
  return requireRatio(built(DISCRETE_GAUSSIAN_VECTOR_KIND, options), 'sigma', 0, 50);
}

/** The admissible changes: bounds of the squared l2 norm, the l1 norm and the dimension. The norms are doubled where a record is replaced. Exact. */
function changesOf(m: DiscreteGaussianVector): Changes {
  const times = m.replaced ? 2 : 1;
  const { sensitivity, sensitivityL1 = Infinity, dimension = Infinity } = m;
  return {
    squared: wholeSquare(sensitivity) * times * times,
    sum: sensitivityL1 * times,
    dimension,
  };
}

/** The maximal changes: each admissible change is at most one of them, entry by entry. Undefined if they are too many to list, or their laws too costly to compute. */
function worstOf(m: DiscreteGaussianVector): Shift[] | undefined {
  const shifts = worstShifts(changesOf(m));
  return shifts !== undefined && affordable(m.sigma, shifts) !== undefined ? shifts : undefined;
}

/** A change as a composition of one-dimensional releases, one for each entry: `shift` lists [entry, count]. */
function partsOf(sigma: number, shift: Shift): Part[] {
  return shift.map(([entry, count]) => ({
    mechanism: made(DISCRETE_GAUSSIAN_KIND, { sigma, sensitivity: entry }),
    count,
  }));
}

/** The ρ of zCDP, (l2 norm)²/2σ² at the largest admissible norm (Canonne, Kamath, Steinke 2020, prop. 5, for each integer). Rounded up. */
function rhoOf(m: DiscreteGaussianVector): number {
  const { squared, sum } = changesOf(m);
  return up(Math.min(squared, sum * sum) / (2 * m.sigma * m.sigma), FEW_ROUNDINGS);
}

export const DISCRETE_GAUSSIAN_VECTOR_KIND: Kind<DiscreteGaussianVector> = {
  name: 'discrete-gaussian-vector',
  families: ['atoms'],
  title: 'Discrete Gaussian noise on several numbers',
  standing: 'bound',
  adjacency: 'add-remove and zero-out; replace-one doubles the sensitivities',
  tail: 'Gaussian, mu_t = sensitivity/sigma, or below it where no whole numbers have that norm',
  source: 'Canonne, Kamath, Steinke 2020; docs/proofs/discrete-vector.md',
  wide: 'where more than 40 changes could be the worst, or sigma is large, the upper end is that of zCDP',
  fields: {
    sigma: zeroOr(0.05, 1e4),
    sensitivity: between(1, 1e6),
    'sensitivityL1?': whole(1, 1e12),
    'dimension?': whole(1, 1e12),
  },
  build: discreteGaussianVector,
  describe: (m) =>
    `discrete Gaussian, sigma ${shortDecimal(m.sigma)}, of several numbers, sensitivity ${shortDecimal(m.sensitivity)}`,
  pair: (m) => {
    const shifts = m.shift === undefined ? worstOf(m)! : [m.shift];
    return shifts.length === 1 ? shiftPair(m.sigma, shifts[0]) : worstPair(m.sigma, shifts);
  },
  doubled: (m) => ({ ...m, replaced: true }),
  sampled: (m) => {
    if (m.sigma === 0) return noNoise();
    if (m.shift !== undefined || worstOf(m) !== undefined) return undefined;
    return { rate: 1, mechanism: made(ZCDP_KIND, { rho: rhoOf(m) }) };
  },
  rho: rhoOf,
  parts: (m, adjacency) => {
    if (m.sigma === 0) return undefined;
    if (m.shift !== undefined) return partsOf(m.sigma, m.shift);
    const shifts = adjacency === 'replace-one' ? undefined : worstOf(m);
    return shifts?.length === 1 ? partsOf(m.sigma, shifts[0]) : undefined;
  },
  attacks: (m, adjacency) => {
    if (m.sigma === 0) return [];
    const { sigma } = m;
    const shifts = worstOf(m) ?? someShifts(changesOf(m));
    if (adjacency !== 'replace-one' && shifts.length === 1) return [];
    const times = adjacency === 'replace-one' ? 2 : 1;
    return shifts.map((shift) =>
      made(DISCRETE_GAUSSIAN_VECTOR_KIND, {
        sigma,
        sensitivity: m.sensitivity,
        shift: shift.map(([entry, count]) => [entry * times, count] as const),
      }),
    );
  },
};
