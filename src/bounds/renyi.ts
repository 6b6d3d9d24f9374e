import { requireNumber } from '../errors.js';
import { type Atoms, atomsOf, type Pair } from '../law/pair.js';
import { type Adjacency, requireAdjacency } from '../mechanism/adjacency.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { type Basic, gaussianMuOf, kindOf, pairOf } from '../mechanism/pairs.js';
import { largestOfPaths } from '../mechanism/paths.js';
import { seen } from '../mechanism/seen.js';
import type { Step } from '../mechanism/steps.js';
import { anyKernel, methods } from '../methods/brought/methods.js';
import { type Fraction, fractionOf, product, roundedUp, sum } from '../numeric/exact-decimal.js';
import { A_ROUNDING, FEW_ROUNDINGS, padded, ROUNDINGS } from '../numeric/rounding.js';
import { exp, expm1, log, log1p } from '../numeric/scalar.js';
import { pureEpsilonOf } from './pure.js';
import { logMomentOfSample, logMomentOfSubsampledGaussian } from './subsampled-gaussian.js';

/** Factor that raises a bound of a few terms above its rounding error. Correctness depends on it. */
const UP = 1 + ROUNDINGS;
/** Factor that lowers a value raised by UP below the exact one. Correctness depends on it. */
const DOWN = 1 - 4 * ROUNDINGS;

/**
 * Upper bound of the Rényi divergence of order α > 1 of a run, the larger of both directions, in nats. ∞ if it is infinite, or if no bound is known here,
 * as for tables of (ε, δ).
 *
 * Ensures: no less than D_α, in either direction.
 *
 * @throws TypeError | RangeError if `mechanism` is none, `order` not above 1, or the adjacency has no theorem.
 * It also throws for mixtures and epochs of balls and bins if no engine was loaded.
 * @example
 * renyiDivergence(gaussian({ noiseMultiplier: 2 }), 2, 'add-remove'); // 0.25
 */
export function renyiDivergence(mechanism: Mechanism, order: number, adjacency: Adjacency): number {
  requireNumber('order', order, 'a number above 1', (x) => x > 1);
  requireAdjacency(adjacency);
  return largestOfPaths(mechanism, adjacency, (steps) => renyiOfSteps(steps, order));
}

/**
 * The Rényi divergence of steps in add/remove units.
 *
 * Ensures: no less than D_α of the steps together.
 */
export function renyiOfSteps(steps: readonly Step[], order: number): number {
  let total = 0;
  for (const step of steps) total += step.count * renyiOfStep(step, order);
  return total * UP;
}

/**
 * A ρ for which the run is ρ-zCDP (Bun, Steinke 2016): the sum over its steps; ∞ if none is known. Poisson samples of Gaussians have that of the unsampled
 * ones.
 *
 * Ensures: D_α ≤ ρα for every α > 1.
 */
export function zcdpRho(mechanism: Mechanism, adjacency: Adjacency): number {
  return largestOfPaths(mechanism, adjacency, rhoOfSteps);
}

/**
 * Lower bound of ρ: the sum of ρ over unsampled releases with D₁ = ρ. Divergences add up, and D₁ ≤ ρ for the run.
 *
 * Ensures: no more than the least ρ for which the run is ρ-zCDP.
 */
export function zcdpRhoAtLeast(mechanism: Mechanism, adjacency: Adjacency): number {
  const whole = ({ mechanism: step, sampling }: Step): boolean =>
    sampling === 'all' &&
    (gaussianMuOf(step) !== undefined || ['zcdp', 'laplace', 'pure-dp'].includes(step.kind));
  return largestOfPaths(mechanism, adjacency, (steps) => rhoOfSteps(steps.filter(whole))) * DOWN;
}

