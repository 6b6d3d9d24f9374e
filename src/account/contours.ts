import { largestOf } from '../law/loss-law.js';
import { methods } from '../methods/brought/methods.js';
import type { SpectralOptions, SpectralRun } from '../methods/contour/contour-run.js';
import { pairSpectra, spectraOf } from '../methods/contour/step/spectrum-of.js';
import type { Composition } from './composition.js';

/** log δ at which contours have to prove themselves to be chosen. */
const PROBE = -11.5;
/** What the grid can be expected to reach on runs that are hard for both, and on atoms off any lattice. Speed and width hang on them. */
const GRID_WIDTH = 2e-5;
export const SMOOTHED_WIDTH = 1e-4;

interface Contours {
  /** One for each side. */
  readonly plain: readonly SpectralRun[];
  /** Of the run composed with a little noise; undefined where |φ| decays by itself. */
  readonly smoothed: readonly SpectralRun[] | undefined;
}

/** The run by contours; undefined if a step has no spectrum. */
export function contoursOf(composition: Composition): Contours | undefined {
  return made(composition, true);
}

function made({ engine, seen: steps, sides, laws, grid }: Composition, split: boolean): Contours | undefined {
  const { lawsTogether, SpectralRun: Run } = methods();
  const together = steps.length > 1 ? lawsTogether(engine.kernel, steps) : [];
  const pairs = pairSpectra(engine.kernel, steps, together);
  if (pairs === undefined) return undefined;
  const spectra = sides.map((side) => spectraOf(steps, pairs, side));
  const runs = (smooth: boolean): SpectralRun[] => {
    const made: SpectralRun[] = [];
    for (const [i, { laws: spectral, logInfinity, smoothing, split: parts }] of spectra.entries()) {
      const options: SpectralOptions = {
        width: grid.width,
        direction: sides[i],
        logInfinity,
        largestLoss: largestOf(laws[i]),
        largestMirrored: largestOf(laws[laws.length - 1 - i]),
        split: split ? parts : undefined,
        // smoothing noise is a direction's own
        ...(smooth && smoothing !== undefined ? { smoothing } : { mirror: made[0] }),
      };
      made.push(new Run(engine.kernel, spectral, options));
    }
    return made;
  };
  return {
    plain: runs(false),
    smoothed: spectra.some(({ smoothing }) => smoothing !== undefined) ? runs(true) : undefined,
  };
}

/**
 * Which contours are expected to reach the width asked for, or what the grid can be expected to reach, in both directions; those of Gaussian noise are asked
 * first wherever they reach.
 */
export function reachingContours(composition: Composition): 'plain' | 'smoothed' | undefined {
  const contours = composition.of(contoursOf);
  if (contours !== undefined && contours.smoothed === undefined) return 'plain';
  return reaching(contours, composition.grid.width);
}

/** Whether contours reach that in a run of few groups; rare losses are not split for that. */
export function contoursReach(composition: Composition): boolean {
  return reaching(made(composition, false), composition.grid.width) !== undefined;
}

function reaching(contours: Contours | undefined, width: number): 'plain' | 'smoothed' | undefined {
  const reach = (runs: readonly SpectralRun[] | undefined, limit: number): boolean =>
    runs !== undefined &&
    Math.max(...runs.map((run) => run.widthNear(PROBE, width))) <= Math.max(width, limit);
  if (reach(contours?.plain, GRID_WIDTH)) return 'plain';
  return reach(contours?.smoothed, SMOOTHED_WIDTH) ? 'smoothed' : undefined;
}
