import {
  requireCount,
  requireFields,
  requireList,
  requireNumber,
  requireOptions,
  requireProbability,
  wrongType,
  wrongValue,
} from '../errors.js';
import { type Bracket, bracket, requireBracket } from '../numeric/bracket.js';
import { down, FEW_ROUNDINGS, ROUNDINGS, up } from '../numeric/rounding.js';
import { exp, expm1, log, normalCdf, normalQuantileLog } from '../numeric/scalar.js';
import { certainRun } from '../run/changed-run.js';
import { gaussianRun } from '../run/gaussian-run.js';
import { TradeoffCurve } from '../run/tradeoff-curve.js';
import { ProfileIntegral } from './profile-integral.js';
import { TradeoffFunction } from './tradeoff-function.js';

/**
 * Moments for the central limit theorem of f-DP (GDP §3.2). L = log|f'(α)|, α uniform on [0, 1], is the privacy loss random variable log(dQ/dP) under P.
 */
export interface CltFunctionals {
  /** kl = −E[L] = −∫log|f'|. */
  readonly kl: Bracket;
  /** κ₂ = E[L²]. */
  readonly kappa2: Bracket;
  /** κ₃ = E|L|³. */
  readonly kappa3: Bracket;
  /** κ̄₃ = E|L + kl|³, the absolute third central moment of the loss L, as E[L] = −kl. */
  readonly kappa3Bar: Bracket;
}

const FUNCTIONALS = ['kl', 'kappa2', 'kappa3', 'kappa3Bar'] as const;

/** The bracket of a number of which nothing is known. */
const NO_MOMENTS: Bracket = { lower: 0, upper: Infinity };
const INFINITE: Bracket = { lower: Infinity, upper: Infinity };

/**
 * The functionals of a symmetric trade-off curve, as integrals of its profile. Let h(1) = 0 and h''(t) = k(log t)/t²; then E[h(e^L)] is
 * ∫₀^∞ (k(ε) e^{−ε} + k(−ε)) δ(ε) dε. They are infinite if the loss is infinite with some probability (f(0) < 1).
 *
 * @param of The trade-off function, or the curve of a run.
 * @throws TypeError if it is neither; RangeError if it is not symmetric: the theorem is about symmetric ones.
 * @example
 * cltFunctionals(gaussianTradeoff(0.1)).kl.upper; // 0.00500001
 */
export function cltFunctionals(of: TradeoffFunction | TradeoffCurve): CltFunctionals {
  const curve = of instanceof TradeoffFunction ? of.curve : of;
  if (!(curve instanceof TradeoffCurve)) throw wrongType('curve', 'a trade-off function or curve', of);
  if (!curve.isSymmetric) throw wrongValue('curve', 'symmetric (symmetrise it first)', 'one that is not');
  const { lower, upper } = curve.forward.logInfinity;
  if (upper > -Infinity && upper > -1e300) {
    const all = lower > -Infinity ? INFINITE : NO_MOMENTS;
    return { kl: all, kappa2: all, kappa3: all, kappa3Bar: all };
  }
  const profile = new ProfileIntegral(curve.forward);
  // k(ℓ) is 1 for h = −log t, 2 − 2ℓ for ℓ², and 6|ℓ| − 3ℓ|ℓ| for |ℓ|³, ℓ = log t
  const kl = positive(profile.of((e) => exp(-e) + 1));
  const kappa2 = positive(profile.of((e) => (2 - 2 * e) * exp(-e) + 2 + 2 * e));
  const kappa3 = positive(profile.of((e) => (6 * e - 3 * e * e) * exp(-e) + 6 * e + 3 * e * e));
  const centre = (kl.lower + kl.upper) / 2;
  const moved = (loss: number): number => {
    const v = loss + centre;
    return v > 0 ? 6 * v - 3 * v * v : 3 * v * v - 6 * v;
  };
  const around = profile.of((e) => moved(e) * exp(-e) + moved(-e), centre);
  // E|L + c|³ is the integral plus |c|³, with derivative at most 3 E(L + c)² in c
  const off = (kl.upper - kl.lower) / 2;
  const variance = kappa2.upper + off * off;
  const slack =
    3 * off * (variance + off * (Math.sqrt(variance) + off)) + ROUNDINGS * centre * centre * centre;
  const cube = centre * centre * centre;
  const kappa3Bar = bracket(Math.max(0, around.lower + cube - slack), around.upper + cube + slack);
  return { kl, kappa2, kappa3, kappa3Bar };
}

/** The bracket of max(0, x). Ensures: holds max(0, x) for every x of the bracket. */
function positive({ lower, upper }: Bracket): Bracket {
  return bracket(Math.max(0, lower), Math.max(0, upper));
}

/** One factor of a composition, and its count. */
export interface CountedFunctionals {
  /** Moments of the loss of one factor, from `cltFunctionals`. */
  readonly functionals: CltFunctionals;
  /** A whole number ≥ 0. */
  readonly count: number;
}

