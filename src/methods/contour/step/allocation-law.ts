import { EPOCHS } from '../../../kernel/constants.js';
import type { Kernel } from '../../../kernel/kernel.js';
import type { KernelStep } from '../../../kernel/laws.js';
import { LruCache } from '../../../numeric/lru-cache.js';
import { centralMoments } from './allocation-moments.js';
import { gaussianDecay } from './gaussian-spectrum.js';
import { KernelLaw } from './kernel-law.js';
import { logMassLeft, NO_DECAY, type SpectralLaw, type TruncatedLaw } from './spectral-law.js';

/** One epoch in which a record is put in one of `bins` batches, of which the first `visited` are released, with Gaussian noise of 1/μ. */
export interface Allocation {
  readonly mu: number;
  readonly bins: number;
  readonly visited: number;
  /** Digits of accuracy given up, as a logarithm; none unless given. The errors are charged: only width depends on it. */
  readonly fewer?: Fewer;
}

/** Digits that the rule in v, the ends of v, and the rule in y give up (assembly/law/bins.ts). */
export interface Fewer {
  readonly rule?: number;
  readonly ends?: number;
  readonly inner?: number;
}

/** Truncated laws cached. Only speed depends on it. */
const MAX_CUTS = 16;
/** Largest μ for which the series of the rest is tried. */
const LARGEST_MU = 1.5;

/** An epoch, by the numbers of the kernel's `Bins`. Behind them are the central moments of the rest, or a scale of 0 where it is not tried. */
export function allocationStep(law: Allocation): KernelStep {
  return { mu: EPOCHS, rate: 0, own: numbersOf(law) };
}

function numbersOf(law: Allocation): Float64Array {
  const { mu, bins, visited, fewer = {} } = law;
  const { rule = 0, ends = 0, inner = 0 } = fewer;
  const own = [mu, bins, visited, rule, ends, inner];
  if (visited !== bins || bins < 2 || !(mu <= LARGEST_MU)) return Float64Array.of(...own, 0);
  const { scale, value, error } = centralMoments(law);
  return Float64Array.of(...own, scale, ...value, ...error);
}

/**
 * One epoch of balls-and-bins sampling with Gaussian noise. P and Q are exchanged against `Allocation`: the base is Q, and M(z) = E s^z, s the
 * likelihood ratio. Only where all bins are released does |φ| decay with a known bound: |M(c + iτ)| ≤ M(c)e^{−τ²μ²/2t}. The loss of such an epoch is
 * a Gaussian loss with ν = μ/√t plus an independent log V, V = 1 + η. It is truncated to |η| ≤ h: M(z) = e^{ν²z(z−1)/2} E[V^z; |η| ≤ h]. Proofs:
 * docs/proofs/balls-and-bins.md.
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

/** The epoch truncated to |η| ≤ h, which loses no more than e^{logMass} of either measure; undefined where no h ≤ 4 loses as little. */
function factored(
  kernel: Kernel,
  law: Allocation,
  step: KernelStep,
  logMass: number,
): TruncatedLaw | undefined {
  const { cut, logLostP, logLostQ } = kernel.lawCut(step, logMass, Infinity, 0);
  if (Number.isNaN(cut)) return undefined;
  // the masses count as 1
  const massError = -logMassLeft(logLostP);
  return { law: { ...lawOf(kernel, law, step, cut), massError }, logLostP, logLostQ };
}

/** The law of whole epochs, or without outputs where |η| > cut. */
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
