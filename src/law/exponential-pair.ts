import type { Kernel } from '../kernel/kernel.js';
import type { IntervalMasses } from '../kernel/masses.js';
import { aroundRelative, type Bracket, bracket, exactly } from '../numeric/bracket.js';
import { U } from '../numeric/constants.js';
import { sinh } from '../numeric/hyperbolic.js';
import { complementTimes, logComplement } from '../numeric/log-arithmetic.js';
import { padLogProbability } from '../numeric/log-probability.js';
import { ROUNDINGS, up } from '../numeric/rounding.js';
import { exp, expm1, log, log1p, normalQuantileLog } from '../numeric/scalar.js';
import type { DirectedRun } from '../run/directed-run.js';
import { bracketsOf, withTogether } from '../run/log-deltas.js';
import type { ExponentialPair, Shape } from './pair.js';

/** The pair of Laplace noise, ε₀ = sensitivity/scale: δ(ε) = 1 − e^{(ε−ε₀)/2} for |ε| ≤ ε₀. Ensures: δ and tests of the pair lie in their brackets. */
export function laplacePair(epsilon0: number): ExponentialPair {
  return exponentialPair(laplaceShape(epsilon0));
}

/**
 * The constants of `Shape` for Laplace noise, ε₀ = sensitivity/scale: w = e^{−ε₀/2}/4, an atom of ½, and δ(ε) = 1 − e^{(ε−ε₀)/2}. A few roundings each.
 */
export function laplaceShape(epsilon0: number): Shape {
  return {
    range: epsilon0,
    weight: exp(-epsilon0 / 2) / 4,
    atom: 0.5,
    power: 1,
    logScale: 0,
    gdpMu: pureMu(epsilon0),
  };
}

/**
 * The pair that dominates mechanisms of bounded range ε₀, whose losses lie in [t − ε₀, t] for some t. The worst for a t has the two losses t and
 * t − ε₀ (Dong, Durfee, Rogers 2020, §4). The supremum of their δ over t is δ(ε) = (e^{ε₀/2} − e^{ε/2})²/(e^{ε₀} − 1), |ε| ≤ ε₀.
 *
 * Ensures: δ and tests of the pair lie in their brackets.
 */
export function boundedRangePair(epsilon0: number): ExponentialPair {
  return exponentialPair(boundedRangeShape(epsilon0));
}

/**
 * The constants of `Shape` for bounded range ε₀: w = 1/(4 sinh(ε₀/2)), no atom, and δ(ε) = (1 − e^{(ε−ε₀)/2})²/(1 − e^{−ε₀}). A few roundings each.
 */
export function boundedRangeShape(epsilon0: number): Shape {
  return {
    range: epsilon0,
    weight: 1 / (4 * Math.max(sinh(epsilon0 / 2), Number.MIN_VALUE)),
    atom: 0,
    power: 2,
    logScale: logComplement(-epsilon0),
    gdpMu: pureMu(epsilon0),
  };
}

/**
 * ε₀-DP is μ-GDP for μ = −2Φ⁻¹(1/(1 + e^{ε₀})) (Liu et al. 2022, thm 5.1), rounded up. That is at most ε₀√(π/2), as erf(x√π/2) ≥ tanh x at x = ε₀/2.
 * For small ε₀ the computed quantile has a larger relative error, and the bound is returned.
 *
 * Ensures: no smaller than the least μ for which ε₀-DP is μ-GDP.
 */
export function pureMu(epsilon0: number): number {
  const mu = up(-2 * normalQuantileLog(-epsilon0 - log1p(exp(-epsilon0))), ROUNDINGS) + ROUNDINGS;
  return Math.min(mu, epsilon0 * 1.2533141373155006);
}

/** The symmetric pair of a shape: δ, tests and masses of intervals in closed form, within the errors of `exponentialRun` and `intervals`. */
function exponentialPair(shape: Shape): ExponentialPair {
  const { range: top, weight, atom } = shape;
  const run = exponentialRun(shape);
  return {
    family: 'exponential',
    shape,
    forward: run,
    backward: run,
    gdpMu: shape.gdpMu,
    tailMu: 0,
    smallest: -top,
    largest: top,
    infinity: 0,
    range: () => [-top, top],
    intervals: (kernel, edges) => intervals(kernel, edges, shape),
    nodes: () => {
      const n = 400;
      const loss = new Float64Array(n + 2);
      const logWeight = new Float64Array(n + 2);
      loss[0] = -top;
      logWeight[0] = log(atom);
      for (let i = 0; i < n; i++) {
        const y = top * ((2 * i + 1) / n - 1);
        loss[i + 1] = y;
        logWeight[i + 1] = log((2 * weight * top) / n) - y / 2;
      }
      loss[n + 1] = top;
      logWeight[n + 1] = log(atom) - top;
      return { loss, logWeight };
    },
  };
}

/**
 * δ and tests of the pair of a `Shape`: log δ(ε) = power·log(1 − e^{(|ε|−ε₀)/2}) − logScale, ε₀ the `range`. Tests reject where the loss exceeds ω. Ensures: δ
 * lies in its bracket, also if ε₀ is rounded. Some test has at most the FPR stated, and at least the TPR.
 */
