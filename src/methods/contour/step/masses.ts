import { even } from '../../../kernel/call.js';
import { floats } from '../../../kernel/floats.js';
import type { Kernel } from '../../../kernel/kernel.js';
import { CUMULANT_SUMS, KernelTable, MESH_ROWS } from '../../../kernel/kernel-table.js';
import type { SumsKernel, TiltedLaw } from '../../../kernel/loops.js';
import { U } from '../../../numeric/constants.js';
import { exp, log, log1p } from '../../../numeric/scalar.js';
import { type Cumulant, type LineNodes, type LogPhiLine, MAX_WORK } from './spectral-law.js';
import { logPhiRows } from './weighted-losses.js';

/** A law of one step as P-masses unit·e^{logMass} on losses y, and absolute errors of either. Where P and Q give all outputs, e^y − 1 and its error, too. */
export interface ListedMasses {
  readonly unit: number;
  readonly logMass: Float64Array;
  readonly loss: Float64Array;
  readonly massError: Float64Array;
  readonly lossError: Float64Array;
  readonly excess?: Float64Array;
  readonly excessError?: Float64Array;
}

/** What sums over masses lack of M(c), over the largest term where they are taken by logarithms, and as a share of M(c). */
interface Lacking {
  readonly most?: number;
  readonly share?: number;
}

/** Terms of a line lighter than e^{−this} of what it lacks anyway are left out and counted. Speed alone hangs on it. */
const SPARE = 8;
/** log of masses, and of powers, beyond which they are no normal doubles. Safety hangs on it. */
const NORMAL = 690;
/** Where |e^y − 1| is less, y and y − (e^y − 1) are made of it. */
const NEAR = 0.25;
/** log of no mass at all. */
const NOTHING = -1e300;

/** M(z) as a sum over masses, whatever the tilt. */
export class Masses {
  private readonly table: KernelTable;
  /** Whether masses are normal doubles, and the largest |y|. */
  private readonly isNormal: boolean;
  private furthest = 0;
  /** Σ p|y|·(error of y), and Σ p·(error of y − (u − 1)). */
  private readonly moved: number;
  private bent = 0;

  constructor(
    private readonly kernel: SumsKernel,
    private readonly listed: ListedMasses,
  ) {
    const { logMass, loss, massError, lossError, excess, excessError } = listed;
    const n = loss.length;
    const row = even(n);
    const rows = floats(MESH_ROWS * row);
    rows[6 * row - 1] = NOTHING;
    for (let j = 0; j < n; j++) {
      let [y, off] = [loss[j], lossError[j]];
      const p = exp(logMass[j]);
      if (excess !== undefined && excessError !== undefined) {
        const [v, wrong] = [excess[j], excessError[j]];
        const near = Math.abs(v) < NEAR;
        if (near) {
          y = log1p(v);
          off = wrong / (1 + v) + 2 * U * Math.abs(y);
        }
        rows[2 * row + j] = near ? bendOf(v) : y - v;
        this.bent += p * (near ? (Math.abs(v) * wrong) / (1 + v) : off + wrong);
      }
      rows[j] = p;
      rows[row + j] = y;
      rows[3 * row + j] = massError[j] + U * (16 + 2 * Math.abs(logMass[j]));
      rows[4 * row + j] = Math.abs(y) * (off + 2 * U * Math.abs(y));
      rows[5 * row + j] = logMass[j];
      rows[6 * row + j] = off;
      this.furthest = Math.max(this.furthest, Math.abs(y));
    }
    this.table = new KernelTable(rows);
    this.isNormal = logMass.every((height) => height > -NORMAL);
    this.moved =
      excess === undefined
        ? 0
        : kernel.cumulantSums(this.table, 0, row, Float64Array.of(0))[CUMULANT_SUMS - 1];
  }

  /** The law under a tilt. */
  at(c: number): TiltedMasses {
    return new TiltedMasses(this.listed, this.table, this.kernel.tiltedLaw(this.table, c));
  }

