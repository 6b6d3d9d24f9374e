import { EPOCHS } from '../../../kernel/constants.js';
import type { Kernel } from '../../../kernel/kernel.js';
import type { KernelStep } from '../../../kernel/laws.js';
import { LONG_SUM, up } from '../../../numeric/rounding.js';
import { exp, log } from '../../../numeric/scalar.js';
import { centralMoments } from './allocation-moments.js';
import { gaussianDecay } from './gaussian-spectrum.js';
import { KernelLaw } from './kernel-law.js';
import { NO_DECAY, type SpectralLaw } from './spectral-law.js';
import type { TruncatedLaw } from './spectrum-of.js';

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

/** Largest μ for which the series of the rest is tried. */
const LARGEST_MU = 1.5;

/** An epoch, by the numbers of the kernel's `Bins`. Behind them are the central moments of the rest, or a scale of 0 where it is not tried. */
export function allocationStep(law: Allocation, hasRest = true): KernelStep {
  return { mu: EPOCHS, rate: 0, own: numbersOf(law, hasRest) };
}

function numbersOf(law: Allocation, hasRest: boolean): Float64Array {
  const { mu, bins, visited, fewer = {} } = law;
  const { rule = 0, ends = 0, inner = 0 } = fewer;
  const own = [mu, bins, visited, rule, ends, inner];
  if (!hasRest || visited !== bins || bins < 2 || !(mu <= LARGEST_MU)) return Float64Array.of(...own, 0);
  const { scale, value, error } = centralMoments(law);
  return Float64Array.of(...own, scale, ...value, ...error);
}

/**
 * One epoch of balls-and-bins sampling with Gaussian noise. P and Q are exchanged against `Allocation`: the base is Q there and M(z) = E s^z.
 * Full epochs alone end a line: |M(c + iτ)| ≤ M(c)e^{−τ²μ²/2t}. Proofs: docs/proofs/balls-and-bins.md.
 *
 * Ensures: log M and log φ are within their stated errors, and |φ| below its bounds.
 */
export function allocationSpectrum(kernel: Kernel, law: Allocation): SpectralLaw {
  return lawOf(kernel, law, allocationStep(law, false), Infinity);
}

/**
 * A full epoch as the sum of a Gaussian loss with ν = μ/√t and an independent log V, V = 1 + η. M(z) = e^{ν²z(z−1)/2} E V^z, truncated to |η| ≤ h.
 * Undefined where no h ≤ 4 loses as little as asked. Proofs: docs/proofs/balls-and-bins.md, points 9 and 10.
 *
 * Ensures: log M and log φ of the truncated law are within their stated errors, and |φ| below its bounds.
 *
 * @param lost What the truncation may take from either measure.
 * @returns The law, and h as its reach.
 */
export function factoredAllocation(
  kernel: Kernel,
  law: Allocation,
  lost: number,
): (TruncatedLaw & { readonly reach: number }) | undefined {
  const step = allocationStep(law);
  const { cut, logLostP } = kernel.lawCut(step, log(lost), Infinity, 0);
  if (Number.isNaN(cut)) return undefined;
  return { law: lawOf(kernel, law, step, cut), lost: up(exp(logLostP), LONG_SUM), reach: cut };
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
  const near: SpectralLaw['near'] = (tilts, count) => {
    own.learn(tilts);
    return Array.from(tilts, (c) => own.cumulant(c, count));
  };
  return { ...own, near, decay: () => decay };
}
