import type { Kernel } from '../../../kernel/kernel.js';
import { CompensatedSum } from '../../../numeric/compensated-sum.js';
import { U } from '../../../numeric/constants.js';
import { exp, log, log1p } from '../../../numeric/scalar.js';
import { powerExcess } from './power-excess.js';
import { type Cumulant, type LineNodes, type LogPhiLine, MAX_WORK } from './spectral-law.js';
import { logPhiRows } from './weighted-losses.js';

/** A discrete law of one step, P-masses unit·e^{logMass} on losses: M(z) is a sum over them, at any tilt. */
export interface Masses {
  readonly unit: number;
  readonly logMass: Float64Array;
  readonly loss: Float64Array;
  /** Absolute errors of logMass and of loss. */
  readonly massError: Float64Array;
  readonly lossError: Float64Array;
}

/** Masses with E_P[e^y − 1] = 0, as P and Q have all their mass on them. Also e^y − 1, and its absolute error. */
export interface CentredMasses extends Masses {
  readonly excess: Float64Array;
  readonly excessError: Float64Array;
}

/** Truncation and quadrature error of a sum that represents M(c): relative to the largest term for sums of logarithms, and relative to M(c). */
interface Lacking {
  readonly most?: number;
  readonly share?: number;
}

/** Terms below e^{−this} of the error that a contour has anyway are left out and counted. Only speed depends on it. */
const SPARE = 8;
/** For cy > 30, u^c − 1 − cv = u^c to double precision. */
const STEEP = 30;

/** log of a term of M(c), relative to the unit. */
function logTerm({ logMass, loss }: Masses, c: number, j: number): number {
  return logMass[j] + c * loss[j];
}

/** The largest such term; the kernel gives the same bits as the loop here. */
export function topOf(masses: Masses, c: number, kernel?: Kernel): number {
  if (kernel) return kernel.largestTerm(masses, c);
  let top = -Infinity;
  for (let j = 0; j < masses.loss.length; j++) top = Math.max(top, logTerm(masses, c, j));
  return top;
}

/** Relative error of e^{logTerm − top}: the stated one, a rounding of each product, sum and difference, and that of the exponential. */
function termError(
  { logMass, loss, massError, lossError }: Masses,
  c: number,
  j: number,
  top: number,
): number {
  const roundings = 4 + 2 * Math.abs(logMass[j]) + 3 * Math.abs(c * loss[j]) + 2 * Math.abs(top);
  return massError[j] + Math.abs(c) * lossError[j] + U * roundings;
}

/** Σ f, Σ fy and Σ fy² over the terms f of M(c), and a bound of their relative error. */
class Moments {
  mass = 0;
  errorSum = 0;
  first = 0;
  second = 0;

  add(f: number, y: number, errorSum: number): void {
    this.mass += f;
    this.first += f * y;
    this.second += f * y * y;
    this.errorSum += errorSum;
  }

  static of([mass, first, second, errorSum]: Float64Array): Moments {
    return Object.assign(new Moments(), { mass, first, second, errorSum });
  }

  /** Approximate mean and variance of the tilted loss, times count. */
  spread(count: number): { mean: number; variance: number } {
    const mean = this.first / this.mass;
    return {
      mean: count * mean,
      variance: count * Math.max(this.second / this.mass - mean * mean, 1e-300),
    };
  }
}

/**
 * count·log M(c) from the log of the sum of terms, where M is far from 1 or masses are not centred.
 *
 * Ensures: within the error stated, of masses, losses, roundings and what the sum lacks.
 */
export function logarithmOf(
  masses: Masses,
  c: number,
  count: number,
  { most = 0, share = 0 }: Lacking,
  kernel?: Kernel,
): Cumulant {
  const { loss, unit } = masses;
  const top = topOf(masses, c, kernel);
  const sums = kernel ? Moments.of(kernel.powerSums(masses, c, top)) : new Moments();
  for (let j = 0; !kernel && j < loss.length; j++) {
    const f = exp(logTerm(masses, c, j) - top);
    sums.add(f, loss[j], f * termError(masses, c, j, top));
  }
  const { mass, errorSum } = sums;
  const value = count * (top + log(mass * unit));
  const relative = errorSum / mass + loss.length * U + most / (mass * unit) + share;
  return {
    value,
    error: count * (1.001 * relative + 4 * U * Math.abs(top)) + 4 * U * Math.abs(value),
    ...sums.spread(count),
  };
}

