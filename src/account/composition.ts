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

/** Gaussians outside of this range of μ have losses too large, or too small, for any lattice. */
const LARGEST_GRID_MU = 1e3;
const SMALLEST_GRID_MU = 1e-6;

/** The reduced steps of a run, with settings: what the rules of a policy look at. */
export class Composition {
  private readonly found = new LruCache<unknown, unknown>(Infinity);
  readonly grid: GridOptions;

  constructor(
    readonly engine: Engine,
    readonly steps: readonly Step[],
    private readonly options: Pick<Required<AccountOptions>, 'tolerance' | 'maxGridLength'>,
    /** These steps at another tolerance: what does not depend on it is made once. */
    private readonly same?: Composition,
  ) {
    this.grid = { width: options.tolerance, maxLength: options.maxGridLength };
  }

  /** The value of a function of the composition, cached. */
  of<T>(make: (composition: Composition) => T): T {
    return this.found.of(make, () => make(this)) as T;
  }

  /** The composition of other steps with the same settings. */
  with(steps: readonly Step[]): Composition {
    return new Composition(this.engine, steps, this.options);
  }

  /** The composition of the same steps at another tolerance. */
  within(tolerance: number): Composition {
    const { engine, steps, options, same = this } = this;
    return new Composition(engine, steps, { ...options, tolerance }, same);
  }

  /** The value of a function that does not depend on the tolerance, cached for all tolerances. */
  ofAll<T>(make: (composition: Composition) => T): T {
    return (this.same ?? this).of(make);
  }

  /** Sides to compute: without Poisson sampling both directions of most pairs are equal. */
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

  /** Whether the run is a single step whose δ has a closed form. */
  get isClosed(): boolean {
    if (!this.isSingle) return false;
    const pair = pairOf(this.steps[0].mechanism);
    return pair.family !== 'allocation' || pair.closed === true;
  }

  get hasAllocation(): boolean {
    return this.ofAll(allocates);
  }

  /** Whether all finite losses of all steps are multiples of one number. */
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

  /** The probability that steps without noise (or with δ = 1) see the record; 1 only if that is certain. */
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

/** Whether steps allocate records to bins. If the kind tells, no pair is made: a run may have hundreds of thousands of steps. */
function allocates({ steps }: Composition): boolean {
  return steps.some(
    ({ mechanism }) =>
      kindOf(mechanism).families.some(({ name }) => name === 'allocation') &&
      pairOf(mechanism).family === 'allocation',
  );
}

/** By the lattice of each step. Laws are made for those alone whose pair does not tell: they may list thousands of losses. */
function isOnLattice({ steps }: Composition): boolean {
  const lattices: number[] = [];
  for (const step of steps) {
    const pair = pairOf(step.mechanism);
    const isPlain = step.sampling !== 'without-replacement' && pair.family !== 'branched';
    const own = isPlain ? pair : lawsOf([step], 'remove')[0].law;
    if (own.lattice === undefined || (isPlain && step.rate < 1)) return false;
    lattices.push(own.lattice);
  }
  return commonLattice(lattices) !== undefined;
}

function sidesOf({ steps }: Composition): readonly SeenDirection[] {
  // blended groups are symmetric: no pair has to be made to know that
  const apart = steps.some(
    (step) =>
      step.sampling === 'poisson' || (!rankOf(step)?.blended && pairOf(step.mechanism).asymmetric === true),
  );
  return apart ? ['remove', 'add'] : ['remove'];
}

function lawsOfSides({ sides, steps }: Composition): readonly CountedLaw[][] {
  return sides.map((side) => lawsOf(steps, side));
}
