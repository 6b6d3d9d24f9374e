import { ATOMS, BLEND, EPOCHS, EXPONENTIAL, MIXTURE } from '../../kernel/constants.js';
import type { Kernel } from '../../kernel/kernel.js';
import type { KernelStep, RunPhase, SampledRun } from '../../kernel/questions.js';
import { type Side, sampledSide } from '../../law/mixture-side.js';
import type { Atoms, BranchedPair, Shape } from '../../law/pair.js';
import { U } from '../../numeric/constants.js';
import { charge, remaining } from '../../numeric/meter.js';
import { expm1, log } from '../../numeric/scalar.js';
import { sampledAtoms } from '../closed/composed-atoms.js';
import { centralMoments } from './allocation-moments.js';
import type { SeenStep } from './seen-step.js';

/**
 * Two mixtures of Gaussians as the kernel reads them: P has the density ϕ(x)u₋(−x) and Q has ϕ(x)u₊(x), ϕ the normal density. u(x) = Σ w_i e^{a_i x −
 * a_i²/2} with shifts a_i ≥ 0 and weights w_i. The numbers of components of `plus` and `minus` come first, then shifts and weights of `plus`, then
 * those of `minus`. Exact.
 */
export function mixtureStep(plus: Side, minus: Side): KernelStep {
  const each = [plus, minus].flatMap(({ shift, weight }) => [...shift, ...weight]);
  return { mu: MIXTURE, rate: 0, own: Float64Array.of(plus.shift.length, minus.shift.length, ...each) };
}

/** Largest ε₀ of a Poisson-sampled release that the kernel integrates. */
const LARGEST_RANGE = 30;

/**
 * Laplace noise or a bounded-range mechanism as the kernel reads it. Unsampled, the loss y has the P-density w e^{−y/2} on (−ε₀, ε₀), w = `weight`. Its
 * P-masses are a = `atom` at −ε₀ and a e^{−ε₀} at ε₀. Sampled, the loss is log(1 − q + q e^y), q = `rate`, which is 1 if unsampled. Undefined for
 * sampled ones with ε₀ > 30 (docs/proofs/exponential.md 1 to 3).
 */
export function exponentialStep(
  { range, weight, atom }: Pick<Shape, 'range' | 'weight' | 'atom'>,
  rate: number,
): KernelStep | undefined {
  if (rate < 1 && !(range <= LARGEST_RANGE)) return undefined;
  return { mu: EXPONENTIAL, rate: 0, own: Float64Array.of(rate, range, weight, atom) };
}

/** Least relative error that is assumed for the masses of atoms. */
const MASS_ERROR = 4e-14;
/** How many numbers precede the losses in the kernel's form of a step with atoms. */
const ATOM_NUMBERS = 5;

/** The P-mass at loss −∞ and the Q-mass at loss +∞ of a pair with finitely many losses on a Poisson sample of rate q. */
function lostOf(
  { infinity, minusInfinity }: Pick<Atoms, 'infinity' | 'minusInfinity'>,
  q: number,
): readonly [p: number, q: number] {
  return [q === 1 ? minusInfinity : 0, q * infinity];
}

/**
 * A Poisson sample (rate q) of a pair with finitely many losses y_i, as the kernel reads it. Its losses are log(1 − q + q e^{y_i}) with the P-masses of
 * y_i, and log(1 − q) for outputs that only P gives. The numbers are: how many losses; the relative error of masses; the error of losses; logs of P's
 * and Q's mass at infinite losses; the losses; their P-masses. Losses without P-mass are left out. Ensures: the stated errors hold.
 */
function atomicStep(atoms: Atoms, q: number): KernelStep {
  const { loss, p } = sampledAtoms(atoms, q);
  const kept = loss.map((_, i) => i).filter((i) => p[i] > 0);
  const massError = Math.max(MASS_ERROR, atoms.relative ?? 0);
  const lossError = (atoms.lossError ?? 0) + (q < 1 ? 8 * U * -expm1(-q) : 0);
  const n = kept.length;
  const own = new Float64Array(ATOM_NUMBERS + 2 * n);
  own.set([n, massError, lossError, ...lostOf(atoms, q).map(log)]);
  for (const [k, i] of kept.entries()) {
    own[ATOM_NUMBERS + k] = loss[i];
    own[ATOM_NUMBERS + n + k] = p[i];
  }
  return { mu: ATOMS, rate: 0, own };
}

/**
 * One balls-and-bins epoch: a record is put in one of `bins` batches, all equally likely. The first `visited` batches are released, each with
 * Gaussian noise of standard deviation 1/μ for a contribution of norm 1.
 */
export interface Allocation {
  readonly mu: number;
  readonly bins: number;
  readonly visited: number;
  /**
   * Accuracies that are given up in quadratures, as natural logarithms; none unless given. `rule` is for the trapezoidal rule in v = log|u| along the
   * ray of M's integral over u, `ends` for its truncation. `inner` is for the inner integrals over the Gaussian output y (assembly/law/bins.ts).
   */
  readonly fewer?: { readonly rule?: number; readonly ends?: number; readonly inner?: number };
}