/** What the central limit theorem says of a composition. */
export interface CltLimit {
  /** An approximation: no bound in either direction. */
  readonly label: 'approximation';
  /** Bracket of the number μ = 2‖kl‖₁/√(‖κ₂‖₁ − ‖kl‖₂²), not of the run's own μ. */
  readonly mu: Bracket;
}

/** The Berry–Esseen bound for a composition: certified, but often no more than 0 ≤ f(α) ≤ 1 − α. */
export interface BerryEsseen {
  readonly label: 'guarantee';
  /** μ of the Gaussian trade-off function G_μ with which the composition is compared. */
  readonly mu: Bracket;
  /** Bound of the distance from the normal curve: 0.56‖κ̄₃‖₁/(‖κ₂‖₁ − ‖kl‖₂²)^{3/2}. */
  readonly gamma: Bracket;
  /** G_μ(α + γ) − γ ≤ f(α) ≤ G_μ(α − γ) + γ, and 0 ≤ f(α) ≤ 1 − α. */
  tradeoff(alpha: number): Bracket;
}

/**
 * μ of the central limit theorem (GDP thms 3.4, 3.5).
 *
 * @throws TypeError if `parts` is not a list of functionals with whole counts.
 * @example
 * cltMu([{ functionals: cltFunctionals(gaussianTradeoff(0.1)), count: 100 }]).mu.upper; // 1.00001
 */
export function cltMu(parts: readonly CountedFunctionals[]): CltLimit {
  return { label: 'approximation', mu: momentsOf(parts).mu };
}

/**
 * The Berry–Esseen bound of GDP thm 3.4: the finite-sample form of the central limit theorem, for symmetric factors.
 *
 * @throws TypeError if `parts` is not a list of functionals with whole counts.
 * @example
 * berryEsseen([{ functionals: cltFunctionals(gaussianTradeoff(0.1)), count: 100 }]).mu.upper; // 1.00001
 */
export function berryEsseen(parts: readonly CountedFunctionals[]): BerryEsseen {
  const { mu, gamma } = momentsOf(parts);
  return {
    label: 'guarantee',
    mu,
    gamma,
    tradeoff: (alpha) => {
      requireProbability('alpha', alpha);
      const g = gamma.upper;
      const least = alpha + g < 1 ? gaussian(alpha + g, mu.upper) - g : 0;
      const most = alpha - g > 0 ? gaussian(alpha - g, mu.lower) + g : 1;
      const upper = Math.min(1 - alpha, most + FEW_ROUNDINGS);
      return bracket(Math.min(upper, Math.max(0, least - FEW_ROUNDINGS)), upper);
    },
  };
}

/** G_μ(α), with a few roundings. */
function gaussian(alpha: number, mu: number): number {
  return mu === Infinity ? 0 : normalCdf(-normalQuantileLog(log(alpha)) - mu);
}

/**
 * μ = 2‖kl‖₁/√(‖κ₂‖₁ − ‖kl‖₂²) and γ = 0.56‖κ̄₃‖₁/(‖κ₂‖₁ − ‖kl‖₂²)^{3/2} (GDP thm 3.4), norms over all factors. Ensures: both lie in their brackets.
 */
function momentsOf(parts: readonly CountedFunctionals[]): { mu: Bracket; gamma: Bracket } {
  const kl = { lower: 0, upper: 0 };
  const variance = { lower: 0, upper: 0 };
  const third = { lower: 0, upper: 0 };
  requireList('parts', parts, '{functionals, count} objects');
  for (const [i, part] of parts.entries()) {
    requireFields(`parts[${i}]`, part, ['functionals', 'count']);
    const { functionals, count } = part;
    requireCount('count', count);
    requireFields(`parts[${i}].functionals`, functionals, FUNCTIONALS);
    for (const name of FUNCTIONALS) requireBracket(`parts[${i}].functionals.${name}`, functionals[name]);
    if (count === 0) continue;
    const { kl: one, kappa2, kappa3Bar } = functionals;
    const least = Math.max(0, one.lower);
    kl.lower += count * least;
    kl.upper += count * one.upper;
    variance.lower += count * Math.max(0, kappa2.lower - one.upper * one.upper);
    variance.upper += count * (kappa2.upper - (least < Infinity ? least * least : 0));
    third.lower += count * kappa3Bar.lower;
    third.upper += count * kappa3Bar.upper;
  }
  if (kl.upper === 0) return { mu: bracket(0, 0), gamma: bracket(0, 0) };
  if (!(kl.upper < Infinity)) return { mu: bracket(0, Infinity), gamma: bracket(0, Infinity) };
  const divided = (a: number, b: number): number => (b > 0 ? a / b : Infinity);
  const power = (v: number): number => v * Math.sqrt(v);
  return {
    mu: bracket(
      down(2 * kl.lower, FEW_ROUNDINGS) / Math.sqrt(variance.upper),
      divided(up(2 * kl.upper, FEW_ROUNDINGS), Math.sqrt(variance.lower)),
    ),
    gamma: bracket(
      down(0.56 * third.lower, FEW_ROUNDINGS) / power(variance.upper),
      divided(up(0.56 * third.upper, FEW_ROUNDINGS), power(variance.lower)),
    ),
  };
}

