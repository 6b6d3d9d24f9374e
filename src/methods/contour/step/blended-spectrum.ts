import { floats, joined } from '../../../kernel/floats.js';
import type { Kernel } from '../../../kernel/kernel.js';
import { INVERSE_PI, U } from '../../../numeric/constants.js';
import { logSum } from '../../../numeric/log-arithmetic.js';
import { LruCache } from '../../../numeric/lru-cache.js';
import { charge } from '../../../numeric/meter.js';
import { cosPi, exp, expm1, log, log1p, sinPi } from '../../../numeric/scalar.js';
import {
  type Cumulant,
  type Decay,
  type LineNodes,
  type LogPhiLine,
  logMassLeft,
  NO_DECAY,
  type SpectralLaw,
  type TruncatedLaw,
  UNKNOWN,
} from './spectral-law.js';
import { logPhiRows } from './weighted-losses.js';

/** The law of one branch of a mixture, and the probability that the branch is drawn. */
export interface Blended {
  readonly weight: number;
  readonly law: SpectralLaw;
}

/**
 * Largest log M_i(c) at which Σ w_i(M_i − 1) is summed, to keep the digits of M near 1; w_i and M_i are a branch's weight and moment generating
 * function. Only width depends on it.
 */
const HIGHEST = 30;
/** Number of truncated laws, and of bounds of |φ(τ)| = |M(c + iτ)|/M(c), cached for each step. Only speed depends on it. */
const KEPT = 16;
/** Units of work charged for each node of a contour and each branch. */
const NODE_PRICE = 60;
/** Upper bound of the relative rounding error of a few sums of positive terms. */
const SUMMED = 1e-14;

/**
 * The law of a step that draws one of several branches with known probabilities w_i and publishes which: M(z) = Σ w_i M_i(z). The weights sum to 1
 * but for a rounding.
 *
 * Ensures: log M and log φ are within their stated errors, and |φ(τ)| = |M(c + iτ)|/M(c) below its bounds. This holds for any weights within
 * `relative` of those given.
 */
export function blendedSpectrum(parts: readonly Blended[], relative: number): SpectralLaw {
  const cuts = new LruCache<string, TruncatedLaw | undefined>(KEPT);
  const isCut = parts.some(({ law }) => law.cut !== undefined);
  return {
    ...lawOf(parts, relative),
    isSymmetric: parts.every(({ law }) => law.isSymmetric === true),
    ...(isCut && {
      cut: (kernel, logMass, depth, logFew, width) =>
        cuts.of(`${logMass}/${depth}/${logFew}/${width}`, () =>
          cutOf(parts, relative, (law) => law.cut?.(kernel, logMass, depth, logFew, width)),
        ),
    }),
  };
}

/**
 * The mixture with each branch truncated where it can be. The mass removed is Σ w_i·(mass removed from branch i). Undefined if no branch is
 * truncated. Ensures: the masses removed are no more than stated.
 */
function cutOf(
  parts: readonly Blended[],
  relative: number,
  cut: (law: SpectralLaw) => TruncatedLaw | undefined,
): TruncatedLaw | undefined {
  const each = parts.map(({ weight, law }) => ({ weight, whole: law, by: cut(law) }));
  if (each.every(({ by }) => by === undefined)) return undefined;
  const lost = (of: (by: TruncatedLaw) => number): number =>
    Math.min(
      0,
      each.reduce((sum, { weight, by }) => logSum(sum, by ? log(weight) + of(by) : -Infinity), -Infinity) +
        SUMMED,
    );
  const [logLostP, logLostQ] = [lost(({ logLostP: p }) => p), lost(({ logLostQ: q }) => q)];
  const ends = (of: (by: TruncatedLaw) => number | undefined, most: number): number[] =>
    each.map(({ by }) => (by && of(by)) ?? most);
  const law = lawOf(
    each.map(({ weight, whole, by }) => ({ weight, law: by?.law ?? whole })),
    relative,
  );
  const [logMassP, logMassQ] = [logLostP, logLostQ].map(logMassLeft);
  return {
    law: { ...law, logMassP, logMassQ, massError: SUMMED },
    logLostP,
    logLostQ,
    largest: Math.min(...ends(({ largest }) => largest, Infinity)),
    steepest: Math.min(...ends(({ steepest }) => steepest, Infinity)),
    smallest: Math.max(...ends(({ smallest }) => smallest, -Infinity)),
  };
}

