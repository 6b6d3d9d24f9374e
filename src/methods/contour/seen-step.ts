import { atomsOf, type Pair } from '../../law/pair.js';
import { type Bracket, bracket, exactly } from '../../numeric/bracket.js';
import { LONG_SUM, MANY_ROUNDINGS } from '../../numeric/rounding.js';
import { expm1, log, log1p } from '../../numeric/scalar.js';

/** A group of `count` identical steps as the methods see it: the pair of one step, and how records are sampled. */
export interface SeenStep {
  readonly pair: Pair;
  readonly sampling: 'all' | 'poisson' | 'without-replacement';
  /** Fraction of the records that are in a step, (0, 1]. */
  readonly rate: number;
  readonly count: number;
}

/** `count` identical Poisson-subsampled Gaussian steps. */
export interface SampledPhase {
  readonly mu: number;
  readonly rate: number;
  readonly count: number;
}

/** The Poisson-sampled Gaussians among the steps. */
export function sampledOf(steps: readonly SeenStep[]): SampledPhase[] {
  return steps.flatMap(({ pair, sampling, rate, count }) =>
    pair.family === 'gaussian' && sampling === 'poisson' ? [{ mu: pair.mu, rate, count }] : [],
  );
}

/**
 * A bracket of log(1 − ∏(1 − q·p)^count), the log of the Q-mass at loss +∞ of a run in one direction. p is that mass of one step, q its rate. Mass at
 * unlisted losses joins the upper end. Ensures: the mass lies in its bracket.
 */
export function logInfinityOf(steps: readonly SeenStep[], direction: 'remove' | 'add'): Bracket {
  let logFinite = 0;
  let unlisted = 0;
  for (const { pair, sampling, rate, count } of steps) {
    const atoms = atomsOf(pair);
    unlisted += count * (atoms?.beyond ?? 0);
    if (direction === 'remove') logFinite += count * log1p(-rate * pair.infinity);
    // under 'add' with sampling no loss is +∞: the mixture has at least 1 − q times the mass of the base everywhere
    else if (sampling === 'all') logFinite += count * log1p(-(atoms?.minusInfinity ?? pair.infinity));
  }
  const mass = -expm1(logFinite);
  if (!(mass > 0 || unlisted > 0)) return exactly(-Infinity);
  const logMass = mass > 0 ? log(mass) : -Infinity;
  return bracket(
    logMass - MANY_ROUNDINGS * (1 - Math.max(logMass, -1e3)),
    Math.min(0, log(mass + unlisted) + LONG_SUM),
  );
}

/** log of the P-mass of finite losses of a run in one direction: of the mass that is not at loss −∞. With a few roundings for each step. */
export function logMassOf(steps: readonly SeenStep[], direction: 'remove' | 'add'): number {
  let sum = 0;
  for (const { pair, sampling, rate, count } of steps) {
    const atoms = atomsOf(pair);
    if (atoms === undefined) continue;
    const lost = direction === 'add' ? rate * atoms.infinity : sampling === 'all' ? atoms.minusInfinity : 0;
    sum += count * log1p(-lost);
  }
  return sum;
}
