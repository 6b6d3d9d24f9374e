import { INVERSE_PI, U } from '../../../numeric/constants.js';
import { Recent } from '../../../numeric/recent.js';
import { atan2, exp, expm1, log, log1p, logModulus1p, sinPi } from '../../../numeric/scalar.js';
import type { CountedSpectrum } from '../line/contour-plan.js';
import { addTables, emptyTable, type LineTable, tableOf } from '../line/line-table.js';
import type { PathSums } from '../step/path-sums.js';
import {
  type Cumulant,
  type Decay,
  eachStretch,
  type LogPhiLine,
  type SpectralLaw,
  UNKNOWN,
} from '../step/spectral-law.js';
import { logarithms } from '../step/weighted-losses.js';
import type { WindowedGaussian } from './windowed-gaussian.js';

/** Bounds kept of one line; only speed hangs on it. */
const KEPT = 1024;
/** Sums of |φ| below e^{this} count for nothing. */
const FAINT = -900;
/** Share of the bound V/τ in those beyond a frequency. */
const SHARE = 0.02;

/** `count` steps: those with no loss above the part, and of these the ones in it (undefined in the innermost part, which is all of them, and where none is in it). */
export interface PartPhase {
  readonly below: WindowedGaussian;
  readonly part: WindowedGaussian | undefined;
  readonly count: number;
}

/**
 * A run restricted to the paths whose largest single loss lies in a part: with U_j the steps whose outputs are below the part's upper
 * end, R_j those in the part (windows with soft edges, `output-window.ts`),
 *   N(z) = ∏ U_j^{T_j} − ∏ (U_j − R_j)^{T_j} = F(1 − e^{−λ}), F = ∏ U_j^{T_j}, λ = −Σ T_j log(1 − R_j/U_j),
 * a positive measure. Parts that share their edges, from the innermost (R_j = U_j, N = F) to the outermost (no upper end), add
 * up to the run. Each has light tails above and, where R_j/U_j is small, the smoothness of R_j: as |U_j(z)|, |U_j(z) − R_j(z)| ≤ U_j(c),
 *   |N(z)|/N(c) ≤ Σ T_j (R_j/U_j)(c)·|R_j(z)/R_j(c)|/(1 − e^{−λ(c)}).
 *
 * @param plain Further steps, without windows: part of F.
 */
export function partSpectrum(phases: readonly PartPhase[], plain: readonly CountedSpectrum[]): SpectralLaw {
  const at = (c: number): Cumulant => cumulantOf(phases, plain, c);
  const [p, q] = [at(0), at(1)];
  const massError = Math.max(p.error, q.error);
  let memo: { c: number; decay: Decay } | undefined;
  return {
    logMassP: p.value,
    logMassQ: q.value,
    cumulant: (c) => {
      const own = at(c);
      return { ...own, error: own.error + massError };
    },
    line: (kernel, { c, dTau, n }) => {
      let table = emptyTable(c, dTau, n);
      const add = (line: LogPhiLine): void => {
        table = addTables(table, tableOf(line, { c, dTau }));
      };
      for (const { law, count } of plain) {
        const line = law.line(kernel, { c, dTau, n }, count);
        if (line === undefined) return undefined;
        add(line);
      }
      const parts: Part[] = [];
      for (const { below, part, count } of phases) {
        const depth = 44 + log(count);
        const all = below.line(kernel, c, dTau, n, depth);
        const some = part?.line(kernel, c, dTau, n, depth);
        if (all === undefined || (part && some === undefined)) return undefined;
        add(logarithms(kernel, all, count));
        if (part && some) parts.push({ all, some, count, ...ratioOf(below, part, c) });
      }
      return parts.length === 0 ? table : ringLine(table, parts, at(c));
    },
    decay: (c) => {
      if (memo?.c !== c) memo = { c, decay: decayOf(phases, plain, c) };
      return memo.decay;
    },
  };
}

/** R/U at c, and its relative error. */
function ratioOf(
  below: WindowedGaussian,
  part: WindowedGaussian,
  c: number,
): { ratio: number; ratioError: number } {
  const u = below.moments(c);
  const r = part.moments(c);
  return { ratio: Math.min(1, exp(r.log - u.log)), ratioError: u.error + r.error + 8 * U };
}

