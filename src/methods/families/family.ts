import type { Kernel } from '../../kernel/kernel.js';
import type { Pair } from '../../law/pair.js';
import type { DirectedRun } from '../../run/directed-run.js';
import type { SpectralLaw } from '../contour/step/spectral-law.js';
import type { SeenStep, TruncatedLaw } from '../contour/step/spectrum-of.js';

/** What the methods make of the pairs of one family. A kind names its families, so that a program loads those of the kinds it builds. */
export interface Family<P extends Pair = Pair> {
  readonly name: Pair['family'];
  /** The step's transform M(z); undefined where contours do not answer for it, or not without a kernel. */
  spectrum(pair: P, drawn: Pick<SeenStep, 'sampling' | 'rate'>, kernel?: Kernel): SpectralLaw | undefined;
  /** The transform of a step without its rarest outputs, of mass `lost` at most; undefined where it has none of use. */
  cut?(pair: P, lost: number): TruncatedLaw | undefined;
  /** `count` releases, not sampled, in closed form; undefined where there is none. */
  releases?(pair: P, count: number): DirectedRun | undefined;
  /** Runs of steps that are all of this family, a direction each; undefined where they have too many sums of losses. */
  listed?(
    steps: readonly SeenStep[],
    sides: readonly ('remove' | 'add')[],
  ): readonly DirectedRun[] | undefined;
}
