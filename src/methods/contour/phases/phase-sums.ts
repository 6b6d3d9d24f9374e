import type { Kernel } from '../../../kernel/kernel.js';
import { PATH_ROWS } from '../../../kernel/kernel-table.js';
import { U } from '../../../numeric/constants.js';
import { Recent } from '../../../numeric/recent.js';
import { atan2, exp, log } from '../../../numeric/scalar.js';
import type { OutputWindow } from '../step/output-window.js';
import { sumsOfRows } from '../step/path-sums.js';
import {
  type Cumulant,
  type Decay,
  type Guess,
  type LineNodes,
  type LogPhiLine,
  type SpectralLaw,
  UNKNOWN,
} from '../step/spectral-law.js';
import type { Phase } from './phase.js';
import { type AxisValues, PhaseAxis } from './phase-axis.js';
import { PhaseBounds } from './phase-bounds.js';
import { PhaseGuess } from './phase-guess.js';
import {
  type Extremes,
  largestTilt,
  leftOut,
  type PhaseOutputs,
  type PhasePath,
  type PhaseRun,
  pathOn,
  pathRange,
  type TurnedOutputs,
} from './phase-path.js';

/** Terms so far below what integrals are good to are left out, and counted as that. */
const BELOW = 4;
/** Digits that integrals of single laws have to spare, in logarithms. Speed and the last digits hang on it. */
const SPARE = 4;
/** Paths, tilts and bounds kept. Speed and memory hang on them. */
const KEPT_PATHS = 4;
const KEPT_TILTS = 64;
const KEPT_BOUNDS = 8;
/** Whole powers up to this are products. */
const MOST_FACTORS = 4;

/** A path with the outputs of every phase on it. */
interface Known {
  readonly path: PhasePath;
  readonly outputs: readonly TurnedOutputs[];
}

/**
 * Many Poisson-sampled Gaussian steps, one by one, under one window W of outputs that takes the largest away: M(z) = ∫ φWu^z along outputs that serve them all, so that what
 * they are summed over and how well is worked out once (docs/proofs/many-phases.md). Lines are those of the average step, to be counted as often as there are steps.
 */
export class PhaseSums {
  private readonly phases: readonly Phase[];
  private readonly extremes: Extremes;
  private readonly outputs: PhaseOutputs;
  private readonly count: number;
  private readonly depth: number;
  private readonly largest: number;
  private readonly onAxis: PhaseAxis;
  private readonly paths = new Recent<string, Known | undefined>(KEPT_PATHS);
  private readonly values = new Recent<number, AxisValues | undefined>(KEPT_TILTS);
  private readonly bounds = new Recent<number, PhaseBounds>(KEPT_BOUNDS);
  private readonly guess: PhaseGuess;

  /**
   * @param depth Integrals are good to about e^{−depth}.
   */
  constructor(
    private readonly kernel: Kernel,
    private readonly run: PhaseRun,
    private readonly window: OutputWindow,
    depth: number,
  ) {
    this.depth = depth - SPARE;
    ({ phases: this.phases, extremes: this.extremes, outputs: this.outputs } = run);
    this.onAxis = new PhaseAxis(kernel, run.phases, run.extremes, window, this.depth);
    this.guess = new PhaseGuess(kernel, run.coarse, window);
    this.largest = largestTilt(run.extremes, window);
    this.count = run.phases.reduce((sum, { count }) => sum + count, 0);
  }

  get law(): SpectralLaw {
    return {
      logMassP: 0,
      logMassQ: 0,
      cumulant: (c, count) => this.cumulant(c, count),
      near: (tilts, count) => this.near(tilts, count),
      cheap: [-Infinity, this.largest],
      line: (kernel, { c, ...at }, count) => this.line(kernel, c, at, count),
      decay: (c) => this.decay(c),
    };
  }

