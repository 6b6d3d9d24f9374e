import { requireProbability, wrongType } from '../errors.js';
import { subsampledRun } from '../law/subsampling.js';
import { type Bracket, bracket, maxBracket, requireBracket } from '../numeric/bracket.js';
import { normalQuantileLog } from '../numeric/scalar.js';
import { crossing } from '../numeric/solve.js';
import { changedRun } from '../run/changed-run.js';
import type { DirectedRun } from '../run/directed-run.js';
import { hullRun } from '../run/hull-run.js';
import { profileTest } from '../run/profile-test.js';
import { TradeoffCurve } from '../run/tradeoff-curve.js';
import { perfectPrivacy } from './constructors.js';
import { requireTradeoff, TradeoffFunction } from './tradeoff-function.js';

/**
 * f⁻¹ = T(Q, P) (GDP eq. 4).
 *
 * @throws TypeError if `f` is not a trade-off function.
 * @example
 * inverse(gaussianTradeoff(1)).fnr(0.1).lower; // 0.610856
 */
export function inverse(f: TradeoffFunction): TradeoffFunction {
  requireTradeoff(f, 'f');
  if (f.isSymmetric) return f;
  const { curve, limits, allowance } = f;
  const { forward, backward } = curve;
  const factors = f.factors?.map((factor) => ({
    ...factor,
    forward: factor.backward,
    backward: factor.forward,
  }));
  const exchanged = new TradeoffCurve(backward, forward);
  return new TradeoffFunction(`(${f.name})^-1`, exchanged, factors, limits, allowance);
}

/**
 * min{f, f⁻¹}**: what holds whichever of the two data sets is the true one (GDP prop. 2.4).
 *
 * @throws TypeError if `f` is not a trade-off function.
 * @example
 * symmetrise(mixWithIdentity(gaussianTradeoff(1), 0.5)).isSymmetric; // true
 */
export function symmetrise(f: TradeoffFunction): TradeoffFunction {
  requireTradeoff(f, 'f');
  if (f.isSymmetric) return f;
  const { forward, backward } = f.curve;
  return new TradeoffFunction(
    `symm(${f.name})`,
    TradeoffCurve.symmetric([forward, backward]),
    undefined,
    f.limits,
    f.allowance,
  );
}

/**
 * min{f₁, f₂, …}**: the largest trade-off function below all, the guarantee of a mechanism that may be any of them.
 *
 * @throws TypeError if one is not a trade-off function.
 * @example
 * convexHull(gaussianTradeoff(1), approximateDpTradeoff(1, 0)).fnr(0.1).lower; // 0.610856
 */
export function convexHull(...functions: readonly TradeoffFunction[]): TradeoffFunction {
  for (const f of functions) requireTradeoff(f, 'functions');
  const [first] = functions;
  if (first === undefined) return perfectPrivacy();
  const distinct = [...new Set(functions)];
  if (distinct.length === 1) return first;
  const forward = hullRun(distinct.map(({ curve }) => curve.forward));
  const curve = distinct.every((f) => f.isSymmetric)
    ? new TradeoffCurve(forward)
    : new TradeoffCurve(forward, hullRun(distinct.map(({ curve: one }) => one.backward)));
  const limits = distinct.map((f) => f.limits);
  const known = {
    tailMu: limits.map(({ tailMu }) => tailMu).reduce(maxBracket),
    muCeiling: Math.max(...limits.map(({ muCeiling }) => muCeiling)),
    gaussian: false,
  };
  const name = `hull(${distinct.map((f) => f.name).join(', ')})`;
  const { allowance } = distinct.find((f) => f.allowance) ?? first;
  return new TradeoffFunction(name, curve, undefined, known, allowance);
}

/**
 * f_p = p·f + (1 − p)·Id = T(P, (1 − p)P + pQ). It is one step on a Poisson sample of rate p, in direction 'remove'.
 *
 * @throws TypeError | RangeError if `f` is not a trade-off function or `rate` not in [0, 1].
 * @example
 * mixWithIdentity(gaussianTradeoff(1), 0.5).fnr(0.1).lower; // 0.755428
 */
export function mixWithIdentity(f: TradeoffFunction, rate: number): TradeoffFunction {
  requireTradeoff(f, 'f');
  requireProbability('rate', rate);
  if (rate === 0) return perfectPrivacy();
  if (rate === 1) return f;
  const curve = new TradeoffCurve(spliced(f.curve, rate, 'remove'), spliced(f.curve, rate, 'add'));
  const known = { ...f.limits, gaussian: false };
  return new TradeoffFunction(`(${f.name})_${rate}`, curve, undefined, known, f.allowance);
}

