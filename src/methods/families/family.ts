import type { Kernel } from '../../kernel/kernel.js';
import type { Pair } from '../../law/pair.js';
import type { DirectedRun } from '../../run/directed-run.js';
import type { SpectralLaw } from '../contour/step/spectral-law.js';
import type { SeenStep } from '../contour/step/spectrum-of.js';

/** What the methods offer for pairs of one family. Each kind of mechanism imports its own families, so that a program loads only those it uses. */
export interface Family<P extends Pair = Pair> {
  readonly name: Pair['family'];
  /** The law of a step through M(z) = E_P[e^{zL}]; undefined where contours cannot use it, or need a kernel that is not given. */
  spectrum(pair: P, drawn: Pick<SeenStep, 'sampling' | 'rate'>, kernel?: Kernel): SpectralLaw | undefined;
  /** A run of `count` unsampled releases in closed form; undefined where there is none. */
  releases?(pair: P, count: number): DirectedRun | undefined;
  /**
   * The runs, for each direction in `sides`, of steps that are all of this family, as lists of sums of losses. Undefined where these are too many.
   */
  listed?(
    steps: readonly SeenStep[],
    sides: readonly ('remove' | 'add')[],
  ): readonly DirectedRun[] | undefined;
}