function cumulantOf(phases: readonly PartPhase[], plain: readonly CountedSpectrum[], c: number): Cumulant {
  let [value, error, mean, variance] = [0, 0, 0, 0];
  let [lambda, doubt, slope, bend] = [0, 0, 0, 0];
  let whole = true;
  for (const { law, count } of plain) {
    const own = law.cumulant(c, count);
    value += own.value;
    error += own.error;
    mean += own.mean;
    variance += own.variance;
  }
  for (const { below, part, count } of phases) {
    const u = below.moments(c);
    if (!(u.log < Infinity)) return UNKNOWN;
    value += count * u.log;
    error += count * (u.error + U * Math.abs(u.log)) + U * Math.abs(value);
    mean += count * u.mean;
    variance += count * u.variance;
    if (part === undefined) continue;
    whole = false;
    const r = part.moments(c);
    if (!(r.log < Infinity)) return UNKNOWN;
    const { ratio, ratioError } = ratioOf(below, part, c);
    const rest = Math.max(1 - ratio, ratioError);
    lambda -= count * logRest({ ratio, ratioError });
    doubt += (count * ratio * ratioError) / rest;
    // derivatives of λ
    const first = ratio * (r.mean - u.mean);
    const second = ratio * ((r.mean - u.mean) ** 2 + r.variance - u.variance);
    slope += (count * first) / rest;
    bend += count * (second / rest + (first / rest) ** 2);
  }
  if (whole) return { value, error, mean, variance };
  const odds = expm1(Math.min(700, lambda));
  value += log(-expm1(-lambda));
  error += expm1(Math.min(700, doubt)) / odds + 4 * U + U * Math.abs(value);
  mean += slope / odds;
  variance += bend / odds - (slope / odds) ** 2 * (1 + odds);
  return { value, error, mean, variance: Math.max(0, variance) };
}

/** log(1 − R/U). */
function logRest({ ratio, ratioError }: { ratio: number; ratioError: number }): number {
  return ratio < 0.5 ? log1p(-ratio) : log(Math.max(1 - ratio, ratioError));
}

interface Part {
  readonly all: PathSums;
  readonly some: PathSums;
  readonly count: number;
  readonly ratio: number;
  readonly ratioError: number;
}

/** log N(z)/N(c) from log F(z)/F(c) and the sums of each phase. */
function ringLine(table: LineTable, parts: readonly Part[], { error: cumulantError }: Cumulant): LogPhiLine {
  const n = table.logModulus.length;
  const logModulus = new Float64Array(n);
  const phase = new Float64Array(n);
  const error = new Float64Array(n);
  let lambdaAt0 = 0;
  for (const part of parts) lambdaAt0 -= part.count * logRest(part);
  const whole = -expm1(-lambdaAt0);
  for (let k = 1; k < n; k++) {
    let [re, im, doubt, size, most] = [0, 0, 0, 0, 0];
    for (const { all, some, count, ratio, ratioError } of parts) {
      // ρ = ratio·(R(z)/R(c))/(U(z)/U(c))
      const [a, b] = [1 + all.re[k], all.im[k]];
      const norm = a * a + b * b;
      const [x, y] = [1 + some.re[k], some.im[k]];
      const rhoRe = (ratio * (x * a + y * b)) / norm;
      const rhoIm = (ratio * (y * a - x * b)) / norm;
      const modulus = Math.sqrt(norm);
      const rho = Math.sqrt(rhoRe * rhoRe + rhoIm * rhoIm);
      const wrongAll = (all.wrong[k] + all.missing) / modulus;
      const own = (ratio * (some.wrong[k] + some.missing)) / modulus + rho * (wrongAll + ratioError + 8 * U);
      const rest = Math.sqrt((1 - rhoRe) ** 2 + rhoIm ** 2);
      doubt += wrongAll < 0.2 && own < 0.2 * rest ? (1.6 * count * own) / rest : Infinity;
      most += wrongAll < 0.2 ? count * log(rest + 1.6 * own) : Infinity;
      re -= count * logModulus1p(-rhoRe, -rhoIm);
      im -= count * atan2(-rhoIm, 1 - rhoRe);
      size += count * ratio * (Math.sqrt(x * x + y * y) + some.wrong[k] + some.missing);
    }
    // 1 − e^{−λ}, or 1 where e^{−λ} has lost its digits
    const known = doubt < 0.5;
    const turn = known ? im * INVERSE_PI : 0;
    const fall = known ? expm1(Math.min(700, -re)) : -1;
    const half = sinPi(turn / 2);
    const eRe = 2 * half * half * (1 + fall) - fall;
    const eIm = (1 + fall) * sinPi(turn);
    const modulus = Math.sqrt(eRe * eRe + eIm * eIm);
    const own = (1 + fall) * (1.3 * doubt + 8 * U * (Math.abs(re) + Math.abs(im)));
    const wrong = (known ? own : exp(Math.min(700, most))) + 8 * U * modulus;
    const sound = table.error[k] < Infinity && wrong < 0.2 * modulus;
    const ceiling = Math.min(0, log(size / whole) + 2 * cumulantError + 1e-12);
    if (sound) {
      logModulus[k] = table.logModulus[k] + log(modulus / whole);
      phase[k] = table.phase[k] + atan2(eIm, eRe);
      error[k] = table.error[k] + (1.3 * wrong) / modulus + cumulantError + 16 * U;
    } else {
      const also =
        table.logModulus[k] + table.error[k] + table.quadrature[k] + log((modulus + wrong) / whole);
      logModulus[k] = Math.min(ceiling, also < Infinity ? also : 0);
      error[k] = Infinity;
    }
  }
  return { logModulus, phase, error, quadrature: table.quadrature };
}

