import type { Engine } from '../engine.js';
import { commonLattice } from '../law/lattice-atoms.js';
import type { CountedLaw } from '../law/loss-law.js';
import { gaussianMuOf, kindOf, pairOf, rankOf } from '../mechanism/pairs.js';
import { lawsOf, type SeenDirection, seen } from '../mechanism/seen.js';
import type { Step } from '../mechanism/steps.js';
import type { SeenStep } from '../methods/contour/step/spectrum-of.js';
import type { GridOptions } from '../methods/grid/grid-run.js';
import { U } from '../numeric/constants.js';
import { LruCache } from '../numeric/lru-cache.js';
import { expm1, log1p } from '../numeric/scalar.js';
import type { AccountOptions } from './options.js';

/** Outside this range single losses are too large, or too small, for any mesh. */
const LARGEST_GRID_MU = 1e3;
const SMALLEST_GRID_MU = 1e-6;

/** The steps of a run, reduced, and what is asked of every method: what the rules of a policy look at. */
export class Composition {
  private readonly found = new LruCache<unknown, unknown>(Infinity);
  readonly grid: GridOptions;

  constructor(
    readonly engine: Engine,
    readonly steps: readonly Step[],
    private readonly options: Pick<Required<AccountOptions>, 'tolerance' | 'maxGridLength'>,
    /** These steps at another width: what does not depend on it is made once for all. */
    private readonly same?: Composition,
  ) {
    this.grid = { width: options.tolerance, maxLength: options.maxGridLength };
  }

  /** What a function makes of the composition, made once. */
  of<T>(make: (composition: Composition) => T): T {
    return this.found.of(make, () => make(this)) as T;
  }

  /** Other steps for the same questions. */
  with(steps: readonly Step[]): Composition {
    return new Composition(this.engine, steps, this.options);
  }

  /** These steps, answered at another width. */
  within(tolerance: number): Composition {
    const { engine, steps, options, same = this } = this;
    return new Composition(engine, steps, { ...options, tolerance }, same);
  }

  /** What a function makes that does not depend on the width, made once for all widths. */
  ofAll<T>(make: (composition: Composition) => T): T {
    return (this.same ?? this).of(make);
  }

  /** Without Poisson sampling both directions of most pairs are one. */
  get sides(): readonly SeenDirection[] {
    return this.ofAll(sidesOf);
  }

  /** Each distinct step as a law, a list for each side. */
  get laws(): readonly CountedLaw[][] {
    return this.ofAll(lawsOfSides);
  }

  /** The steps as the methods see them. */
  get seen(): readonly SeenStep[] {
    return this.ofAll(seenOf);
  }

  get isSingle(): boolean {
    return this.steps.length === 1 && this.steps[0].count === 1;
  }

  /** Whether it is one step that is answered by a formula. */
  get isClosed(): boolean {
    if (!this.isSingle) return false;
    const pair = pairOf(this.steps[0].mechanism);
    return pair.family !== 'allocation' || pair.closed === true;
  }

  get hasAllocation(): boolean {
    return this.ofAll(allocates);
  }

  /** All finite losses of all steps are multiples of one number. */
  get onLattice(): boolean {
    return this.ofAll(isOnLattice);
  }

  get offGrid(): boolean {
    return this.steps.some(({ mechanism }) => {
      const mu = gaussianMuOf(mechanism);
      return mu !== undefined && !(mu >= SMALLEST_GRID_MU && mu <= LARGEST_GRID_MU);
    });
  }

  /** μ of a run that is exactly one Gaussian. */
  get soleGaussianMu(): number | undefined {
    const [step] = this.steps;
    return this.isSingle && step.sampling === 'all' ? gaussianMuOf(step.mechanism) : undefined;
  }

  /** The probability with which steps that hide nothing (no noise; δ = 1) see the record; 1 only where it is certain. */
  get revealed(): number {
    let logHidden = 0;
    for (const { mechanism, rate, count } of this.steps) {
      if (kindOf(mechanism).revealsAll?.(mechanism)) logHidden += count * log1p(-rate);
    }
    return logHidden === -Infinity ? 1 : Math.min(-expm1(logHidden), 1 - U);
  }
}

function seenOf({ steps }: Composition): readonly SeenStep[] {
  return steps.map(seen);
}

/** Where the kind tells, no pair is made: a run may have hundreds of thousands of steps. */
function allocates({ steps }: Composition): boolean {
  return steps.some(
    ({ mechanism }) =>
      kindOf(mechanism).families.some(({ name }) => name === 'allocation') &&
      pairOf(mechanism).family === 'allocation',
  );
}

function isOnLattice({ laws: [laws] }: Composition): boolean {
  const lattices = laws.flatMap(({ law }) => law.lattice ?? []);
  return lattices.length === laws.length && commonLattice(lattices) !== undefined;
}

function sidesOf({ steps }: Composition): readonly SeenDirection[] {
  // what no number orders is its own mirror image: no pair has to be made for that
  const apart = steps.some(
    (step) =>
      step.sampling === 'poisson' || (!rankOf(step)?.blended && pairOf(step.mechanism).asymmetric === true),
  );
  return apart ? ['remove', 'add'] : ['remove'];
}

function lawsOfSides({ sides, steps }: Composition): readonly CountedLaw[][] {
  return sides.map((side) => lawsOf(steps, side));
}