/** Σ count·ρ over the steps: exact for statements of ρ and of bounded range, rounded up for others. */
function rhoOfSteps(steps: readonly Step[]): number {
  let exact = fractionOf(0);
  let rounded = 0;
  // on a sample ρ is that of the unsampled release, which dominates it
  for (const { mechanism: step, count } of steps) {
    const stated = statedRho(step);
    if (stated === undefined) rounded += count * rhoOf(step);
    else exact = sum(exact, product(fractionOf(count), stated));
  }
  return rounded === Infinity ? Infinity : roundedUp(sum(exact, fractionOf(rounded * UP)));
}

/** ρ as an exact fraction: as stated, or ε²/8 of a bounded range; undefined for other kinds. */
function statedRho(mechanism: Basic): Fraction | undefined {
  if (mechanism.kind === 'zcdp') return fractionOf(mechanism.rho);
  if (mechanism.kind !== 'bounded-range') return undefined;
  const epsilon = fractionOf(mechanism.epsilon);
  return product(product(epsilon, epsilon), fractionOf(0.125));
}

/**
 * The ρ of one release in add/remove units.
 *
 * Ensures: D_α ≤ ρα for every α > 1.
 */
export function rhoOfRelease(mechanism: Basic): number {
  const stated = statedRho(mechanism);
  return stated === undefined ? rhoOf(mechanism) * UP : roundedUp(stated);
}

/** ρ of one release: μ²/2 of a Gaussian, that of its kind, D₁ of Laplace noise, or ε tanh(ε/2) if it is ε-DP; else ∞. A few roundings. */
function rhoOf(mechanism: Basic): number {
  const mu = gaussianMuOf(mechanism);
  if (mu !== undefined) return (mu * mu) / 2;
  const known = kindOf(mechanism).rho?.(mechanism);
  if (known !== undefined) return known;
  const epsilon = pureEpsilonOf(mechanism);
  if (mechanism.kind === 'laplace' || mechanism.kind === 'noisy-max') return firstOrderOfLaplace(epsilon);
  // D₁ of randomised response, which dominates everything ε-DP
  return epsilon < Infinity ? epsilon * (-expm1(-epsilon) / (1 + exp(-epsilon))) : Infinity;
}

/**
 * D₁ = ε − 1 + e^{−ε} of Laplace noise, which is the least ρ for which it is ρ-zCDP: D_α ≤ αD₁ (docs/proofs/renyi.md, 5). A power series for small ε. A few
 * roundings.
 */
function firstOrderOfLaplace(epsilon: number): number {
  if (epsilon > 0.5) return epsilon + expm1(-epsilon);
  let term = (epsilon * epsilon) / 2;
  let sum = 0;
  for (let k = 3; k < 20; k++) {
    sum += term;
    term *= -epsilon / k;
  }
  return sum;
}

/** Whether divergences of a step are computed from its transform M(z) = E_P[(dQ/dP)^z], as no closed form or sum gives them. */
export function areByTransform(step: Step): boolean {
  return renyiOfRelease(step, 2) === Infinity;
}

/**
 * D_α of one step, not multiplied by its count: by `renyiOfRelease`, or else by `renyiOfTransform`.
 *
 * Ensures: no less than D_α of the step, apart from roundings of a sum over steps.
 */
export function renyiOfStep(step: Step, order: number): number {
  const listed = renyiOfRelease(step, order);
  return listed < Infinity ? listed : renyiOfTransform(step, order);
}

/**
 * D_α of a release or of a Poisson sample of it: by closed forms, by sums over losses, or by what its kind guarantees; ∞ if none applies. Ensures: no less
 * than D_α, up to roundings.
 */
function renyiOfRelease({ mechanism, sampling, rate: drawn }: Step, order: number): number {
  const rate = sampling === 'poisson' ? drawn : 1;
  const mu = gaussianMuOf(mechanism);
  if (mu !== undefined && rate < 1 && mu < Infinity)
    return logMomentOfSubsampledGaussian(1 / mu, rate, order) / (order - 1);
  if (mu !== undefined) return (order * mu * mu) / 2;
  if (BY_SUMS.includes(mechanism.kind)) return renyiOfAtoms(atomsOf(pairOf(mechanism))!, order, rate);
  switch (mechanism.kind) {
    case 'laplace':
    // no worse than Laplace noise of the same ε: docs/proofs/noisy-max.md, 3
    case 'noisy-max': {
      const epsilon = pureEpsilonOf(mechanism);
      return rate < 1 ? sampledLaplace(epsilon, rate, order) : renyiOfLaplace(epsilon, order);
    }
    default: {
      const whole = (at: number): number => renyiOfGuarantee(mechanism, at);
      return rate < 1 ? sampledRenyi(rate, order, whole) : whole(order);
    }
  }
}