  private pathFor(c: number): Known | undefined {
    const range = pathRange(this.extremes, c, this.window, this.depth);
    if (range === undefined) return undefined;
    const { a, h, first, last } = range;
    return this.paths.of(`${a}/${h}/${first}/${last}`, () => {
      return { path: pathOn(this.kernel, range, this.window, this.depth), outputs: this.outputs.on(range) };
    });
  }

  private axis(c: number): AxisValues | undefined {
    return c <= this.largest ? this.values.of(c, () => this.onAxis.at(c)) : undefined;
  }

  private cumulant(c: number, count: number): Cumulant {
    const known = this.axis(c);
    if (known === undefined) return UNKNOWN;
    const { mean, variance } = this.near(Float64Array.of(c), count)[0];
    return { ...this.total(known, count), mean, variance };
  }

  private total(known: AxisValues, count: number): { value: number; error: number } {
    const each = count / this.count;
    let [value, error] = [0, 0];
    for (let k = 0; k < this.phases.length; k++) {
      const { count: own } = this.phases[k];
      value += own * known.log[k];
      error += own * known.error[k] + 2 * U * (Math.abs(value) + Math.abs(own * known.log[k]));
    }
    return { value: each * value, error: each * error + 4 * U * Math.abs(each * value) };
  }

  private near(tilts: Float64Array, count: number): Guess[] {
    const each = count / this.count;
    return this.guess
      .near(tilts)
      .map(({ value, mean, variance }, i) =>
        tilts[i] <= this.largest && value < Infinity
          ? { value: each * value, mean: each * mean, variance: each * variance }
          : UNKNOWN,
      );
  }

  private line(kernel: Kernel, c: number, at: Omit<LineNodes, 'c'>, count: number): LogPhiLine | undefined {
    const known = this.pathFor(c);
    const axis = this.axis(c);
    if (known === undefined || axis === undefined) return undefined;
    const { path, outputs } = known;
    const { phases, window } = this;
    const each = count / this.count;
    const product = new LineProduct(at.n);
    const floor = -this.depth - BELOW;
    const room = new Float64Array(PATH_ROWS * path.x.length);
    for (let k = 0; k < phases.length; k++) {
      const tilt = { c, logM: axis.log[k], doubt: axis.error[k] };
      const { rows, dropped } = termsOf(path, outputs[k], tilt, floor, room);
      const outside =
        1.01 * path.rule + leftOut(path, phases[k], c, window, axis.log[k]) + dropped * exp(floor);
      const sums = sumsOfRows(kernel, rows, at, outside);
      if (sums === undefined) return undefined;
      product.multiply(sums.re, sums.im, sums.wrong, sums.missing, each * phases[k].count);
    }
    return product.line();
  }

  private decay(c: number): Decay {
    return this.bounds.of(c, () => {
      const axis = this.axis(c);
      return new PhaseBounds(this.kernel, this.run, c, this.window, axis?.log);
    }).decay;
  }
}

/** The terms of a line through tilt c in units of M(c), from the first to the last that counts, as rows in `room`, and how many are left out. */
function termsOf(
  { logWeight, turn, blur }: PhasePath,
  { loss, angle, lossError }: TurnedOutputs,
  { c, logM, doubt }: { c: number; logM: number; doubt: number },
  floor: number,
  room: Float64Array,
): { rows: Float64Array; dropped: number } {
  const sizeAt = (j: number): number => logWeight[j] + c * loss[j] - logM;
  let [from, to] = [0, loss.length];
  while (from < to && sizeAt(from) < floor) from++;
  while (to > from && sizeAt(to - 1) < floor) to--;
  const m = to - from;
  const rows = room.subarray(0, PATH_ROWS * m);
  for (let i = 0, j = from; j < to; i++, j++) {
    const tilt = c * loss[j];
    const turned = c * angle[j];
    const start = turn[j] + turned;
    rows[i] = loss[j];
    rows[m + i] = angle[j];
    rows[2 * m + i] = logWeight[j] + tilt - logM;
    rows[3 * m + i] = start;
    rows[4 * m + i] =
      blur[j] +
      U * (3 * Math.abs(tilt) + 3 * Math.abs(logM) + 2 * Math.abs(start) + 2 * Math.abs(turned)) +
      2 * Math.abs(c) * lossError[j] +
      doubt;
    rows[5 * m + i] = 2 * lossError[j] + 4 * U * (Math.abs(loss[j]) + angle[j]);
  }
  return { rows, dropped: loss.length - m };
}

