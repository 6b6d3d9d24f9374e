import { CompensatedSum } from '../../../numeric/compensated-sum.js';
import { U } from '../../../numeric/constants.js';
import { log, log1p } from '../../../numeric/scalar.js';
import type { Cumulant } from './spectral-law.js';

/** What a law's outputs add up to at a tilt: Σ f, Σ fy and Σ fy² of the tilted law, Σ of the terms of M − 1 where they are told, and a bound of the rounding of either. */
export class TiltedMoments {
  mass = 0;
  wrong = 0;
  private first = 0;
  private second = 0;
  /** Of terms of M − 1. */
  private readonly rise = new CompensatedSum();

  /** An output of tilted mass f and loss y. */
  add(f: number, y: number, wrong: number): void {
    this.mass += f;
    this.first += f * y;
    this.second += f * y * y;
    this.wrong += wrong;
  }

  /** A term of M − 1. */
  addTerm(term: number): void {
    this.rise.add(term);
  }

  /**
   * count·log M from M − 1, which keeps its digits for any count.
   *
   * @param unit What one output counts.
   * @param lost Bound of what M lacks, rounding included.
   */
  fromRise(count: number, unit: number, lost: number): Cumulant {
    const rise = this.rise.value * unit;
    const value = count * log1p(rise);
    return {
      value,
      error: (count * lost * 1.001) / (1 + rise) + 6 * U * Math.abs(value),
      ...this.spread(count),
    };
  }

  /**
   * The same where M is far from 1, from its logarithm.
   *
   * @param top log of what masses are in units of.
   * @param relative Bound of what M lacks, relatively, rounding included.
   */
  fromMass(count: number, unit: number, top: number, relative: number): Cumulant {
    const value = count * (top + log(this.mass * unit));
    const error = count * (relative + 4 * U * Math.abs(top)) + 4 * U * Math.abs(value);
    return { value, error, ...this.spread(count) };
  }

  private spread(count: number): { mean: number; variance: number } {
    const mean = this.first / this.mass;
    return { mean: count * mean, variance: count * Math.max(0, this.second / this.mass - mean * mean) };
  }
}
