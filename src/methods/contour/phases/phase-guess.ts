import type { Kernel } from '../../../kernel/kernel.js';
import { CUMULANT_ROWS, CUMULANT_SUMS, KernelTable } from '../../../kernel/kernel-table.js';
import { INVERSE_SQRT_2PI } from '../../../numeric/constants.js';
import { Once } from '../../../numeric/recent.js';
import { exp, log, log1p } from '../../../numeric/scalar.js';
import type { OutputWindow } from '../step/output-window.js';
import { type Guess, UNKNOWN } from '../step/spectral-law.js';
import type { Phase } from './phase.js';
import { FAR_BEHIND, FAR_END } from './phase-path.js';

/** The step of outputs and how far out they begin. */
const STEP = 0.25;
const REACH = 9;
/** The largest M − 1 and the least M that the kernel's sums serve. */
const LARGEST_RISE = 1e100;
const LEAST_MASS = 1e-200;

/** Outputs of the phases, m each: log φW of an output, and rows for the kernel, of which the second are losses. */
interface Outputs {
  readonly m: number;
  readonly height: Float64Array;
  readonly rows: Float64Array;
  readonly table: KernelTable;
}

/** log M, mean and variance of many phases under one window by few that stand for them, without bounds of the errors: for plans. */
export class PhaseGuess {
  private readonly outputs = new Once(() => this.made());

  constructor(
    private readonly kernel: Kernel,
    private readonly few: readonly Phase[],
    private readonly window: OutputWindow,
  ) {}

  /** Those of all steps at tilts. */
  near(tilts: Float64Array): Guess[] {
    const sums = Array.from(tilts, () => ({ value: 0, mean: 0, variance: 0 }));
    for (const [k, { count }] of this.few.entries()) {
      const found = this.window.to > FAR_END ? this.byLogarithms(k, tilts) : this.byKernel(k, tilts);
      for (const [i, { value, mean, variance }] of found.entries()) {
        sums[i].value += count * value;
        sums[i].mean += count * mean;
        sums[i].variance += count * variance;
      }
    }
    return sums.map((sum) => (sum.value < Infinity && sum.variance > 0 ? sum : UNKNOWN));
  }

  private byKernel(k: number, tilts: Float64Array): Guess[] {
    const { table, m } = this.outputs.value;
    const found = this.kernel.cumulantSums(table, k * m, (k + 1) * m, tilts);
    return Array.from(tilts, (_, i) => {
      const [mass, first, second, rise] = found.subarray(CUMULANT_SUMS * i);
      const mean = first / mass;
      const known = rise < LARGEST_RISE && mass > LEAST_MASS;
      return { value: known ? log1p(rise) : Infinity, mean, variance: second / mass - mean * mean };
    });
  }

  /** Where densities are too small for a double. */
  private byLogarithms(k: number, tilts: Float64Array): Guess[] {
    const { rows, m, height } = this.outputs.value;
    const loss = rows.subarray((this.few.length + k) * m, (this.few.length + k + 1) * m);
    return Array.from(tilts, (c) => {
      const terms = height.map((own, j) => own + c * loss[j]);
      const top = terms.reduce((most, term) => Math.max(most, term), -Infinity);
      let [mass, first, second] = [0, 0, 0];
      for (let j = 0; j < m; j++) {
        const f = exp(terms[j] - top);
        mass += f;
        first += f * loss[j];
        second += f * loss[j] * loss[j];
      }
      const mean = first / mass;
      return { value: top + log(mass), mean, variance: second / mass - mean * mean };
    });
  }

  private made(): Outputs {
    const { kernel, window, few } = this;
    const first = Math.floor(-REACH / STEP);
    const last = Math.ceil((window.to + FAR_BEHIND) / STEP);
    const m = last - first + 1 + ((last - first + 1) & 1);
    const x = Float64Array.from({ length: m }, (_, j) => STEP * (first + j));
    const unit = log(STEP * INVERSE_SQRT_2PI);
    const passed = kernel
      .windowRows(x, 0, window)
      .subarray(0, m)
      .map((own) => own + unit);
    const rows = new Float64Array(CUMULANT_ROWS * m * few.length);
    const stride = m * few.length;
    for (const [k, { mu, q }] of few.entries()) {
      const mesh = kernel.lossMesh(mu, q, x);
      for (let j = 0; j < m; j++) {
        rows[k * m + j] = exp(passed[j]) * mesh[j];
        rows[stride + k * m + j] = mesh[m + j];
        rows[2 * stride + k * m + j] = mesh[2 * m + j];
      }
    }
    return { m, height: passed.map((own, j) => own - (x[j] * x[j]) / 2), rows, table: new KernelTable(rows) };
  }
}
