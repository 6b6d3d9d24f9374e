import { EPOCHS } from '../../../kernel/constants.js';
import type { Kernel } from '../../../kernel/kernel.js';
import type { KernelStep } from '../../../kernel/laws.js';
import { LruCache } from '../../../numeric/lru-cache.js';
import { centralMoments } from './allocation-moments.js';
import { gaussianDecay } from './gaussian-spectrum.js';
import { KernelLaw } from './kernel-law.js';
import { logMassLeft, NO_DECAY, type SpectralLaw, type TruncatedLaw } from './spectral-law.js';

/**
 * One balls-and-bins epoch: a record is put in one of `bins` batches, all equally likely. The first `visited` batches are released, each with
 * Gaussian noise of standard deviation 1/μ for a contribution of norm 1.
 */
export interface Allocation {
  readonly mu: number;
  readonly bins: number;
  readonly visited: number;
  /** Accuracies that are given up in quadratures, as natural logarithms; none unless given. The errors are charged, so only width depends on it. */
  readonly fewer?: Fewer;
}

/**
 * Accuracy given up, as natural logarithms. `rule` is for the trapezoidal rule in v = log|u| along the ray of M's integral over u, `ends` for its
 * truncation. `inner` is for the inner integrals over the Gaussian output y (assembly/law/bins.ts).
 */
export interface Fewer {
  readonly rule?: number;
  readonly ends?: number;
  readonly inner?: number;
}

/** Number of truncated laws cached. Only speed depends on it. */
const MAX_CUTS = 16;
/**
 * Largest μ for which the loss of an epoch is split into a Gaussian and a residual log(1 + η). The moments of η are then computed (`centralMoments`).
 * Only speed depends on it.
 */
const LARGEST_MU = 1.5;

/**
 * An epoch as the kernel's `Bins` reads it: μ, bins, visited and three accuracies. Then come scale, values and errors of the central moments of the
 * residual factor 1 + η (`centralMoments`). A scale of 0 stands for none.
 */
export function allocationStep(law: Allocation): KernelStep {
  return { mu: EPOCHS, rate: 0, own: numbersOf(law) };
}

/** The kernel's numbers of an epoch (`allocationStep`); the moments are within the errors stated. */
function numbersOf(law: Allocation): Float64Array {
  const { mu, bins, visited, fewer = {} } = law;
  const { rule = 0, ends = 0, inner = 0 } = fewer;
  const own = [mu, bins, visited, rule, ends, inner];
  if (visited !== bins || bins < 2 || !(mu <= LARGEST_MU)) return Float64Array.of(...own, 0);
  const { scale, value, error } = centralMoments(law);
  return Float64Array.of(...own, scale, ...value, ...error);
}

/**
 * The law of one balls-and-bins epoch with Gaussian noise. Here P is the law of the outputs without the record, and M(z) = E_P[s^z], s the likelihood
 * ratio; the kernel computes this integral. If all t = `bins` batches are released, |M(c + iτ)| ≤ M(c)e^{−τ²μ²/2t} (balls-and-bins.md 7). Then the
 * loss is that of a Gaussian with ν = μ/√t plus an independent log(1 + η), E[η] = 0. It can be truncated to |η| ≤ h: M(z) = e^{ν²z(z−1)/2} E[(1 +
 * η)^z; |η| ≤ h] (balls-and-bins.md 9, 10).
 *
 * Ensures: log M and log φ are within their stated errors, and |φ| below its bounds.
 */
export function allocationSpectrum(kernel: Kernel, law: Allocation): SpectralLaw {
  const step = allocationStep(law);
  const cuts = new LruCache<number, TruncatedLaw | undefined>(MAX_CUTS);
  return {
    ...lawOf(kernel, law, step, Infinity),
    cut: (_kernel, logMass) => cuts.of(logMass, () => factored(kernel, law, step, logMass)),
  };
}

/**
 * The epoch truncated to |η| ≤ h, log(1 + η) the loss without its Gaussian part. h is such that no more than e^{logMass} of either measure is removed
 * (balls-and-bins.md 10). Undefined where no h ≤ 4 does that. Ensures: the masses removed are no more than stated.
 */
function factored(
  kernel: Kernel,
  law: Allocation,
  step: KernelStep,
  logMass: number,
): TruncatedLaw | undefined {
  const { cut, logLostP, logLostQ } = kernel.lawCut(step, logMass, Infinity, 0);
  if (Number.isNaN(cut)) return undefined;
  // the log masses that remain count as 0: they are at least −massError
  const massError = -logMassLeft(logLostP);
  return { law: { ...lawOf(kernel, law, step, cut), massError }, logLostP, logLostQ };
}

/**
 * The law of an epoch, without the outputs where |η| > cut unless cut is ∞; log(1 + η) is the loss without its Gaussian part. |φ(τ)| = |M(c +
 * iτ)|/M(c) is at most e^{−τ²μ²/2t} if all t batches are released, else at most 1. Ensures: log M and log φ are within their errors.
 */
function lawOf(
  kernel: Kernel,
  { mu, bins, visited }: Allocation,
  step: KernelStep,
  cut: number,
): SpectralLaw {
  const own = new KernelLaw(kernel, { ...step, cut, width: Infinity, depth: 0 });
  const decay = visited === bins ? gaussianDecay((mu * mu) / bins) : NO_DECAY;
  return { ...own, decay: () => decay };
}