/**
 * Largest μ for which the loss of an epoch is split into a Gaussian and a residual log(1 + η). The moments of η are then computed (`centralMoments`).
 * Only speed depends on it.
 */
const LARGEST_SPLIT_MU = 1.5;

/**
 * An epoch as the kernel's `Bins` reads it: μ, bins, visited and three accuracies. Then come scale, values and errors of the central moments of the
 * residual factor 1 + η (`centralMoments`, docs/proofs/balls-and-bins.md 9). A scale of 0 stands for none.
 */
export function allocationStep(law: Allocation): KernelStep {
  const { mu, bins, visited, fewer = {} } = law;
  const { rule = 0, ends = 0, inner = 0 } = fewer;
  const own = [mu, bins, visited, rule, ends, inner];
  if (visited !== bins || bins < 2 || !(mu <= LARGEST_SPLIT_MU)) own.push(0);
  else {
    const { scale, value, error } = centralMoments(law);
    own.push(scale, ...value, ...error);
  }
  return { mu: EPOCHS, rate: 0, own: Float64Array.from(own) };
}

/** Largest relative error of weights, and largest number of sampled branches, that assembly/law/blend.ts allows for. */
const [MOST_RELATIVE, MOST_BRANCHES] = [1e-12, 16];

/**
 * A step that draws one of several branches and publishes which, as the kernel reads it (assembly/law/blend.ts). Exact. Undefined if a branch is not a
 * Poisson sample of Gaussians, or if there are too many.
 */
function blendedStep({ branches, relative }: BranchedPair): KernelStep | undefined {
  const heads: number[] = [branches.length, relative];
  const sides: number[] = [];
  const first = heads.length + 3 * branches.length;
  if (!(relative <= MOST_RELATIVE)) return undefined;
  for (const { weight, sample } of branches) {
    if (sample === undefined) return undefined;
    const { pair, rate } = sample;
    const isLone = pair.family === 'gaussian' && rate === 1;
    if (!isLone && branches.length > MOST_BRANCHES) return undefined;
    if (pair.family === 'gaussian') heads.push(weight, pair.mu, rate);
    else {
      heads.push(weight, MIXTURE, first + sides.length);
      sides.push(...(mixtureStep(sampledSide(pair.plus, rate), pair.minus).own as Float64Array));
    }
  }
  return { mu: BLEND, rate: 0, own: Float64Array.of(...heads, ...sides) };
}

/** Losses count as listed if the unlisted ones have at most this mass. That mass then joins the mass at +∞. Only speed depends on it. */
const NO_MASS = 1e-290;

/**
 * A step as the kernel reads it, exactly. Undefined for steps whose moment generating function it does not compute. Those are steps of other families,
 * samples without replacement, and losses whose masses are inexact or given as differences.
 */
export function kernelStepOf({ pair, sampling, rate }: Omit<SeenStep, 'count'>): KernelStep | undefined {
  if (sampling === 'without-replacement') return undefined;
  const q = sampling === 'all' ? 1 : rate;
  switch (pair.family) {
    case 'gaussian':
      return q < 1 ? { mu: pair.mu, rate } : undefined;
    case 'mixture':
      return mixtureStep(sampledSide(pair.plus, rate), pair.minus);
    case 'allocation':
      return sampling === 'all' ? allocationStep(pair) : undefined;
    case 'branched':
      return sampling === 'all' ? blendedStep(pair) : undefined;
    case 'exponential':
      return exponentialStep(pair.shape, q);
    case 'atoms': {
      const { error, differences, beyond = 0 } = pair.atoms;
      const isListed = error === undefined && !differences && beyond <= NO_MASS;
      return isListed ? atomicStep(pair.atoms, rate) : undefined;
    }
    default:
      return undefined;
  }
}

/**
 * A run as the kernel reads it, each step in the form that `stepOf` returns. Undefined if `stepOf` returns undefined for a step. Plain Gaussians have
 * been merged into one step, so that μ² has few rounding errors; undefined if there are several.
 */
export function sampledRunOf(
  steps: readonly SeenStep[],
  stepOf: (step: SeenStep) => KernelStep | undefined,
): SampledRun | undefined {
  const phases: RunPhase[] = [];
  let [square, unsampled] = [0, 0];
  for (const step of steps) {
    const { pair, count } = step;
    if (pair.family === 'gaussian' && step.sampling === 'all') {
      square += count * pair.mu * pair.mu;
      unsampled++;
      continue;
    }
    const phase = stepOf(step);
    if (phase === undefined) return undefined;
    phases.push({ ...phase, count });
  }
  return unsampled > 1 ? undefined : { phases, square };
}

/**
 * Upper bound of log M(c) of one step at a real tilt c, M(z) = E_P[e^{zL}] the moment generating function of its loss; ∞ where it is unknown. Ensures:
 * no less than log M(c).
 */
export function logMomentAbove({ questions }: Kernel, step: KernelStep, c: number): number {
  const run = { phases: [{ ...step, count: 1 }], square: 0 };
  const found = questions?.runMoment(run, c, remaining());
  charge(found?.work ?? 0);
  return found?.most ?? Infinity;
}
