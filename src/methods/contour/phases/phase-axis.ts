import type { Kernel } from '../../../kernel/kernel.js';
import { CUMULANT_ROWS, CUMULANT_SUMS, KernelTable } from '../../../kernel/kernel-table.js';
import { INVERSE_SQRT_2PI, U } from '../../../numeric/constants.js';
import { Recent } from '../../../numeric/recent.js';
import { exp, log, log1p } from '../../../numeric/scalar.js';
import { lostMass } from '../step/lost-mass.js';
import { type OutputWindow, stretchOf, windowAt } from '../step/output-window.js';
import { lossErrors } from '../step/sampled-losses.js';
import type { Phase } from './phase.js';
import { axisRange, type Extremes, FAR_END, leftOut, type OutputRange, outputsOf } from './phase-path.js';

/** Below this M − 1 is summed by itself; log M elsewhere. */
const MODERATE = 1e13;
/** Meshes kept. Speed and memory hang on it. */
const KEPT = 3;

/** Phases in one table. Speed and memory hang on it. */
const TABLED = 64;

/** log M(c) of each phase, and bounds of the errors. */
export interface AxisValues {
  readonly log: Float64Array;
  readonly error: Float64Array;
}

/** The outputs of each phase, and sums that no tilt changes: Σ p max(u, 1)|y|·(error of y), what ends leave of φ and φu. */
interface Mesh {
  readonly x: Float64Array;
  /** Of `TABLED` phases each, one after the other. */
  readonly tables: readonly KernelTable[];
  readonly shift: Float64Array;
  readonly ends: Float64Array;
  /** The largest relative error of a weight; the largest size and error of each phase's losses. */
  readonly doubt: number;
  readonly largest: readonly Largest[];
}

interface Largest {
  readonly loss: number;
  readonly error: number;
}

