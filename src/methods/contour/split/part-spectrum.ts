import { floats } from '../../../kernel/floats.js';
import { INVERSE_PI, U } from '../../../numeric/constants.js';
import { atan2, cosPi, exp, expm1, log, log1p, logModulus1p, sinPi } from '../../../numeric/scalar.js';
import { type CountedSpectrum, nearOf } from '../line/contour-plan.js';
import { addTables, emptyTable, type LineTable, tableOf } from '../line/line-table.js';
import type { PathSums } from '../step/path-sums.js';
import {
  type Cumulant,
  type Decay,
  eachStretch,
  type FarBounds,
  type LogPhiLine,
  type SpectralLaw,
  UNKNOWN,
} from '../step/spectral-law.js';
import { logarithms } from '../step/weighted-losses.js';
import type { Moments, WindowedGaussian } from '../step/windowed-gaussian.js';

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
  const at = (c: number): Cumulant =>
    cumulantOf(
      plain.map(({ law, count }) => law.cumulant(c, count)),
      phases.map(({ below, part, count }) => ({ u: below.moments(c), r: part?.moments(c), count })),
    );
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
    near: (tilts) => {
      const others = plain.map(({ law, count }) => nearOf(law, tilts, count));
      const each = phases.map(({ below, part, count }) => ({
        u: nearMoments(below, tilts),
        r: part && nearMoments(part, tilts),
        count,
      }));
      return Array.from(tilts, (_, i) =>
        cumulantOf(
          others.map((guesses) => ({ ...guesses[i], error: 0 })),
          each.map(({ u, r, count }) => ({ u: u[i], r: r?.[i], count })),
        ),
      );
    },
    line: (kernel, { c, dTau, n }) => {
      const empty = emptyTable(c, dTau, n);
      let [shared, inner] = [empty, empty];
      const plus = (table: LineTable, line: LogPhiLine) => addTables(table, tableOf(line, { c, dTau }));
      for (const { law, count } of plain) {
        const line = law.line(kernel, { c, dTau, n }, count);
        if (line === undefined) return undefined;
        shared = plus(shared, line);
      }
      const parts: Part[] = [];
      for (const { below, part, count } of phases) {
        const depth = 44 + log(count);
        const all = below.line(c, dTau, n, depth);
        const some = part?.line(c, dTau, n, depth);
        if (all === undefined || (part && some === undefined)) return undefined;
        const own = logarithms(kernel, all, count);
        if (part && some) {
          inner = plus(inner, own);
          parts.push({ all, some, count, ...ratioOf(below.moments(c), part.moments(c)) });
        } else shared = plus(shared, own);
      }
      return parts.length === 0 ? shared : ringLine(shared, addTables(shared, inner), parts, at(c));
    },
    decay: (c) => {
      if (memo?.c !== c) memo = { c, decay: decayOf(phases, plain, c) };
      return memo.decay;
    },
  };
}

/** The masses of U and of R under a tilt, of so many steps; no R where none is in the part. */
interface TiltedPhase {
  readonly u: Moments;
  readonly r: Moments | undefined;
  readonly count: number;
}

/** What is known to a few digits, and moments themselves beyond that. */
function nearMoments(law: WindowedGaussian, tilts: Float64Array): Moments[] {
  return law
    .near(tilts, 1)
    .map(({ value, mean, variance }, i) =>
      value < Infinity ? { log: value, error: 0, mean, variance } : law.moments(tilts[i]),
    );
}

/** R/U, and its relative error. */
function ratioOf(u: Moments, r: Moments): { ratio: number; ratioError: number } {
  return { ratio: Math.min(1, exp(r.log - u.log)), ratioError: u.error + r.error + 8 * U };
}