/**
 * count·log M(c) near 1, without cancellation. M(c) − 1 = E_P[u^c − 1 − c(u − 1)], u = e^y, as E_P[u] = 1. The terms have one sign, so count·log M
 * keeps its relative accuracy. An error d of u − 1 changes a term by c(u^{c−1} − 1)d. That is below 3|c(c − 1)(u − 1)d| where |u − 1| max(1, |c|) <
 * 0.3. Ensures: within the error stated.
 */
export function riseOf(
  masses: CentredMasses,
  c: number,
  count: number,
  { most = 0, share = 0 }: Lacking,
): Cumulant {
  const { unit } = masses;
  const { sums, rise } = risesOf(masses, c);
  const above = rise * unit;
  const value = count * log1p(above);
  const lost = sums.errorSum * unit + most + share * sums.mass * unit;
  return {
    value,
    error: (count * lost * 1.001) / (1 + above) + 6 * U * Math.abs(value),
    ...sums.spread(count),
  };
}

/** Sums of f, fy and fy², f = e^{logMass + cy}, and of e^{logMass}(u^c − 1 − c(u − 1)) with its error. */
function risesOf(masses: CentredMasses, c: number) {
  const { loss, logMass, massError, lossError, excess, excessError } = masses;
  const size = Math.abs(c);
  const sums = new Moments();
  const rise = new CompensatedSum();
  for (let j = 0; j < loss.length; j++) {
    const p = exp(logMass[j]);
    const [y, v] = [loss[j], excess[j]];
    let [f, term, inexact] = [0, 0, 0];
    if (c * y > STEEP) {
      // combined in one exponential it neither overflows nor underflows
      f = exp(logTerm(masses, c, j));
      term = f - p * (1 + c * v);
      inexact = p * size * (4 * U * Math.abs(v) + excessError[j]) + f * termError(masses, c, j, 0);
    } else {
      const { value, error } = powerExcess(c, v, y);
      f = p * (1 + c * v + value);
      term = p * value;
      const near = Math.abs(v) * Math.max(1, size) < 0.3;
      inexact =
        p * error +
        size *
          (near
            ? 3 * p * Math.abs((c - 1) * v) * excessError[j]
            : p * excessError[j] + Math.max(0, f) * lossError[j]);
    }
    rise.add(term);
    sums.add(f, y, inexact + Math.abs(term) * (massError[j] + U * (12 + 2 * Math.abs(logMass[j]))));
  }
  return { sums, rise: rise.value };
}

/**
 * count·log φ along a contour, φ(τ) = M(c + iτ)/M(c); undefined where that would cost too much.
 *
 * Ensures: log φ is within the errors stated: rounding, and quadrature with the terms left out.
 */
export function lineOf(
  kernel: Kernel,
  masses: Masses,
  { c, dTau, n }: LineNodes,
  count: number,
  { most = 0, share = 0 }: Lacking,
): LogPhiLine | undefined {
  const top = topOf(masses, c, kernel);
  const floor = top + log(share) - SPARE;
  const kept: number[] = [];
  for (let j = 0; j < masses.loss.length; j++) if (logTerm(masses, c, j) >= floor) kept.push(j);
  if (kept.length * n > MAX_WORK) return undefined;
  const loss = Float64Array.from(kept, (j) => masses.loss[j]);
  const weight = Float64Array.from(kept, (j) => exp(logTerm(masses, c, j) - top));
  let [mass, size, sizeError, massError, shift] = [0, 0, 0, 0, 0];
  for (const [i, j] of kept.entries()) {
    const errorSum = weight[i] * termError(masses, c, j, top);
    mass += weight[i];
    size += weight[i] * Math.abs(loss[i]);
    sizeError += errorSum * Math.abs(loss[i]);
    massError += errorSum;
    shift += weight[i] * masses.lossError[j];
  }
  const dropped = masses.loss.length - kept.length;
  // errors of M(c + iτ) and of M(c)
  const truncation = (2.1 * (dropped * exp(floor - top) + most / masses.unit)) / mass + 2.1 * share;
  const law = { loss, weight, mass, size, sizeError, massError, shift, adding: loss.length * U, truncation };
  return logPhiRows(kernel.logPhi(law, { dTau, n }, count));
}