function exponentialRun({ range: top, weight, atom, power, logScale }: Shape): DirectedRun {
  const slack = ROUNDINGS;
  // change of ε that covers the rounding of ε₀
  const reach = (epsilon: number): number => slack * (Math.abs(epsilon) + top);
  /** Bracket of log δ from log(1 − e^{(|ε| − ε₀)/2}), with |ε| moved by its rounding in either direction: the pair is symmetric. */
  const enclosed = (epsilon: number, before: number, after: number): Bracket => {
    const x = Math.abs(epsilon);
    const upper = x < top ? padLogProbability(power * before - logScale).upper : -Infinity;
    const inside = x + reach(x) < top;
    const lower = inside ? padLogProbability(power * after - logScale).lower : -Infinity;
    const own = bracket(Math.min(lower, upper), upper);
    return epsilon >= 0 ? own : complementTimes(epsilon, own);
  };
  /** (|ε| − ε₀)/2, rounded down (−1) or up (1). */
  const fallOf = (epsilon: number, side: 1 | -1): number => {
    const x = Math.abs(epsilon);
    return Math.min(0, (x + side * reach(x) - top) / 2);
  };
  return {
    direction: 'both',
    method: 'closed-form',
    logInfinity: exactly(-Infinity),
    largestLoss: aroundRelative(top, 4 * U),
    logDelta: withTogether(
      (epsilon) => enclosed(epsilon, logComplement(fallOf(epsilon, -1)), logComplement(fallOf(epsilon, 1))),
      (epsilon, kernel) => {
        const n = epsilon.length;
        const falls = new Float64Array(2 * n);
        for (let i = 0; i < n; i++) {
          falls[i] = fallOf(epsilon[i], -1);
          falls[n + i] = fallOf(epsilon[i], 1);
        }
        logComplements(kernel, falls);
        return bracketsOf(n, (i) => enclosed(epsilon[i], falls[i], falls[n + i]));
      },
    ),
    // the test that rejects above ω: P(L > ω) = 2w(e^{−ω/2} − e^{−ε₀/2}) + atom e^{−ε₀}
    test: (omega) => {
      if (omega >= top) return { logFpr: -Infinity, logTpr: -Infinity };
      if (omega < -top) return { logFpr: 0, logTpr: 0 };
      const fpr = log(2 * weight * exp(-omega / 2) * -expm1((omega - top) / 2) + atom * exp(-top));
      const tpr = log(2 * weight * exp(top / 2) * -expm1((omega - top) / 2) + atom);
      return {
        logFpr: Math.min(0, fpr + slack * (4 + Math.abs(fpr))),
        logTpr: Math.min(0, tpr - slack * (4 + Math.abs(tpr))),
      };
    },
    guessEpsilon: (target) => Math.max(0, top + 2 * log1p(-exp(target))),
    guessOmega: (target) => Math.min(top, Math.max(0, -2 * (target - log(2 * weight)))),
  };
}

/** log(1 − e^a) of an array with a ≤ 0, in place: by expm1 or log1p, a few roundings each; the same bits as `logComplement`. */
function logComplements(kernel: Kernel, a: Float64Array): void {
  const near = kernel.expm1(a);
  for (let i = 0; i < a.length; i++) near[i] = -near[i];
  kernel.log(near, near);
  const far = kernel.exp(a);
  for (let i = 0; i < a.length; i++) far[i] = -far[i];
  kernel.log1p(far, far);
  for (let i = 0; i < a.length; i++) a[i] = a[i] > -Math.LN2 ? near[i] : Math.min(far[i], -Number.MIN_VALUE);
}

/**
 * Masses of intervals [a, b) of losses: 2w(e^{−a/2} − e^{−b/2}) under P and 2w(e^{b/2} − e^{a/2}) under Q, plus the atoms inside.
 *
 * Ensures: masses have the relative error of `IntervalMasses`, and `cut` covers what rounding of the edges moves between intervals.
 */
function intervals(kernel: Kernel, edges: Float64Array, shape: Shape): IntervalMasses {
  const { range: top, weight, atom } = shape;
  const n = edges.length - 1;
  const inside = new Float64Array(n + 1);
  for (let k = 0; k <= n; k++) inside[k] = Math.min(top, Math.max(-top, edges[k]));
  const width = new Float64Array(n);
  const rise = new Float64Array(n + 1);
  for (let k = 0; k < n; k++) width[k] = (inside[k + 1] - inside[k]) / 2;
  for (let k = 0; k <= n; k++) rise[k] = -inside[k] / 2;
  kernel.expm1(width, width);
  const fall = kernel.exp(rise);
  const p = new Float64Array(n);
  const q = new Float64Array(n);
  const cut = new Float64Array(n);
  for (let k = 0; k < n; k++) {
    p[k] = 2 * weight * fall[k + 1] * width[k];
    q[k] = (2 * weight * width[k]) / fall[k];
    const holdsBottom = edges[k] <= -top && -top < edges[k + 1];
    const holdsTop = edges[k] <= top && top < edges[k + 1];
    if (holdsBottom) {
      p[k] += atom;
      q[k] += atom * exp(-top);
    }
    if (holdsTop) {
      p[k] += atom * exp(-top);
      q[k] += atom;
    }
    cut[k] = 8 * U * q[k] * (1 + top);
  }
  return { p, q, cut };
}