function cumulantOf(plain: readonly Cumulant[], phases: readonly TiltedPhase[]): Cumulant {
  let [value, error, mean, variance] = [0, 0, 0, 0];
  let [lambda, doubt, slope, bend] = [0, 0, 0, 0];
  let whole = true;
  for (const own of plain) {
    value += own.value;
    error += own.error;
    mean += own.mean;
    variance += own.variance;
  }
  for (const { u, r, count } of phases) {
    if (!(u.log < Infinity && (r === undefined || r.log < Infinity))) return UNKNOWN;
    value += count * u.log;
    error += count * (u.error + U * Math.abs(u.log)) + U * Math.abs(value);
    mean += count * u.mean;
    variance += count * u.variance;
    if (r === undefined) continue;
    whole = false;
    const { ratio, ratioError } = ratioOf(u, r);
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

/** A complex number e^{log + i·angle} and its relative error; where that is ∞, its modulus is e^{log} at most. */
interface Factor {
  readonly log: number;
  readonly angle: number;
  readonly error: number;
}

/** Where |R/U| of some steps passes this, N is the difference of two products, which keep their own digits; below it they would cancel. */
const APART = 0.5;

/**
 * log N(z)/N(c): N is F(1 − e^{−λ}), or ∏ U^T − ∏ (U − R)^T times what paths share. With windows |R(z)| may be far above |U(z)|, which has lost its digits then: the
 * product of U is no more than an error of the other.
 *
 * @param shared log of the factors without outputs in the part; `all` that of F.
 */
function ringLine(
  shared: LineTable,
  all: LineTable,
  parts: readonly Part[],
  { error: cumulantError }: Cumulant,
): LogPhiLine {
  const n = all.logModulus.length;
  const [logModulus, phase, error, quadrature] = [0, 1, 2, 3].map(() => floats(n));
  let lambdaAt0 = 0;
  for (const part of parts) lambdaAt0 -= part.count * logRest(part);
  const logWhole = log(-expm1(-lambdaAt0));
  for (let k = 1; k < n; k++) {
    const little = littleAt(parts, k);
    const before = little ? all : shared;
    const rest = little ?? differenceAt(parts, k);
    const own = before.logModulus[k] + rest.log - logWhole;
    const doubt = before.error[k] + rest.error;
    if (doubt < Infinity) {
      logModulus[k] = own;
      phase[k] = before.phase[k] + rest.angle;
      error[k] = doubt + cumulantError + 16 * U;
      quadrature[k] = before.quadrature[k];
    } else {
      const also = own + ifKnown(rest.error) + ifKnown(before.error[k]) + before.quadrature[k] + 1e-12;
      logModulus[k] = Math.min(0, also, ceilingAt(parts, k) - logWhole + 2 * cumulantError + 1e-12);
      error[k] = Infinity;
    }
  }
  return { logModulus, phase, error, quadrature };
}

/** log Σ T|R|/U(c), a bound of |N|. */
function ceilingAt(parts: readonly Part[], k: number): number {
  let size = 0;
  for (const { some, count, ratio } of parts)
    size +=
      count * ratio * (Math.sqrt((1 + some.re[k]) ** 2 + some.im[k] ** 2) + some.wrong[k] + some.missing);
  return log(size);
}

/** 1 − e^{−λ}, where all R/U are small. */
function littleAt(parts: readonly Part[], k: number): Factor | undefined {
  let [re, im, doubt] = [0, 0, 0];
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
    if (!(rho < APART && wrongAll < 0.2 && own < 0.1)) return undefined;
    const rest = Math.sqrt((1 - rhoRe) ** 2 + rhoIm ** 2);
    doubt += (1.6 * count * own) / rest;
    re -= count * logModulus1p(-rhoRe, -rhoIm);
    im -= count * atan2(-rhoIm, 1 - rhoRe);
  }
  if (!(doubt < 0.5)) return undefined;
  const turn = im * INVERSE_PI;
  const fall = expm1(Math.min(700, -re));
  const half = sinPi(turn / 2);
  const eRe = 2 * half * half * (1 + fall) - fall;
  const eIm = (1 + fall) * sinPi(turn);
  return factorOf(eRe, eIm, (1 + fall) * (1.3 * doubt + 8 * U * (Math.abs(re) + Math.abs(im))));
}

/** ∏ U^T − ∏ (U − R)^T over ∏ U(c)^T. */
function differenceAt(parts: readonly Part[], k: number): Factor {
  let [below, before] = [ONE, ONE];
  for (const { all, some, count, ratio, ratioError } of parts) {
    const [a, b] = [1 + all.re[k], all.im[k]];
    const [x, y] = [ratio * (1 + some.re[k]), ratio * some.im[k]];
    const wrong = all.wrong[k] + all.missing + U;
    const size = Math.sqrt(x * x + y * y);
    const also = ratio * (some.wrong[k] + some.missing) + size * (ratioError + 8 * U);
    below = times(below, factorOf(a, b, wrong), count);
    before = times(before, factorOf(a - x, b - y, wrong + also + 4 * U * Math.sqrt(a * a + b * b)), count);
  }
  const top = Math.max(below.log, before.log);
  let [re, im, wrong] = [0, 0, 0];
  for (const [sign, { log: height, angle, error }] of [
    [1, below],
    [-1, before],
  ] as const) {
    const size = exp(height - top);
    if (error < Infinity) {
      re += sign * size * cosPi(angle * INVERSE_PI);
      im += sign * size * sinPi(angle * INVERSE_PI);
    }
    wrong += size * (error < Infinity ? 1.3 * error + 16 * U : 1);
  }
  const { log: height, angle, error } = factorOf(re, im, wrong);
  return { log: height + top, angle, error: error + 2 * U * Math.abs(top) };
}

const ONE: Factor = { log: 0, angle: 0, error: 0 };

/** f·g^count. */
function times(f: Factor, g: Factor, count: number): Factor {
  const error = f.error + count * g.error;
  const height = f.log + count * g.log;
  const angle = f.angle + count * g.angle;
  if (error < 0.4) return { log: height, angle, error: error + 2 * U * (Math.abs(height) + Math.abs(angle)) };
  return { log: height + ifKnown(f.error) + count * ifKnown(g.error), angle: 0, error: Infinity };
}

/** What a modulus may be larger by, a logarithm: one that is only a bound (∞) has its error in it. */
function ifKnown(error: number): number {
  return error < Infinity ? error : 0;
}

/** re + i·im, known to `wrong`. */
function factorOf(re: number, im: number, wrong: number): Factor {
  const modulus = Math.sqrt(re * re + im * im);
  return wrong < 0.2 * modulus
    ? { log: log(modulus), angle: atan2(im, re), error: (1.3 * wrong) / modulus + 8 * U }
    : { log: log(modulus + wrong) + 8 * U, angle: 0, error: Infinity };
}

/** Of the part that all others lie outside of. */
function innermostDecay(phases: readonly PartPhase[], plain: readonly CountedSpectrum[], c: number): Decay {
  const others = plain.map(({ law, count }) => ({ decay: law.decay(c), count }));
  const parts = phases.map(({ below, count }) => ({
    count,
    bound: below.bound(c),
    logV: below.logVariation(c),
  }));
  return {
    bounds: (kernel, taus, enough) => {
      const sum = new Float64Array(taus.length - 1);
      for (const { count, bound } of parts) {
        if (!(sum[0] > FAINT)) break;
        const own = bound(taus.subarray(0, sum.length));
        for (let i = 0; i < sum.length; i++) sum[i] += count * Math.min(0, own[i]);
      }
      for (const { decay, count } of others) {
        const own = decay.bounds(kernel, taus, enough / count);
        for (let i = 0; i < sum.length; i++) sum[i] += count * Math.min(0, own[i]);
      }
      return sum;
    },
    beyond: (from) => {
      let [sum, power] = [0, 0];
      for (const { count, bound, logV } of parts) {
        const [near] = bound(Float64Array.of(from));
        const far = (1 - SHARE) * near + SHARE * (logV - log(from));
        if (far < 0) [sum, power] = [sum + count * far, power + count * SHARE];
      }
      return { log: sum, power };
    },
  };
}

function decayOf(phases: readonly PartPhase[], plain: readonly CountedSpectrum[], c: number): Decay {
  if (phases.every(({ part }) => part === undefined)) return innermostDecay(phases, plain, c);
  // log of T R/U over 1 − e^{−λ}
  let lambda = 0;
  const parts: { weight: number; bound: FarBounds; logV: number }[] = [];
  for (const { below, part, count } of phases) {
    if (part === undefined) continue;
    lambda -= count * logRest(ratioOf(below.moments(c), part.moments(c)));
    const weight = log(count) + part.moments(c).log - below.moments(c).log;
    const bound = part.bound(c);
    parts.push({ weight, bound, logV: part.logVariation(c) });
  }
  const whole = log(-expm1(-lambda));
  // log Σ e^{weight + each} over parts at each frequency
  const total = (taus: Float64Array, each: (of: (typeof parts)[number]) => Float64Array): Float64Array => {
    const sums = new Float64Array(taus.length);
    for (const part of parts) {
      const logs = each(part);
      for (let i = 0; i < sums.length; i++) sums[i] += exp(Math.min(700, part.weight - whole + logs[i]));
    }
    return sums.map((sum) => log(sum) + 1e-9);
  };
  const within: FarBounds = (taus) => total(taus, ({ bound }) => bound(taus)).map((log) => Math.min(0, log));
  return {
    bounds: eachStretch(within),
    beyond: (from) => {
      const at = Float64Array.of(from);
      const [near] = within(at);
      const [steep] = total(at, ({ logV }) => Float64Array.of(logV - log(from)));
      const far = (1 - SHARE) * near + SHARE * steep;
      return far < 0 ? { log: far, power: SHARE } : { log: 0, power: 0 };
    },
  };
}