/** The two published limits of μ for DP-SGD as steps → ∞ with rate·√steps fixed. For a finite number of steps the exact μ is larger. */
export interface DpSgdLimits {
  readonly label: 'approximation';
  /** Poisson sampling: μ = q√(T(e^{1/σ²} − 1)) (Bu et al. 2020). */
  readonly poisson: number;
  /** Sampling without replacement: μ = q√T·√(2(e^{1/σ²}Φ(3/2σ) + 3Φ(−1/2σ) − 2)) (GDP §5.2). */
  readonly withoutReplacement: number;
}

/**
 * The two published limits of μ for DP-SGD: approximations, below the exact μ for a finite number of steps.
 *
 * @throws TypeError | RangeError if σ is not > 0, the rate not in [0, 1] or the steps not a whole number ≥ 0.
 * @example
 * dpSgdLimits({ noiseMultiplier: 1, samplingRate: 0.01, steps: 10000 }).poisson; // 1.31083
 */
export function dpSgdLimits(options: {
  noiseMultiplier: number;
  samplingRate: number;
  steps: number;
}): DpSgdLimits {
  requireOptions('dpSgdLimits', options, ['noiseMultiplier', 'samplingRate', 'steps']);
  const sigma = requireNumber('noiseMultiplier', options?.noiseMultiplier, 'a number > 0');
  const rate = requireProbability('samplingRate', options.samplingRate);
  const scale = rate * Math.sqrt(requireCount('steps', options.steps));
  if (scale === 0) return { label: 'approximation', poisson: 0, withoutReplacement: 0 };
  const growth = expm1(1 / (sigma * sigma));
  // e^{1/σ²}Φ(3/2σ) + 3Φ(−1/2σ) − 2 without the terms that cancel for large σ
  const inner =
    growth * normalCdf(1.5 / sigma) + (normalCdf(1.5 / sigma) - 0.5) - 3 * (normalCdf(0.5 / sigma) - 0.5);
  return {
    label: 'approximation',
    poisson: scale * Math.sqrt(growth),
    withoutReplacement: scale * Math.sqrt(2 * Math.max(0, inner)),
  };
}

/** One (ε, δ)-DP guarantee of a composition, and how often; default once. */
export interface ApproximateDpPart {
  /** ε, in nats, ≥ 0. */
  readonly epsilon: number;
  /** δ, in [0, 1]. */
  readonly delta: number;
  /** How often the guarantee is composed, a whole number ≥ 0. */
  readonly count?: number;
}

/** The limit by GDP theorem 3.7 of a composition: no bound in either direction. */
export interface ApproximateDpLimit {
  readonly label: 'approximation';
  /** √Σε². */
  readonly mu: number;
  /** 1 − e^{−Σδ}. */
  readonly delta: number;
  /** G_μ ⊗ f_{0,δ}. */
  readonly f: TradeoffFunction;
}

/**
 * The central limit theorem for (εᵢ, δᵢ)-DP (GDP thm 3.7). The composition tends to G_μ ⊗ f_{0,1−e^{−δ}} as the largest εᵢ and δᵢ
 * go to 0. Here μ² = Σεᵢ² and δ = Σδᵢ.
 *
 * @throws TypeError | RangeError if there is no part, or one is not (ε ≥ 0, δ in [0, 1], count a whole number).
 * @example
 * approximateDpClt([{ epsilon: 0.05, delta: 1e-7, count: 100 }]).f.delta(1).upper; // 0.00683953
 */
export function approximateDpClt(parts: readonly ApproximateDpPart[]): ApproximateDpLimit {
  requireList('parts', parts, '{epsilon, delta} objects', 1);
  let [square, sum] = [0, 0];
  for (const [i, part] of parts.entries()) {
    requireFields(`parts[${i}]`, part, ['epsilon', 'delta', 'count']);
    const epsilon = requireNumber(`parts[${i}].epsilon`, part.epsilon, 'a number in [0, 300]');
    const count = requireCount(`parts[${i}].count`, part.count ?? 1);
    square += count * epsilon * epsilon;
    sum += count * requireProbability(`parts[${i}].delta`, part.delta);
  }
  const mu = Math.sqrt(square);
  const delta = -expm1(-sum);
  const run = certainRun(gaussianRun(mu), -sum);
  return {
    label: 'approximation',
    mu,
    delta,
    f: new TradeoffFunction(`G_${mu} ⊗ f_{0, ${delta}}`, new TradeoffCurve(run)),
  };
}
