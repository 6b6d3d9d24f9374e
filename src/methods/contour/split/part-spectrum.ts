import { floats, joined } from '../../../kernel/floats.js';
import type { Kernel } from '../../../kernel/kernel.js';
import { PART_NUMBERS } from '../../../kernel/kernel-table.js';
import { U } from '../../../numeric/constants.js';
import { exp, expm1, log, log1p } from '../../../numeric/scalar.js';
import { type CountedSpectrum, nearOf } from '../line/contour-plan.js';
import { addTables, emptyTable, type LineTable, tableOf } from '../line/line-table.js';
import { EVERYTHING } from '../step/output-window.js';
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
import { logarithms, logPhiRows, rowsOfLine } from '../step/weighted-losses.js';
import type { Moments, WindowedGaussian } from '../step/windowed-gaussian.js';

/** Sums of |φ| below e^{this} count for nothing. */
const FAINT = -900;
/** Share of the bound V/τ in those beyond a frequency. */
const SHARE = 0.02;

/** `count` steps: those with no loss above the part, and of these the ones in it. The latter is undefined in the innermost part, which is all of them, and where none is in it. */
export interface PartPhase {
  readonly below: WindowedGaussian;
  readonly part: WindowedGaussian | undefined;
  readonly count: number;
}

/**
 * A run restricted to the paths whose largest single loss lies in a part. U_j are the steps whose outputs are below the part's upper
 * end, R_j those in the part (windows with soft edges, `output-window.ts`);
 *   N(z) = ∏ U_j^{T_j} − ∏ (U_j − R_j)^{T_j} = F(1 − e^{−λ}), F = ∏ U_j^{T_j}, λ = −Σ T_j log(1 − R_j/U_j).
 * It is a positive measure. Parts that share their edges, from the innermost (R_j = U_j, N = F) to the outermost (no upper end), add
 * up to the run. Each has light tails above and, where R_j/U_j is small, the smoothness of R_j. As |U_j(z)|, |U_j(z) − R_j(z)| ≤ U_j(c),
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
  const [p, q] = massesOf(phases, plain) ?? [at(0), at(1)];
  const massError = Math.max(p.error, q.error);
  let memo: { c: number; decay: Decay } | undefined;
  return {
    logMassP: p.value,
    logMassQ: q.value,
    massError,
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
      return parts.length === 0 ? shared : ringLine(kernel, shared, addTables(shared, inner), parts, at(c));
    },
    decay: (c) => {
      if (memo?.c !== c) memo = { c, decay: decayOf(phases, plain, c) };
      return memo.decay;
    },
  };
}

/** log of the P- and Q-mass of a whole run, which are what its laws say; undefined of others. */
function massesOf(
  phases: readonly PartPhase[],
  plain: readonly CountedSpectrum[],
): Pick<Cumulant, 'value' | 'error'>[] | undefined {
  if (!phases.every(({ below, part }) => part === undefined && below.window === EVERYTHING)) return undefined;
  return (['logMassP', 'logMassQ'] as const).map((of) => ({
    value: plain.reduce((sum, { law, count }) => sum + count * law[of], 0),
    error: 0,
  }));
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
  let [lambda, errorBound, slope, bend] = [0, 0, 0, 0];
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
    errorBound += (count * ratio * ratioError) / rest;
    // derivatives of λ
    const first = ratio * (r.mean - u.mean);
    const second = ratio * ((r.mean - u.mean) ** 2 + r.variance - u.variance);
    slope += (count * first) / rest;
    bend += count * (second / rest + (first / rest) ** 2);
  }
  if (whole) return { value, error, mean, variance };
  const odds = expm1(Math.min(700, lambda));
  value += log(-expm1(-lambda));
  error += expm1(Math.min(700, errorBound)) / odds + 4 * U + U * Math.abs(value);
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

/**
 * log N(z)/N(c) (`Kernel.partLine`).
 *
 * @param shared log of the factors without outputs in the part; `all` that of F.
 */
function ringLine(
  kernel: Kernel,
  shared: LineTable,
  all: LineTable,
  parts: readonly Part[],
  { error }: Cumulant,
): LogPhiLine {
  const phases = joined(parts.flatMap(({ all: u, some: r }) => [u.re, u.im, u.wrong, r.re, r.im, r.wrong]));
  const numbers = floats(PART_NUMBERS * parts.length);
  let lambda = 0;
  for (const [p, part] of parts.entries()) {
    const { all: u, some: r, count, ratio, ratioError } = part;
    numbers.set([count, ratio, ratioError, u.missing, r.missing], PART_NUMBERS * p);
    lambda -= count * logRest(part);
  }
  const logWhole = log(-expm1(-lambda));
  const rows = kernel.partLine(rowsOfLine(shared), rowsOfLine(all), phases, numbers, { logWhole, error });
  return logPhiRows(rows);
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