/** The law with M(z) = Σ w_i M_i(z). `relative` bounds the relative error of the weights. Ensures: values are within their errors. */
function lawOf(parts: readonly Blended[], relative: number): SpectralLaw {
  const decays = new LruCache<number, Decay>(KEPT);
  return {
    logMassP: 0,
    logMassQ: 0,
    massError: Math.max(...parts.map(({ law }) => law.massError ?? 0)),
    cumulant: (c, count) => times(tiltedAt(parts, c, relative).all, count),
    line: (kernel, nodes, count) => line(kernel, parts, nodes, { count, relative }),
    decay: (c) => decays.of(c, () => decayOf(parts, c, tiltedAt(parts, c, relative))),
  };
}

/** log M at a tilt c, and the branches' `shares` w_i M_i(c)/M(c), w_i the weights. `wrong` bounds the relative error of the shares. */
interface Tilted {
  readonly all: Cumulant;
  readonly shares: readonly number[];
  readonly wrong: number;
}

/** The cumulants of `count` independent steps: count times those of one, with a rounding. */
function times({ value, error, mean, variance }: Cumulant, count: number): Cumulant {
  const all = count * value;
  return {
    value: all,
    error: count * error + U * Math.abs(all),
    mean: count * mean,
    variance: count * variance,
  };
}

/**
 * log M(c) = log Σ w_i M_i(c), as log1p(Σ w_i(M_i(c) − 1)) where M is near 1. Mean and variance of the tilted loss are those of the mixture with
 * the shares as weights. Ensures: within the error stated, and so are the shares.
 */
function tiltedAt(parts: readonly Blended[], c: number, relative: number): Tilted {
  const each = parts.map(({ weight, law }) => ({ weight, ...law.cumulant(c, 1) }));
  const top = Math.max(...each.map(({ value }) => value));
  const worst = Math.max(...each.map(({ error }) => error)) + relative;
  if (!(top < Infinity && worst < 0.01)) return { all: UNKNOWN, shares: [], wrong: Infinity };
  const scale = top > HIGHEST ? top : 0;
  const masses = each.map(({ weight, value }) => weight * exp(value - scale));
  const sum = masses.reduce((a, b) => a + b, 0);
  const shares = masses.map((mass) => mass / sum);
  const mean = each.reduce((a, own, i) => a + shares[i] * own.mean, 0);
  const square = each.reduce((a, own, i) => a + shares[i] * (own.variance + own.mean * own.mean), 0);
  const variance = Math.max(square - mean * mean, 1e-300);
  // the error of the i-th mass, from that of log M_i
  const off = (i: number): number => masses[i] * 1.01 * each[i].error;
  const rise = each.reduce((a, { weight, value }) => a + weight * expm1(value), 0);
  const wrong = worst * 2.1 + SUMMED * (1 + Math.abs(top));
  if (scale > 0 || rise < -0.5) {
    const value = scale + log(sum);
    const error =
      masses.reduce((a, _, i) => a + off(i), 0) / sum + relative * 1.01 + 8 * U * (2 + Math.abs(scale));
    return { all: { value, error: error + 8 * U * Math.abs(value), mean, variance }, shares, wrong };
  }
  const rises = each.reduce((a, { weight, value }) => a + weight * Math.abs(expm1(value)), 0);
  const error = (masses.reduce((a, _, i) => a + off(i), 0) + rises * (relative + 12 * U)) / (1 + rise);
  const value = log1p(rise);
  return { all: { value, error: 1.01 * error + 8 * U * Math.abs(value), mean, variance }, shares, wrong };
}

