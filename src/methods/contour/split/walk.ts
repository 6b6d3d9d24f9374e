import { U } from '../../../numeric/constants.js';
import { exp, log } from '../../../numeric/scalar.js';
import type { Known } from './functionals.js';

/** Terms that a sum gains at a time on a side. Speed alone hangs on it. */
export const BLOCK = 8;

/** Of D and R, or of G and J. */
export type Two = readonly [number, number];
export type Pair = readonly [Known, Known];

/** What all terms of one sum need: K = aA + e^ζ, aA the least likelihood ratio. */
export interface Question {
  readonly zeta: number;
  readonly falling: boolean;
  /** W = e^ζ/a, and what it may be off by, relatively. */
  readonly w: number;
  readonly off: number;
  /** The output where u = A + W, and what it may be off by. */
  readonly end: number;
  readonly blur: number;
  /** Equal steps of τ, and log of what they leave: of falling functionals relatively. */
  readonly h: number;
  readonly rule: Two;
  /** log of the factor that all terms share. */
  readonly unit: number;
  /** log of bounds of the sum of e^{−τ} right of τ, in units of that, and of the inner P(U < K/u). */
  readonly tail: number;
  readonly most: number;
  /** log(A + W). */
  readonly widest: number;
}

/** A sum of positive terms by their logarithms, with what they may be off by and the moduli of their slopes; and log of bounds of what lies beyond on either side. */
class Total {
  /** The largest exponent, about, and sums in units of it. */
  top = -Infinity;
  private body = 0;
  private wrong = 0;
  private steep = 0;
  largest = -Infinity;
  right = Infinity;
  left = Infinity;

  /** Before terms with exponents up to one. */
  reach(exponent: number): void {
    if (exponent > this.top + 100) {
      const shrink = exp(this.top - exponent);
      this.body *= shrink;
      this.wrong *= shrink;
      this.steep *= shrink;
      this.top = exponent;
    }
    if (exponent > this.largest) this.largest = exponent;
  }

  /** Adds the sums of some terms e^{exponent − top}: by themselves, times what each may be off by, and times the modulus of its slope. */
  add(body: number, wrong: number, steep: number): void {
    this.body += body;
    this.wrong += wrong;
    this.steep += steep;
  }

  known(count: number): Known {
    const { top, body, wrong, steep } = this;
    return {
      log: top + log(body),
      error: wrong / body + U * (4 + 2 * count + 4 * Math.abs(top)),
      slope: steep / body,
    };
  }
}

/** The two sums of a question so far, and the numbers of the terms next to them on either side. */
export class Walk {
  readonly totals: readonly [Total, Total] = [new Total(), new Total()];
  right: number;
  left: number;

  constructor(
    readonly of: Question,
    start: number,
    /** What is known beyond the end. */
    readonly beyond: Pair | undefined,
  ) {
    this.right = start;
    this.left = start - 1;
    this.totals.forEach((total, which) => {
      if (beyond !== undefined) total.largest = beyond[which].log - of.unit;
    });
  }

  get nodes(): number {
    return this.right - this.left - 1;
  }

  /** The blocks that are next: on each side where what lies beyond counts. */
  next(share: number): Block[] {
    const [first, second] = this.totals;
    const blocks: Block[] = [];
    for (const side of ['right', 'left'] as const)
      if (first[side] > first.largest + share || second[side] > second.largest + share)
        blocks.push(new Block(this, side));
    return blocks;
  }
}

/** `BLOCK` terms of a walk from the last ones outwards. */
export class Block {
  readonly first: number;
  readonly step: 1 | -1;

  constructor(
    readonly walk: Walk,
    readonly side: 'right' | 'left',
  ) {
    this.step = side === 'right' ? 1 : -1;
    this.first = walk[side];
    walk[side] += this.step * BLOCK;
  }

  get last(): number {
    return this.first + this.step * (BLOCK - 1);
  }
}