  /**
   * count·log M(c) where M is near 1: M(c) − 1 = E_P[u^c − 1 − c(u − 1)], u = e^y, as E_P[u] = 1. The terms have one sign, so it keeps its digits for any count. Undefined where powers are
   * no normal doubles.
   *
   * An error d of y moves u^c − 1 − cy by at most c²|y| max(1, u^c)d, and so do roundings of cy. One e of u moves y − (u − 1) by |u − 1|e/u; where that is a difference, both count.
   */
  rise(c: number, count: number, { most = 0, share = 0 }: Lacking): Cumulant | undefined {
    const { unit, loss } = this.listed;
    const n = even(loss.length);
    if (!this.isNormal || Math.abs(c) * this.furthest > NORMAL) return undefined;
    const sums = this.kernel.cumulantSums(this.table, 0, n, Float64Array.of(c));
    const [mass, first, second, excess, wrong, moved] = sums;
    // the relative errors of the masses are at least 16u each
    const rounding = wrong * (1 + (50 + n / 32) / 16);
    const lost = rounding + c * c * (moved + this.moved) + Math.abs(c) * this.bent;
    const above = excess * unit;
    const value = count * log1p(above);
    const mean = first / mass;
    return {
      value,
      error:
        (count * (lost * unit + most + share * mass * unit) * 1.001) / (1 + above) + 6 * U * Math.abs(value),
      mean: count * mean,
      variance: count * Math.max(second / mass - mean * mean, 1e-300),
    };
  }
}

/** log(1 + v) − v, |v| < ¼, to 4u of itself. */
function bendOf(v: number): number {
  let [bend, power] = [0, -v];
  for (let k = 2; Math.abs(power) > 1e-18 * Math.abs(v); k++) {
    power *= -v;
    bend -= power / k;
  }
  return bend;
}

/** Terms of M(c) over the largest, e^{top}. */
export class TiltedMasses {
  readonly top: number;
  /** As many as there are losses, or one of no mass more. */
  readonly weight: Float64Array;

  constructor(
    private readonly listed: ListedMasses,
    private readonly table: KernelTable,
    private readonly law: TiltedLaw,
  ) {
    this.top = law.sums[0];
    this.weight = law.weight;
  }

  /** What is added to a relative error by adding up. */
  private get adding(): number {
    return (24 + this.listed.loss.length / 32) * U;
  }

  /** count·log M(c) where M is far from 1 or P and Q do not give all outputs, from the logarithm of the sum. */
  logarithm(count: number, { most = 0, share = 0 }: Lacking): Cumulant {
    const { unit } = this.listed;
    const [top, mass, first, second, wrong] = this.law.sums;
    const value = count * (top + log(mass * unit));
    const relative = wrong / mass + this.adding + most / (mass * unit) + share;
    const mean = first / mass;
    return {
      value,
      error: count * (1.001 * relative + 4 * U * Math.abs(top)) + 4 * U * Math.abs(value),
      mean: count * mean,
      variance: count * Math.max(second / mass - mean * mean, 1e-300),
    };
  }

  /** count·log φ on a line, φ(τ) = M(c + iτ)/M(c); undefined where that takes too much. */
  line(kernel: Kernel, { dTau, n }: LineNodes, count: number, lacking: Lacking): LogPhiLine | undefined {
    const { most = 0, share = 0 } = lacking;
    const { weight } = this;
    const least = share * exp(-SPARE);
    let [from, to] = [0, this.listed.loss.length];
    while (from < to && weight[from] < least) from++;
    while (to > from && weight[to - 1] < least) to--;
    if ((to - from) * n > MAX_WORK) return undefined;
    const [, mass, , , massError, size, sizeError, shift] = this.law.sums;
    const left = (weight.length - (to - from)) * least;
    // of M(c + iτ) and of M(c)
    const missing = (2.1 * (left + most / this.listed.unit)) / mass + 2.1 * share;
    const row = weight.length;
    const loss = this.table.values.subarray(row + from, row + to);
    const sums = { mass, size, sizeError, massError, shift, adding: this.adding + (to - from) * U, missing };
    return logPhiRows(
      kernel.logPhi({ loss, weight: weight.subarray(from, to), ...sums }, { dTau, n }, count),
    );
  }
}