/**
 * count·log φ along a contour, φ(τ) = M(c + iτ)/M(c), from φ − 1 = Σ p_i(φ_i − 1), p_i = w_i M_i(c)/M(c) the shares. Where only a bound of |φ_i| is
 * known, φ_i counts as 0 with that bound as its error. Undefined where a branch would cost too much.
 *
 * Ensures: log φ is within the errors stated.
 */
function line(
  kernel: Kernel,
  parts: readonly Blended[],
  nodes: LineNodes,
  { count, relative }: { readonly count: number; readonly relative: number },
): LogPhiLine | undefined {
  const { shares, wrong: off } = tiltedAt(parts, nodes.c, relative);
  if (shares.length === 0) return undefined;
  charge(NODE_PRICE * nodes.n * parts.length);
  const [re, im, wrong, missing] = [0, 1, 2, 3].map(() => floats(nodes.n));
  for (const [i, { law }] of parts.entries()) {
    const own = law.line(kernel, nodes, 1);
    if (own === undefined) return undefined;
    const share = shares[i];
    for (let k = 0; k < nodes.n; k++) {
      const modulus = Math.min(1, exp(own.logModulus[k]));
      const isBounded = own.error[k] === Infinity;
      const turn = own.phase[k] * INVERSE_PI;
      const half = sinPi(turn / 2);
      // e^{l + iθ} − 1, l = logModulus and θ = phase, without cancellation near 1
      const real = isBounded ? -1 : expm1(own.logModulus[k]) * cosPi(turn) - 2 * half * half;
      const imaginary = isBounded ? 0 : modulus * sinPi(turn);
      const size = Math.abs(real) + Math.abs(imaginary);
      re[k] += share * real;
      im[k] += share * imaginary;
      const rounding = isBounded
        ? modulus * (1 + SUMMED)
        : modulus * (expm1(own.error[k]) + 4 * U * Math.abs(own.phase[k]));
      wrong[k] += share * (rounding + size * (off + 16 * U));
      missing[k] += isBounded ? 0 : share * modulus * expm1(Math.min(50, own.quadrature[k]));
    }
  }
  return logPhiRows(kernel.logarithms(joined([re, im, wrong, missing]), count, 0));
}

/**
 * Bounds of |φ| ≤ Σ p_i|φ_i| from those of each |φ_i|, φ(τ) = M(c + iτ)/M(c). p_i = w_i M_i(c)/M(c) are the shares of the branches. Ensures: no less
 * than |φ|.
 */
function decayOf(parts: readonly Blended[], c: number, { shares, wrong }: Tilted): Decay {
  if (shares.length === 0) return NO_DECAY;
  const each = parts.map(({ law }, i) => ({ own: law.decay(c), logShare: log(shares[i]) + wrong }));
  const summed = (logs: (own: Decay, i: number) => number): number =>
    Math.min(
      0,
      each.reduce((sum, { own, logShare }, i) => logSum(sum, logShare + logs(own, i)), -Infinity) + SUMMED,
    );
  const rows = (logs: readonly Float64Array[]): Float64Array =>
    logs[0].map((_, k) => summed((_, i) => logs[i][k]));
  const fars = each.flatMap(({ own }) => own.far ?? []);
  return {
    bounds: (kernel, taus, enough) => rows(each.map(({ own }) => own.bounds(kernel, taus, enough))),
    far: fars.length === each.length ? (taus) => rows(fars.map((far) => far(taus))) : undefined,
    beyond: (from) => {
      const ends = each.map(({ own }) => own.beyond(from));
      return { log: summed((_, i) => ends[i].log), power: Math.min(...ends.map(({ power }) => power)) };
    },
  };
}
