import { type Bracket, bracket, exactly } from '../numeric/bracket.js';
import { HALF_LOG_2PI, U } from '../numeric/constants.js';
import { logComplement, logSum } from '../numeric/log-arithmetic.js';
import { padLogProbability } from '../numeric/log-probability.js';
import { MANY_ROUNDINGS, ROUNDINGS } from '../numeric/rounding.js';
import { exp, expm1, log, log1p, logDeltaGdp, logNormalCdf } from '../numeric/scalar.js';
import type { DirectedRun } from '../run/directed-run.js';
import { gaussianRun } from '../run/gaussian-run.js';
import { profileTest } from '../run/profile-test.js';

/** −log of the quadrature and truncation error wanted, relative to δ. Only width depends on it. */
const DIGITS = 37;
/** Largest number of nodes of an integral; with more, the other bounds of the epoch are the answer. Only speed depends on it. */
const MOST_NODES = 40_000;
/** Distance of the two ε from whose δ a test is made (`profileTest`). Only width depends on it. */
const GAP = 1e-4;

/**
 * δ and tests of one full epoch of two bins, in one direction (docs/proofs/balls-and-bins.md, 13). Let ν = μ/√2. Divided by √2, the sum of the coordinates is
 * N(ν, 1) against N(0, 1). Their difference, divided by √2, is N(±ν, 1), either sign with probability ½, against N(0, 1). δ is the mean over the difference of
 * the sum's δ, an integral by the trapezoidal rule.
 *
 * Ensures: δ lies in its bracket, if it lies in that of `between`.
 *
 * @param between Other bounds of the epoch, which are the answer if the integral has too many nodes.
 */
export function twoBinsRun(mu: number, between: DirectedRun, digits: number = DIGITS): DirectedRun {
  const nu = mu * Math.SQRT1_2;
  const one = gaussianRun(nu);
  const adds = between.direction === 'add';
  const logDelta = (epsilon: number): Bracket => {
    const known = between.logDelta(epsilon);
    if (!(Math.abs(epsilon) < Infinity) || known.upper === -Infinity) return known;
    const found = integral(nu, epsilon, { adds, digits });
    if (found === undefined) return known;
    const upper = Math.min(found.upper, known.upper);
    return bracket(Math.min(Math.max(found.lower, known.lower), upper), upper);
  };
  return {
    ...between,
    logInfinity: exactly(-Infinity),
    logDelta,
    ceiling: (epsilon) => between.logDelta(epsilon).upper,
    test: (omega) => profileTest(logDelta, omega - GAP, GAP),
    guessEpsilon: (target) => one.guessEpsilon(target),
    guessOmega: (target) => one.guessOmega(target),
  };
}

/** The direction, and −log of the relative error wanted. */
interface Plan {
  readonly adds: boolean;
  readonly digits: number;
}

/**
 * log δ(ε) by the trapezoidal rule: ∫φ(v)c(v)δ_ν(ε − log c(v))dv, or ∫φ(v)δ_ν(ε + log c(v))dv if `adds`. Here c(v) = e^{−ν²/2}cosh(νv), φ is the normal
 * density, and δ_ν the curve of N(0, 1) against N(ν, 1). Undefined if there
 * would be too many nodes. Ensures: log δ lies in the bracket, which includes quadrature, truncation and rounding errors.
 */
function integral(nu: number, epsilon: number, { adds, digits }: Plan): Bracket | undefined {
  // log of the integrand at v
  const value = (v: number): number => {
    const s = logCosh(nu * v) - (nu * nu) / 2;
    const weight = -(v * v) / 2 - HALF_LOG_2PI + (adds ? 0 : s);
    return weight + logDeltaGdp(nu, adds ? epsilon + s : epsilon - s);
  };
  // half width b of the strip around the real line in which the integrand is bounded: νb < π/2, and νb ≤ 1 if `adds`
  const strip = Math.min(6, (adds ? 1 : 1.5) / nu);
  const edge = adds ? gaussianDelta(nu * Math.SQRT2, epsilon - LOSS) : 0;
  let least = Math.max(-1e6, value(0), value(nu));
  for (let tries = 0; tries < 3; tries++) {
    const wanted = digits + strip * strip + (adds ? Math.max(0, edge - least) : 0);
    const step = Math.min(12 / digits, (2 * Math.PI * strip) / wanted);
    const sum = sumOf(value, step, { reach: adds ? 0 : nu, digits });
    if (sum === undefined) return undefined;
    const { total, tail, nodes } = sum;
    // quadrature error: at most 2e^{b²}/(e^{2πb/h} − 1), h the step, times δ(ε); if `adds`, times δ(ε + log cos νb), which e^{edge} bounds
    const share = Math.LN2 + strip * strip - logRise((2 * Math.PI * strip) / step);
    if (!adds && !(share < -0.5)) return undefined;
    const rule = share + (adds ? edge : logSum(total, tail) - logComplement(share));
    const off = logSum(rule, tail);
    if (!(off < total - digits + 7) && tries < 2) {
      least = total;
      continue;
    }
    const slack =
      2 * MANY_ROUNDINGS * (1 + Math.abs(total)) +
      (ROUNDINGS + 8 * U * nodes) +
      64 * U * (Math.abs(epsilon) + nu * nu + nu);
    const lower = off < total ? total + log1p(-exp(off - total)) - slack : -Infinity;
    return bracket(Math.min(0, lower), Math.min(0, logSum(total, off) + slack));
  }
  return undefined;
}

/** log(e^x − 1), rounded down. */
function logRise(x: number): number {
  return (x > 40 ? x : log(expm1(x))) - 1e-9;
}

/** −log cos 1, rounded up: the decrease of ε in the bound of the quadrature error under 'add'. */
const LOSS = 0.6157;

/** An upper bound of log δ(ε) of the Gaussian pair with μ. */
function gaussianDelta(mu: number, epsilon: number): number {
  return padLogProbability(logDeltaGdp(mu * (1 + 4 * U), epsilon)).upper;
}

/**
 * `total`: log Σ_k h f(kh) over the nodes kept, f even. `tail`: an upper bound of the log of the sum over the others, as f(v) ≤ φ(v − reach) there.
 * Undefined if there would be too many nodes. The sum has a rounding error for each of its `nodes` terms.
 */
function sumOf(
  value: (v: number) => number,
  step: number,
  { reach, digits }: { readonly reach: number; readonly digits: number },
): { readonly total: number; readonly tail: number; readonly nodes: number } | undefined {
  let [top, sum] = [-Infinity, 0];
  for (let k = 0; k <= MOST_NODES; k++) {
    const own = value(k * step) + (k === 0 ? 0 : Math.LN2);
    if (own > top) [top, sum] = [own, sum * exp(top - own) + 1];
    else sum += exp(own - top);
    const v = k * step;
    if (v < reach + 1) continue;
    const total = top + log(sum) + log(step);
    // the density falls beyond its outer mode: the nodes beyond v sum to less than its integral from v on, on both sides
    const tail = Math.LN2 + padLogProbability(logNormalCdf(reach - v)).upper;
    if (tail < total - digits) return { total, tail, nodes: k };
  }
  return undefined;
}

/** log cosh x, with a relative error of a few roundings. */
function logCosh(x: number): number {
  const a = Math.abs(x);
  if (a < 1) return log1p((expm1(a) ** 2 * exp(-a)) / 2);
  return a + log1p(exp(-2 * a)) - Math.LN2;
}