/**
 * C_p(f) = min{f_p, f_p⁻¹}**: one step on a sample of a share p drawn without replacement (GDP thm 4.2).
 *
 * @throws TypeError | RangeError if `f` is not a trade-off function or `rate` not in [0, 1].
 * @example
 * subsample(gaussianTradeoff(1), 0.5).fnr(0.1).lower; // 0.755428
 */
export function subsample(f: TradeoffFunction, rate: number): TradeoffFunction {
  const mixed = mixWithIdentity(f, rate);
  if (mixed === f) return symmetrise(f);
  const { curve, limits } = symmetrise(mixed);
  return new TradeoffFunction(`C_${rate}(${f.name})`, curve, undefined, limits, f.allowance);
}

/**
 * `subsampledRun` of a curve's pair. It needs δ of the pair at an ε of either sign. The curve's run `forward` is sharp for ε ≥ 0 only; for ε < 0,
 * `TradeoffCurve` derives δ and tests from `backward`.
 *
 * Ensures: δ of the sampled step lies in its bracket.
 */
function spliced(
  { forward, backward }: TradeoffCurve,
  rate: number,
  direction: 'remove' | 'add',
): DirectedRun {
  const whole = (run: DirectedRun, exchanged: DirectedRun): DirectedRun => {
    const curve = new TradeoffCurve(run, exchanged);
    return changedRun(run, {
      logDelta: (epsilon, width) => curve.logDelta(epsilon, width),
      test: (omega) => curve.test(omega),
    });
  };
  const inner = { forward: whole(forward, backward), backward: whole(backward, forward) };
  return subsampledRun(inner, rate, direction);
}

/**
 * The symmetric trade-off function of a privacy profile (GDP prop. 2.11): f(α) is the supremum over ε ≥ 0 of 1 − δ(ε) − e^ε α and of
 * e^{−ε}(1 − δ(ε) − α). Its `logDelta` gives the profile back.
 *
 * @param profile Bracket of log δ(ε) for any ε ≥ 0; δ convex in e^ε and decreasing.
 * @throws TypeError if `profile` is not a function, and from any question where it gives no bracket.
 * @example
 * profileTradeoff((epsilon) => gaussianTradeoff(1).logDelta(epsilon)).fnr(0.5).lower; // 0.158655
 */
export function profileTradeoff(profile: LogProfile): TradeoffFunction {
  if (typeof profile !== 'function') throw wrongType('profile', 'a function of epsilon', profile);
  const checked: LogProfile = (epsilon) => requireBracket('profile(epsilon)', profile(epsilon));
  return new TradeoffFunction('dual', new TradeoffCurve(profileRun(checked)));
}

/** Bracket of log δ(ε), for any ε ≥ 0. */
export type LogProfile = (epsilon: number) => Bracket;

/** Distance of ε for difference quotients of the profile: a test has errors of its square, and of 1e-13 divided by it. Only width depends on it. */
const STRIDE = 1e-4;
/** The distance is smaller for ε below this, in proportion to ε, but never below STRIDE·NEAR. Only width depends on it. */
const NEAR = 1e-2;
/** Largest ε at which a profile is evaluated; δ beyond is at most δ there. */
const LAST = 1e6;

/**
 * δ and tests of a symmetric pair known by its profile only; difference quotients of δ give tests (`profileTest`).
 *
 * Ensures: if the profile's brackets hold, δ lies in its bracket, and some test has at most the FPR stated and at least the TPR.
 */
function profileRun(profile: LogProfile): DirectedRun {
  // Φ⁻¹(δ(ε)) of a Gaussian pair is almost linear in ε: the search needs few evaluations, none of them at far larger ε
  const guess = (target: number): number =>
    crossing((epsilon) => normalQuantileLog(profile(epsilon).upper) - normalQuantileLog(target), {
      guess: 1,
      ceiling: LAST,
      relative: 1e-2,
      absolute: 1e-9,
    }).high;
  return {
    direction: 'both',
    method: 'closed-form',
    // computed on first use, as δ at so large an ε may take long
    get logInfinity(): Bracket {
      return bracket(-Infinity, profile(LAST).upper);
    },
    logDelta: (epsilon) => (epsilon > LAST ? bracket(-Infinity, profile(LAST).upper) : profile(epsilon)),
    // about the test that rejects where the loss exceeds ω
    test: (at) => {
      const omega = Math.min(at, LAST);
      const gap = STRIDE * Math.min(1, Math.max(omega, NEAR));
      return profileTest(profile, Math.max(0, omega - gap), gap);
    },
    guessEpsilon: (target) => Math.min(LAST, guess(target)),
    guessOmega: (target) => Math.min(LAST, guess(target)),
  };
}
