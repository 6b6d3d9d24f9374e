import { LruCache } from '../../../numeric/lru-cache.js';
import { log } from '../../../numeric/scalar.js';
import type { ApproximateCumulant } from '../step/spectral-law.js';

/** Number of tilts computed in one call, and their distance in units of 1/(standard deviation of the tilted loss). Only speed depends on them. */
const BLOCK = 8;
const STEP = 0.5;
/**
 * The variance of the tilted loss grows by at most this factor between neighbouring tilts. Otherwise the step is quartered, down to LEAST_SHARE of
 * its usual length. With LEAST_SHARE = .01, steps would miss the saddle points at which rare large losses begin to dominate.
 */
const MOST_UNEVEN = 2;
const LEAST_SHARE = 1e-3;
/** Largest number of blocks. Where rare large losses begin to dominate, most blocks hold fewer than BLOCK tilts. */
const TRIES = 128;

/** A tilt c with log M(c), mean and variance of the exponentially tilted loss, approximately. */
export interface Tilt {
  readonly c: number;
  readonly guess: ApproximateCumulant;
}

/** Approximate cumulants of a run at one real tilt, or at several. */
interface Axis {
  near(c: number): ApproximateCumulant;
  nearAll(tilts: Float64Array): readonly ApproximateCumulant[];
}

/**
 * Tilts computed in one call. The next block starts at `last`, with the fraction `share` of the usual step; `before` counts the tilts of earlier
 * blocks. `goesOn` says whether there is a next block.
 */
interface Block {
  readonly tilts: readonly Tilt[];
  readonly last: Tilt;
  readonly share: number;
  readonly before: number;
  readonly goesOn: boolean;
}

/**
 * Heuristic: a grid of tilts from 1 upwards or downwards, as far as M is known. Steps are STEP/(standard deviation of the tilted loss). Each block
 * is computed when it is first needed. The grid only chooses contours; it enters no bound.
 */
export class Tilts {
  private readonly blocks = new LruCache<number, Block | undefined>(Infinity);

  constructor(
    private readonly axis: Axis,
    private readonly side: 1 | -1,
  ) {}

  /** The first tilt, one usual step from 1. */
  get first(): number {
    return 1 + (this.side * STEP) / Math.sqrt(this.axis.near(1).variance);
  }

  /** The k-th tilt, k ≥ 0; undefined beyond the last. */
  at(k: number): Tilt | undefined {
    // no block holds more than `BLOCK` tilts, so the k-th is in block k/BLOCK or a later one
    for (let b = Math.floor(k / BLOCK); ; b++) {
      const block = this.blocks.of(b, this.made);
      if (block === undefined || k < block.before + block.tilts.length) return block?.tilts[k - block.before];
    }
  }

  /**
   * Heuristic: the b-th block of tilts, from where the one before ended. It stops early where M is unknown or the variance grows too fast; then the
   * next step is quartered, else quadrupled up to the usual one. Undefined beyond the last block.
   */
  private readonly made = (b: number): Block | undefined => {
    const start = { c: 1, guess: this.axis.near(1) };
    const first: Block = { tilts: [], last: start, share: 1, before: 0, goesOn: true };
    const previous = b === 0 ? first : this.blocks.of(b - 1, this.made);
    if (!previous?.goesOn || b >= TRIES) return undefined;
    const { last, share } = previous;
    const step = (this.side * share * STEP) / Math.sqrt(last.guess.variance);
    if (!(Math.abs(step) > 0 && Math.abs(step) < Infinity)) return undefined;
    const halvings = b === 0 ? halvingsOf(step, last.guess.mean) : 0;
    const asked = new Float64Array(BLOCK);
    for (let i = 0; i < BLOCK; i++)
      asked[i] = i < halvings ? last.c + step / 2 ** (halvings - i) : last.c + step * (i + 1 - halvings);
    const guesses = this.axis.nearAll(asked);
    const tilts: Tilt[] = [];
    let { variance } = last.guess;
    for (const guess of guesses) {
      // the variance jumps where rare large losses begin to dominate: stop here, and go on with a shorter step
      const even = guess.variance < MOST_UNEVEN * variance;
      if (!(guess.value < Infinity && (even || share < LEAST_SHARE))) break;
      variance = guess.variance;
      tilts.push({ c: asked[tilts.length], guess });
    }
    const n = tilts.length;
    return {
      tilts,
      last: n > 0 ? tilts[n - 1] : last,
      share: n < BLOCK ? share / 4 : Math.min(1, 4 * share),
      before: previous.before + previous.tilts.length,
      goesOn: n === BLOCK || share >= LEAST_SHARE,
    };
  };
}

/**
 * Heuristic: how often the first step upwards is halved, so that s = c − 1 comes down to about 1/mean. The saddle point there has an ε of about
 * mean − 1/s, near 0. It enters no bound.
 */
function halvingsOf(step: number, mean: number): number {
  return step >= 1 && mean > 0 ? Math.min(BLOCK - 1, Math.max(0, Math.ceil(log(step * mean) / Math.LN2))) : 0;
}