/**
 * M(c) = ∫φWu^c of each of many phases by trapezoidal sums on the real axis. Where M is moderate, M − 1 = ∫φW(u^c − 1 − c(u − 1)) − λ_P − c(λ_Q − λ_P), λ what the window takes of P and
 * of Q, with an error relative to itself (`windowed-gaussian.ts`).
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
    const { phases, window } = this;
    const depth = this.depth + log(2 + Math.abs(c));
    const range = axisRange(this.extremes, c, window, depth);
    if (range === undefined) return undefined;
    if (window.to > FAR_END) return this.farAt(c, range, 2.1 * exp(-depth - 1));
    const { h, first, last } = range;
    const mesh = this.meshes.of(`${h}/${first}/${last}`, () => this.meshOn(range));
    const m = last - first + 1;
    const tilt = Float64Array.of(c);
    const found = new Float64Array(CUMULANT_SUMS);
    const values = { log: new Float64Array(phases.length), error: new Float64Array(phases.length) };
    const size = Math.abs(c);
    const rule = 2.1 * exp(-depth - 1);
    for (let k = 0; k < phases.length; k++) {
      const [mass, , , excess, rough, shift] = this.sumsOf(mesh.tables, k, m, tilt, found);
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
        : [log(mass), largeDoubt(m, mesh.doubt, mesh.largest[k], size) + ends / mass + rule];
      if (!(relative < 1e-3 && mass < Infinity)) return undefined;
      values.log[k] = value;
      values.error[k] = 1.01 * relative + 6 * U * Math.abs(value);
    }
    return values;
  }

  /** The same from terms whose logarithms alone are made. */
  private farAt(c: number, range: OutputRange, rule: number): AxisValues | undefined {
    const { kernel, phases, window } = this;
    const x = outputsOf(range);
    const m = x.length;
    const { height, doubt } = heightsOn(kernel, x, window);
    const size = Math.abs(c);
    const values = { log: new Float64Array(phases.length), error: new Float64Array(phases.length) };
    for (const [k, { mu, q }] of phases.entries()) {
      const mesh = kernel.lossMesh(mu, q, x);
      const terms = height.map((own, j) => own - (x[j] * x[j]) / 2 + c * mesh[m + j]);
      const top = terms.reduce((most, term) => Math.max(most, term), -Infinity);
      const sum = terms.reduce((total, term) => total + exp(term - top), 0);
      const largest = largestLoss(mesh, lossErrors(mu, q, x, mesh));
      const value = top + log(sum * range.h * INVERSE_SQRT_2PI);
      const ends = leftOut({ a: 0, h: range.h, x }, phases[k], c, window, value);
      const relative = largeDoubt(m, doubt, largest, size) + U * (8 * Math.abs(top) + m) + ends + rule;
      if (!(relative < 1e-3 && Math.abs(value) < Infinity)) return undefined;
      values.log[k] = value;
      values.error[k] = 1.01 * relative + 6 * U * Math.abs(value);
    }
    return values;
  }

  private meshOn(range: OutputRange): Mesh {
    const { kernel, phases, window } = this;
    const x = outputsOf(range);
    const m = x.length;
    const { height, doubts, doubt } = heightsOn(kernel, x, window);
    const weight = height.map((own) => range.h * INVERSE_SQRT_2PI * exp(own));
    const largest: Largest[] = [];
    const mesh = new Float64Array(4 * m);
    const tables: KernelTable[] = [];
    for (let begin = 0; begin < phases.length; begin += TABLED) {
      const stride = m * Math.min(TABLED, phases.length - begin);
      const rows = new Float64Array(CUMULANT_ROWS * stride);
      for (let at = 0; at < stride; at += m) {
        const { mu, q } = phases[begin + at / m];
        kernel.lossMesh(mu, q, x, mesh);
        const errors = lossErrors(mu, q, x, mesh);
        largest.push(largestLoss(mesh, errors));
        for (let j = 0; j < m; j++) {
          const loss = mesh[m + j];
          rows[at + j] = weight[j] * mesh[j];
          rows[stride + at + j] = loss;
          rows[2 * stride + at + j] = mesh[2 * m + j];
          rows[3 * stride + at + j] = doubts[j];
          rows[4 * stride + at + j] = errors[j] * Math.abs(loss);
        }
      }
      tables.push(new KernelTable(rows));
    }
    const [shift, ends] = [new Float64Array(phases.length), new Float64Array(phases.length)];
    const tilts = Float64Array.of(0, 1);
    const sums = new Float64Array(2 * CUMULANT_SUMS);
    for (const [k, phase] of phases.entries()) {
      this.sumsOf(tables, k, m, tilts, sums);
      shift[k] = sums[CUMULANT_SUMS - 1] + sums[2 * CUMULANT_SUMS - 1];
      for (const c of tilts) ends[k] += leftOut({ a: 0, h: range.h, x }, phase, c, window, 0);
    }
    return { x, tables, shift, ends, doubt, largest };
  }

  private sumsOf(
    tables: readonly KernelTable[],
    k: number,
    m: number,
    tilts: Float64Array,
    out: Float64Array,
  ): Float64Array {
    const at = (k % TABLED) * m;
    return this.kernel.cumulantSums(tables[Math.floor(k / TABLED)], at, at + m, tilts, out);
  }
}

/** log W at outputs on the real axis, the relative errors of φW there, and the largest of them. */
function heightsOn(
  kernel: Kernel,
  x: Float64Array,
  window: OutputWindow,
): { height: Float64Array; doubts: Float64Array; doubt: number } {
  const [height, , blur] = windowAt(kernel, x, 0, window);
  const doubts = blur.map((own, j) => own + U * (24 + x[j] * x[j] + 2 * Math.abs(height[j])));
  return { height, doubts, doubt: doubts.reduce((most, one) => Math.max(most, one), 0) };
}

/** The largest |loss| of a phase and the largest error of one. @param mesh Of `lossMesh`. */
function largestLoss(mesh: Float64Array, errors: Float64Array): Largest {
  const m = errors.length;
  const top = { loss: 0, error: 0 };
  for (let j = 0; j < m; j++) {
    top.loss = Math.max(top.loss, Math.abs(mesh[m + j]));
    top.error = Math.max(top.error, errors[j]);
  }
  return top;
}

/** Relative rounding of a sum of φWu^c over m outputs. */
function largeDoubt(m: number, doubt: number, { loss, error }: Largest, size: number): number {
  return doubt + size * error * 1.1 + U * (64 + m / 32 + 4 * size * loss);
}