/** Upper bound of D_α of an unsampled release, from what its kind states: ρ, a line or a list of orders, or ε. A few roundings. */
function renyiOfGuarantee(mechanism: Basic, order: number): number {
  switch (mechanism.kind) {
    case 'tcdp':
      return order <= (mechanism.omega ?? Infinity) ? (mechanism.xi ?? 0) + order * mechanism.rho : Infinity;
    case 'mcdp': {
      const rho = (mechanism.tau * mechanism.tau) / 2;
      return Math.min(mechanism.mean, rho) + (order - 1) * rho;
    }
    case 'rdp':
      // the divergence increases with the order
      return mechanism.points.find((point) => point.order >= order)?.epsilon ?? Infinity;
    default:
      // noise on whole numbers: Canonne, Kamath, Steinke 2020, prop. 5; bounded range: Cesar, Rogers 2021; pure DP: Bun, Steinke 2016, prop. 3.3
      return Math.min(order * rhoOf(mechanism), pureEpsilonOf(mechanism));
  }
}

/** Kinds whose divergences are sums over their losses. */
export const BY_SUMS: readonly string[] = [
  'randomized-response',
  'pure-dp',
  'approximate-dp',
  'discrete-laplace',
];

/** Families of pairs whose divergences are finite at every order, and computed by their transform for want of a closed form. */
const BY_TRANSFORM: readonly Pair['family'][] = ['mixture', 'allocation'];

/** D_α = log M(α)/(α − 1), or log M(1 − α)/(α − 1) of the other direction, the larger, with the error of M added; ∞ if M is not known. */
function renyiOfTransform(step: Step, order: number): number {
  const { mechanism } = step;
  const { family, gdpMu } = pairOf(mechanism);
  if (!BY_TRANSFORM.includes(family)) return Infinity;
  // outputs that the pair leaves out are rare, but may dominate a moment: the bound of μ-GDP is used
  if ((kindOf(mechanism).logLost?.(mechanism, 'replace-one') ?? -Infinity) > -Infinity)
    return (order * gdpMu * gdpMu) / 2;
  const { kernelStepOf, logMomentAbove } = methods();
  const law = kernelStepOf(seen(step));
  if (law === undefined) return Infinity;
  const divergence = (c: number): number => Math.max(0, logMomentAbove(anyKernel(), law, c)) / (order - 1);
  return Math.max(divergence(order), divergence(1 - order));
}

/** D_α of Laplace noise, log((αe^{(α−1)ε} + (α−1)e^{−αε})/(2α−1))/(α−1) (Mironov 2017, prop. 6), and never above αε²/2 or ε. Rounded up. */
function renyiOfLaplace(epsilon: number, order: number): number {
  const above = order - 1;
  const top = above * epsilon;
  const rest = (order + above * exp(-(order + above) * epsilon)) / (order + above);
  const value = (top + log(rest)) / above + (A_ROUNDING * (1 + top)) / above;
  return Math.min(value, (order * epsilon * epsilon) / 2, epsilon);
}

/** D_α of atoms on a Poisson sample of rate q, the larger of both directions, rounded up: (log Σ p(1+x)^α)/(α−1), x = q(e^loss − 1). */
function renyiOfAtoms({ loss, p, q, infinity, minusInfinity }: Atoms, order: number, rate: number): number {
  if (infinity > 0 || minusInfinity > 0) return Infinity;
  const forward = logPower(loss, p, order, rate);
  // P‖mixture: Σ p(1+x)^{1−α}
  const backward = logPower(loss, p, 1 - order, rate);
  const mirrored =
    rate === 1
      ? forward
      : Math.max(
          forward,
          logPower(
            loss.map((y) => -y),
            q,
            order,
            rate,
          ),
        );
  const bounded = Math.max(forward, backward, mirrored) / (order - 1);
  return Math.min(bounded, Math.max(-loss[0], loss[loss.length - 1]));
}

