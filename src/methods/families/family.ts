import type { Kernel } from '../../kernel/kernel.js';
import type { Pair } from '../../law/pair.js';
import type { DirectedRun } from '../../run/directed-run.js';
import type { SpectralLaw } from '../contour/step/spectral-law.js';
import type { SeenStep } from '../contour/step/spectrum-of.js';

/** What the methods offer for the pairs of one family. A kind names its families, so that a program loads only those it builds. */
export interface Family<P extends Pair = Pair> {
  readonly name: Pair['family'];
  /** M(z) of a step; undefined where contours cannot use it, or need a kernel that is not given. */
  spectrum(pair: P, drawn: Pick<SeenStep, 'sampling' | 'rate'>, kernel?: Kernel): SpectralLaw | undefined;
  /** `count` unsampled releases in closed form; undefined where there is none. */
  releases?(pair: P, count: number): DirectedRun | undefined;
  /** Both directions of steps that are all of this family, as lists of sums of losses; undefined where these are too many. */
  listed?(
    steps: readonly SeenStep[],
    sides: readonly ('remove' | 'add')[],
  ): readonly DirectedRun[] | undefined;
}