function decayOf(phases: readonly PartPhase[], plain: readonly CountedSpectrum[], c: number): Decay {
  const others = plain.map(({ law, count }) => ({ decay: law.decay(c), count }));
  if (phases.every(({ part }) => part === undefined)) {
    const parts = phases.map(({ below, count }) => {
      const bound = below.bound(c);
      return { count, bound: kept(bound), cells: below.cells(c), logV: below.logVariation(c) };
    });
    return {
      bounds: (kernel, taus, enough) => {
        const sum = new Float64Array(taus.length - 1);
        const add = (count: number, own: Float64Array, also = (_tau: number) => 0): void => {
          for (let i = 0; i < sum.length; i++)
            if (sum[i] > FAINT) sum[i] += count * Math.min(own[i], also(taus[i]));
        };
        for (const { decay, count } of others) add(count, decay.bounds(kernel, taus, enough / count));
        for (const { count, cells, bound } of parts) {
          if (sum.every((one) => one <= FAINT)) break;
          add(count, cells.bounds(kernel, taus, enough / count), bound);
        }
        return sum;
      },
      beyond: (from) => {
        let [sum, power] = [0, 0];
        for (const { count, bound, logV } of parts) {
          const far = (1 - SHARE) * bound(from) + SHARE * (logV - log(from));
          if (far < 0) [sum, power] = [sum + count * far, power + count * SHARE];
        }
        return { log: sum, power };
      },
    };
  }
  // log of T R/U over 1 − e^{−λ}
  let lambda = 0;
  const parts: { weight: number; bound: (tau: number) => number; logV: number }[] = [];
  for (const { below, part, count } of phases) {
    if (part === undefined) continue;
    lambda -= count * logRest(ratioOf(below, part, c));
    const weight = log(count) + part.moments(c).log - below.moments(c).log;
    const bound = part.bound(c);
    parts.push({ weight, bound: kept(bound), logV: part.logVariation(c) });
  }
  const whole = log(-expm1(-lambda));
  const total = (each: (of: (typeof parts)[number]) => number): number => {
    let sum = 0;
    for (const part of parts) sum += exp(Math.min(700, part.weight - whole + each(part)));
    return log(sum) + 1e-9;
  };
  const within = (from: number): number =>
    Math.min(
      0,
      total(({ bound }) => bound(from)),
    );
  return {
    bounds: eachStretch(within),
    beyond: (from) => {
      const far = (1 - SHARE) * within(from) + SHARE * total(({ logV }) => logV - log(from));
      return far < 0 ? { log: far, power: SHARE } : { log: 0, power: 0 };
    },
  };
}

/** A function of few arguments, each worked out once. */
function kept(f: (x: number) => number): (x: number) => number {
  const known = new Recent<number, number>(KEPT);
  return (x) => known.of(x, f);
}
