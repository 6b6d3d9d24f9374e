import type { Kernel } from '../../../kernel/kernel.js';
import { CUMULANT_ROWS, CUMULANT_SUMS, KernelTable } from '../../../kernel/kernel-table.js';
import { INVERSE_SQRT_2PI, U } from '../../../numeric/constants.js';
import { Recent } from '../../../numeric/recent.js';
import { exp, log, log1p } from '../../../numeric/scalar.js';
import { type OutputWindow, windowAt } from '../split/output-window.js';
import { lostMass } from '../step/cut-gaussian.js';
import type { Phase } from './phase-cell.js';
import { axisRange, type Extremes, leftOut, type OutputRange, outputsOf, stretchOf } from './phase-path.js';

/** Below this M − 1 is summed by itself; log M elsewhere. */
const MODERATE = 1e13;
/** Meshes kept. Speed and memory hang on it. */
const KEPT = 3;

/** log M(c) of each phase, and bounds of the errors. */
export interface AxisValues {
  readonly log: Float64Array;
  readonly error: Float64Array;
}

/** The outputs of each phase, and sums that no tilt changes: Σ p max(u, 1)|y|·(error of y), what ends leave of φ and φu. */
interface Mesh {
  readonly range: OutputRange;
  readonly x: Float64Array;
  readonly tables: readonly KernelTable[];
  readonly shift: Float64Array;
  readonly ends: Float64Array;
  /** The largest relative error of a weight; the largest size and error of each phase's losses. */
  readonly doubt: number;
  readonly largest: readonly { readonly loss: number; readonly error: number }[];
}

/**
 * M(c) = ∫φWu^c of each of many phases by trapezoidal sums on the real axis. Where M is moderate, M − 1 = ∫φW(u^c − 1 − c(u − 1)) − λ_P − c(λ_Q − λ_P), λ what the window takes of P and
 * of Q, with an error relative to itself (`cut-gaussian.ts`).
 */
export class PhaseAxis {
  private readonly meshes = new Recent<string, Mesh>(KEPT);
  private readonly lost: readonly { readonly p: number; readonly q: number }[];

  constructor(
    private readonly kernel: Kernel,
    private readonly phases: readonly Phase[],
    private readonly extremes: Extremes,
    private readonly window: OutputWindow,
    private readonly depth: number,
  ) {
    const stretch = stretchOf(window.width);
    this.lost = phases.map(({ mu, q }) => {
      const { logLostP, logLostQ } = lostMass(mu / stretch, q, window.to / stretch);
      return { p: exp(logLostP), q: exp(logLostQ) };
    });
  }

  /** Those at a tilt; undefined where they are not known. */
  at(c: number): AxisValues | undefined {
    const { phases, window, kernel } = this;
    const depth = this.depth + log(2 + Math.abs(c));
    const range = axisRange(this.extremes, c, window, depth);
    if (range === undefined) return undefined;
    const { h, first, last } = range;
    const mesh = this.meshes.of(`${h}/${first}/${last}`, () => this.meshOn(range));
    const m = last - first + 1;
    const tilt = Float64Array.of(c);
    const values = { log: new Float64Array(phases.length), error: new Float64Array(phases.length) };
    const size = Math.abs(c);
    const rule = 2.1 * exp(-depth - 1);
    for (let k = 0; k < phases.length; k++) {
      const [mass, , , excess, rough, shift] = kernel.cumulantSums(mesh.tables[k], 0, m, tilt);
      const { p, q } = this.lost[k];
      const rise = excess - p - c * (q - p);
      const ends = leftOut({ a: 0, h, x: mesh.x }, phases[k], c, window, 0);
      const moderate = mass < MODERATE && mass > 1e-3;
      const doubt = moderate
        ? rough * (1 + (50 + m / 32) / 8) +
          1.5 * size * Math.max(1, Math.abs(c - 1)) * (shift + mesh.shift[k]) +
          ends +
          (1 + 2 * size) * mesh.ends[k] +
          rule * (mass + 1 + 2 * size) +
          4e-10 * (p * (1 + size) + q * size)
        : 0;
      // relative errors of weights and of u^c
      const [value, relative] = moderate
        ? [log1p(rise), doubt / (1 + rise)]
        : [log(mass), this.largeDoubt(mesh, k, size) + ends / mass + rule];
      if (!(relative < 1e-3 && mass < Infinity)) return undefined;
      values.log[k] = value;
      values.error[k] = 1.01 * relative + 6 * U * Math.abs(value);
    }
    return values;
  }

  /** Relative rounding of a sum of φWu^c. */
  private largeDoubt({ x, doubt, largest }: Mesh, k: number, size: number): number {
    const { loss, error } = largest[k];
    return doubt + size * error * 1.1 + U * (64 + x.length / 32 + 4 * size * loss);
  }

  private meshOn(range: OutputRange): Mesh {
    const { kernel, phases, window } = this;
    const x = outputsOf(range);
    const m = x.length;
    const passed = Array.from(x, (at) => windowAt(window, at, 0));
    const weight = Float64Array.from(passed, ({ log: height }) => range.h * INVERSE_SQRT_2PI * exp(height));
    const doubt = Float64Array.from(
      passed,
      ({ log: height, error }, j) =>
        error * exp(-Math.max(height, -700)) + U * (24 + x[j] * x[j] + 2 * Math.abs(height)),
    );
    const largest: { loss: number; error: number }[] = [];
    const tables = phases.map(({ mu, q }) => {
      const top = { loss: 0, error: 0 };
      largest.push(top);
      const rows = new Float64Array(CUMULANT_ROWS * m);
      const mesh = kernel.lossMesh(mu, q, x);
      const logRate = Math.abs(log(q));
      for (let j = 0; j < m; j++) {
        const s = mu * x[j] - (mu * mu) / 2;
        const loss = mesh[m + j];
        const rounding = s > 30 ? 4 * (Math.abs(s) + logRate) : 0;
        const moved = mesh[3 * m + j] * (3 * Math.abs(mu * x[j]) + 2 * mu * mu);
        rows[j] = weight[j] * mesh[j];
        rows[m + j] = loss;
        rows[2 * m + j] = mesh[2 * m + j];
        rows[3 * m + j] = doubt[j];
        const error = U * (moved + rounding + 12 * Math.abs(loss));
        rows[4 * m + j] = Math.abs(loss) * error;
        top.loss = Math.max(top.loss, Math.abs(loss));
        top.error = Math.max(top.error, error);
      }
      return new KernelTable(rows);
    });
    const [shift, ends] = [new Float64Array(phases.length), new Float64Array(phases.length)];
    const tilts = Float64Array.of(0, 1);
    for (const [k, phase] of phases.entries()) {
      const sums = kernel.cumulantSums(tables[k], 0, m, tilts);
      shift[k] = sums[CUMULANT_SUMS - 1] + sums[2 * CUMULANT_SUMS - 1];
      for (const c of tilts) ends[k] += leftOut({ a: 0, h: range.h, x }, phase, c, window, 0);
    }
    const most = doubt.reduce((top, one) => Math.max(top, one), 0);
    return { range, x, tables, shift, ends, doubt: most, largest };
  }
}