/** log of ∏ φ_k^{T_k} on a line: products of φ_k where powers are small whole numbers, which leave the phase known up to full turns, and sums of logarithms elsewhere. */
export class LineProduct {
  private readonly re: Float64Array;
  private readonly im: Float64Array;
  private readonly modulus: Float64Array;
  private readonly phase: Float64Array;
  private readonly error: Float64Array;
  private readonly quadrature: Float64Array;
  private readonly bounded: Uint8Array;
  private factors = 0;

  constructor(private readonly n: number) {
    [this.re, this.im, this.modulus, this.phase, this.error, this.quadrature] = [0, 1, 2, 3, 4, 5].map(
      () => new Float64Array(n),
    );
    this.re.fill(1);
    this.bounded = new Uint8Array(n);
  }

  /** By (1 + re + i·im)^count, |errors| ≤ `wrong` (rounding) and `missing` (the rest). */
  multiply(re: Float64Array, im: Float64Array, wrong: Float64Array, missing: number, count: number): void {
    const whole = count === Math.floor(count) && count <= MOST_FACTORS ? count : 0;
    this.factors += whole;
    for (let k = 0; k < this.n; k++) {
      const [x, y] = [1 + re[k], im[k]];
      const modulus = Math.sqrt(x * x + y * y);
      const doubt = (1.34 * (wrong[k] + missing)) / modulus;
      if (!(doubt < 0.33 && count * doubt < 0.4)) {
        this.modulus[k] += count * Math.min(0, log(modulus + wrong[k] + missing + 8 * U) + 4 * U);
        this.bounded[k] = 1;
        continue;
      }
      this.quadrature[k] += (1.34 * count * missing) / modulus;
      this.error[k] += (1.34 * count * wrong[k]) / modulus;
      for (let i = 0; i < whole; i++) {
        const real = this.re[k] * x - this.im[k] * y;
        this.im[k] = this.re[k] * y + this.im[k] * x;
        this.re[k] = real;
      }
      if (whole === 0) {
        const turn = count * atan2(y, x);
        this.modulus[k] += count * log(modulus);
        this.phase[k] += turn;
        this.error[k] +=
          8 * U * (count + Math.abs(turn) + Math.abs(this.modulus[k]) + Math.abs(this.phase[k]));
      }
      if (whole > 0 && Math.abs(this.re[k]) + Math.abs(this.im[k]) < 1e-100) this.take(k);
    }
  }

  /** Takes the product so far into the logarithm. */
  private take(k: number): void {
    const [x, y] = [this.re[k], this.im[k]];
    const turn = atan2(y, x);
    this.modulus[k] += log(Math.sqrt(x * x + y * y));
    this.phase[k] += turn;
    this.error[k] += 8 * U * (1 + Math.abs(this.modulus[k]) + Math.abs(this.phase[k]));
    [this.re[k], this.im[k]] = [1, 0];
  }

  line(): LogPhiLine {
    const { n, modulus, phase, error, quadrature, factors } = this;
    for (let k = 0; k < n; k++) {
      this.take(k);
      error[k] += 4 * U * factors;
      if (this.bounded[k] === 0) continue;
      // of some factors no more is known than a bound
      modulus[k] = Math.min(0, modulus[k] + error[k] + quadrature[k]);
      error[k] = Infinity;
    }
    return { logModulus: modulus, phase, error, quadrature };
  }
}
