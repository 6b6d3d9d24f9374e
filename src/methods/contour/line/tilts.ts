import { LruCache } from '../../../numeric/lru-cache.js';
import { log } from '../../../numeric/scalar.js';
import type { ApproximateCumulant } from '../step/spectral-law.js';

// Plans: no bracket depends on this file.

/** Tilts computed together, and their distance in reciprocal standard deviations of the tilted loss. Only speed depends on them. */
const BLOCK = 8;
const STEP = 0.5;
/**
 * Variances of neighbouring tilts differ by at most this factor; otherwise steps are shortened, down to LEAST_SHARE. With a least share of .01, tilts
 * would step over the saddle points where rare losses take over.
 */
const MOST_UNEVEN = 2;
const LEAST_SHARE = 1e-3;
/** Blocks of tilts at most: where rare losses take over, most blocks are cut short. */
const TRIES = 128;

/** A tilt c with log M(c), mean and variance of the exponentially tilted loss, approximately. */
export interface Tilt {
  readonly c: number;
  readonly guess: ApproximateCumulant;
}

/** Approximate cumulants of a run on the real axis, one or several. */
interface Axis {
  near(c: number): ApproximateCumulant;
  nearAll(tilts: Float64Array): readonly ApproximateCumulant[];
}

/** Tilts computed together: where to go on from, the fraction of the next step, and whether others may follow. */
interface Block {
  readonly tilts: readonly Tilt[];
  readonly last: Tilt;
  readonly share: number;
  readonly before: number;
  readonly goesOn: boolean;
}

/** The tilts of a run from 1 on, upwards or downwards, as far as M is known. Each block is computed on first use. */
export class Tilts {
  private readonly blocks = new LruCache<number, Block | undefined>(Infinity);

  constructor(
    private readonly axis: Axis,
    private readonly side: 1 | -1,
  ) {}

  /** The first tilt. */
  get first(): number {
    return 1 + (this.side * STEP) / Math.sqrt(this.axis.near(1).variance);
  }

  /** The k-th tilt. */
  at(k: number): Tilt | undefined {
    // no block holds more than `BLOCK`, so earlier ones do not contain the k-th
    for (let b = Math.floor(k / BLOCK); ; b++) {
      const block = this.blocks.of(b, this.made);
      if (block === undefined || k < block.before + block.tilts.length) return block?.tilts[k - block.before];
    }
  }

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
      // where rare losses take over, steps are shorter
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

/** How often the first step up is halved. If no saddle point has a tilt below 1, small losses belong to tilts near 1. */
function halvingsOf(step: number, mean: number): number {
  return step >= 1 && mean > 0 ? Math.min(BLOCK - 1, Math.max(0, Math.ceil(log(step * mean) / Math.LN2))) : 0;
}