/** log Σ p(1+x)^a, rounded up: as Σ px = 0, by Σ p((1+x)^a − 1 − ax), whose terms are not negative. */
function logPower(loss: Float64Array, p: Float64Array, a: number, rate: number): number {
  let top = 0;
  const logs = loss.map((y) => a * (rate === 1 ? y : log1p(rate * expm1(y))));
  for (const l of logs) top = Math.max(top, l);
  let sum = 0;
  for (let i = 0; i < loss.length; i++) {
    if (top > 500) sum += p[i] * exp(logs[i] - top);
    else {
      const x = rate * expm1(loss[i]);
      sum += p[i] * (expm1(logs[i]) - a * x);
      sum += p[i] * (exp(logs[i]) + Math.abs(a * x)) * (2 + Math.abs(logs[i])) * A_ROUNDING;
    }
  }
  return top > 500 ? padded(top + log(sum), 1 + top, ROUNDINGS) : log1p(Math.max(0, sum) * UP);
}

/** At larger orders the unsampled divergence, an upper bound, is used. Only width and speed depend on it. */
const LARGEST_SAMPLED_ORDER = 1024;

/** D_α of Laplace noise on a Poisson sample, from divergences of the unsampled noise at integer orders (`logMomentOfSample`); an upper bound. */
function sampledLaplace(epsilon: number, rate: number, order: number): number {
  if (order > LARGEST_SAMPLED_ORDER) return renyiOfLaplace(epsilon, order);
  return logMomentOfSample(rate, order, (i) => (i - 1) * renyiOfLaplace(epsilon, i)) / (order - 1);
}

/**
 * Upper bound of D_α of a release on a Poisson sample from the divergences D_i of the unsampled release, in both directions (docs/proofs/renyi.md,
 * 10).
 *
 * Ensures: no less than D_α(R‖P) and D_α(P‖R), R = (1 − q)P + qQ, for every pair with D_i(P‖Q), D_i(Q‖P) ≤ `whole(i)`.
 */
function sampledRenyi(rate: number, order: number, whole: (i: number) => number): number {
  const unsampled = whole(order);
  if (order > LARGEST_SAMPLED_ORDER) return unsampled;
  const toSample = logMomentOfSample(rate, order, (i) => (i - 1) * whole(i));
  const fromSample = logMomentFromSample(rate, order - 1, whole(2));
  return Math.min(unsampled, Math.max(toSample, fromSample) / (order - 1));
}

/**
 * Upper bound of log E_P[(P/R)^m], R = (1 − q)P + qQ (docs/proofs/renyi.md, 10). It is log(1 + ((1 − q)^{−m} − 1 − mq)(e^{D₂} − 1)), or −m log(1 − q)
 * if that is smaller.
 *
 * Ensures: no less than log E_P[(P/R)^m], R = (1 − q)P + qQ, for every pair with D₂(Q‖P) ≤ `second`.
 */
export function logMomentFromSample(rate: number, m: number, second: number): number {
  const most = -m * log1p(-rate) * UP;
  if (!(second < 700)) return most;
  // (1 − q)^{−m} − 1 − mq from above, directly and as a second-order Taylor remainder, which does not cancel for small q
  const direct = expm1(most) - m * rate * (1 - ROUNDINGS) + FEW_ROUNDINGS * m * rate;
  const byDerivative = ((m * (m + 1)) / 2) * rate * rate * exp(most - 2 * log1p(-rate)) * UP;
  const bound = log1p(Math.min(direct, byDerivative) * expm1(second) * UP) * UP;
  return Math.min(most, bound);
}
