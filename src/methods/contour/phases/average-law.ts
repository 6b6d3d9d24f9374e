import type { Kernel } from '../../../kernel/kernel.js';
import { U } from '../../../numeric/constants.js';
import { LruCache } from '../../../numeric/lru-cache.js';
import { addTables, emptyTable, tableOf } from '../line/line-table.js';
import {
  type ApproximateCumulant,
  type Cumulant,
  type Decay,
  type LineNodes,
  type LogPhiLine,
  type SpectralLaw,
  UNKNOWN,
} from '../step/spectral-law.js';
import { logarithms } from '../step/weighted-losses.js';
import { AverageDecay, type CountedStep } from './average-decay.js';

/** Tilts, and bounds of |φ|, that are kept. Speed and memory hang on them. */
const KEPT_TILTS = 64;
const KEPT_DECAYS = 8;

/**
 * The average of many sampled Gaussians, summed one by one under one window, as the law of one step. It is counted as often as there are steps
 * (docs/proofs/many-phases.md).
 */
export class AverageLaw implements SpectralLaw {
  readonly logMassP = 0;
  readonly logMassQ = 0;
  private readonly count: number;
  private readonly sums = new LruCache<number, Cumulant>(KEPT_TILTS);
  private readonly decays = new LruCache<number, AverageDecay>(KEPT_DECAYS);

  /**
   * @param few Steps that stand for all in guesses.
   * @param depth Integrals of lines are good to about e^{−depth}.
   */
  constructor(
    private readonly steps: readonly CountedStep[],
    private readonly few: readonly CountedStep[],
    private readonly depth: number,
  ) {
    this.count = steps.reduce((sum, { count }) => sum + count, 0);
  }

  readonly cumulant = (c: number, count: number): Cumulant => {
    const each = count / this.count;
    const { value, error, mean, variance } = this.sums.of(c, this.sum);
    return {
      value: each * value,
      error: each * error + 4 * U * Math.abs(each * value),
      mean: each * mean,
      variance: each * variance,
    };
  };

  /** Of all steps. */
  private readonly sum = (c: number): Cumulant => {
    let [value, error, mean, variance] = [0, 0, 0, 0];
    for (const { step, count } of this.steps) {
      const own = step.moments(c);
      value += count * own.log;
      error += count * own.error + 2 * U * (Math.abs(value) + Math.abs(count * own.log));
      mean += count * own.mean;
      variance += count * own.variance;
      if (!(own.log < Infinity)) return UNKNOWN;
    }
    return { value, error, mean, variance };
  };

  readonly near = (tilts: Float64Array, count: number): ApproximateCumulant[] => {
    const each = count / this.count;
    const sums = Array.from(tilts, () => ({ value: 0, mean: 0, variance: 0 }));
    for (const { step, count: own } of this.few)
      for (const [i, { value, mean, variance }] of step.near(tilts, each * own).entries()) {
        sums[i].value += value;
        sums[i].mean += mean;
        sums[i].variance += variance;
      }
    return sums.map((sum) => (sum.value < Infinity ? sum : UNKNOWN));
  };

  readonly line = (kernel: Kernel, { c, dTau, n }: LineNodes, count: number): LogPhiLine | undefined => {
    let line = emptyTable(c, dTau, n);
    for (const { step, count: own } of this.steps) {
      const sums = step.line(c, dTau, n, this.depth);
      if (sums === undefined) return undefined;
      line = addTables(line, tableOf(logarithms(kernel, sums, (count / this.count) * own), line));
    }
    return line;
  };

  readonly decay = (c: number): Decay => this.decays.of(c, () => new AverageDecay(this.steps, c));
}
