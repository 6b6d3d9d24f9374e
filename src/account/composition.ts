import type { Engine } from '../engine.js';
import { commonLattice } from '../law/lattice-atoms.js';
import type { CountedLaw } from '../law/loss-law.js';
import { gaussianMuOf, kindOf, pairOf, rankOf } from '../mechanism/pairs.js';
import { lawsOf, type SeenDirection, seen } from '../mechanism/seen.js';
import type { Step } from '../mechanism/steps.js';
import type { SeenStep } from '../methods/contour/seen-step.js';
import type { GridOptions } from '../methods/grid/grid-run.js';
import { U } from '../numeric/constants.js';
import { LruCache } from '../numeric/lru-cache.js';
import { expm1, log1p } from '../numeric/scalar.js';
import type { AccountOptions } from './options.js';

/** Range of μ of a Gaussian that the grid method accepts: outside it losses are too large, or too small, for a lattice. Heuristic. */
const LARGEST_GRID_MU = 1e3;
const SMALLEST_GRID_MU = 1e-6;

/** The steps of a run in units of added and removed records, with the engine and options: what the rules of the policy look at. */
export class Composition {
  private readonly found = new LruCache<unknown, unknown>(Infinity);
  /** Options of the grid method: the tolerance and the longest FFT. */
  readonly grid: GridOptions;

  /** The composition of reduced steps, as they are, at the tolerance of the options. */
  constructor(
    readonly engine: Engine,
    readonly steps: readonly Step[],
    private readonly options: Pick<Required<AccountOptions>, 'tolerance' | 'maxGridLength'>,
    /** The composition of these steps at another tolerance, which holds the cached values that do not depend on it. */
    private readonly same?: Composition,
  ) {
    this.grid = { width: options.tolerance, maxLength: options.maxGridLength };
  }

  /** `make(this)`, computed once for each function `make`. */
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

  /** `make` of the composition, for a function that does not depend on the tolerance: computed once for all tolerances. */
  ofAll<T>(make: (composition: Composition) => T): T {
    return (this.same ?? this).of(make);
  }

  /** Directions in which the run is computed: one record removed, and, unless both have the same δ(ε), one record added. */
  get sides(): readonly SeenDirection[] {
    return this.ofAll(sidesOf);
  }

  /** The laws of the loss of each distinct step, one list for each direction of `sides`. */
  get laws(): readonly CountedLaw[][] {
    return this.ofAll(lawsOfSides);
  }

  /** The steps as pairs with sampling and counts, without the mechanisms. */
  get seen(): readonly SeenStep[] {
    return this.ofAll(seenOf);
  }

  /** Whether the run is one step, executed once. */
  get isSingle(): boolean {
    return this.steps.length === 1 && this.steps[0].count === 1;
  }

  /** Whether the run is a single step whose δ has a closed form. */
  get isClosed(): boolean {
    if (!this.isSingle) return false;
    const pair = pairOf(this.steps[0].mechanism);
    return pair.family !== 'allocation' || pair.closed === true;
  }

  /** Whether some step's pair allocates records to bins (balls and bins). */
  get hasAllocation(): boolean {
    return this.ofAll(allocates);
  }

  /** Whether all finite losses of all steps are multiples of one number. */
  get onLattice(): boolean {
    return this.ofAll(isOnLattice);
  }

  /** Whether some Gaussian has a μ outside the range of the grid method. */
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

  /** The probability 1 − ∏(1 − rate)^count that some step without noise, or with δ = 1, sees the record. Approximate to a few roundings; 1 only if certain. */
  get revealed(): number {
    let logHidden = 0;
    for (const { mechanism, rate, count } of this.steps) {
      if (kindOf(mechanism).revealsAll?.(mechanism)) logHidden += count * log1p(-rate);
    }
    return logHidden === -Infinity ? 1 : Math.min(-expm1(logHidden), 1 - U);
  }
}

/** The steps as pairs with sampling and counts. */
function seenOf({ steps }: Composition): readonly SeenStep[] {
  return steps.map(seen);
}

/** Whether some step allocates records to bins. The kind is asked before its pair is made: a run may have hundreds of thousands of steps. */
function allocates({ steps }: Composition): boolean {
  return steps.some(
    ({ mechanism }) =>
      kindOf(mechanism).families.includes('allocation') && pairOf(mechanism).family === 'allocation',
  );
}

/**
 * Whether the finite losses of all steps are multiples of one number, exactly as their laws state. For unsampled steps and Poisson samples the pair
 * tells; otherwise the law is made.
 */
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

/** The directions to compute: both if some step is Poisson-sampled or has an asymmetric pair. Else 'remove' alone, as the exchanged run has the same δ(ε). */
function sidesOf({ steps }: Composition): readonly SeenDirection[] {
  // kinds whose groups are merged by curves (`Rank.blended`) have symmetric pairs: none is made to tell that
  const apart = steps.some(
    (step) =>
      step.sampling === 'poisson' || (!rankOf(step)?.blended && pairOf(step.mechanism).asymmetric === true),
  );
  return apart ? ['remove', 'add'] : ['remove'];
}

/** The laws of the loss of each step, one list for each direction. */
function lawsOfSides({ sides, steps }: Composition): readonly CountedLaw[][] {
  return sides.map((side) => lawsOf(steps, side));
}
