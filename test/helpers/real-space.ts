import { logDeltaGdp, logNormalCdf } from '../../src/numeric/scalar.js';

/** A Poisson-sampled Gaussian step: mean of the drawn record's output, and sampling rate. */
export interface SampledStep {
  readonly mu: number;
  readonly rate: number;
}

export interface Functionals {
  /** log of δ, FPR and TPR. */
  readonly delta: number;
  readonly falsePositive: number;
  readonly power: number;
}

const LOG_ROOT_2PI = Math.log(Math.sqrt(2 * Math.PI));
/** Outputs below minus this add less than e^{−60}. */
const REACH = 11;

/** What the least likelihood ratio ∏(1 − q) lacks of 1. */
const missingOf = (steps: readonly SampledStep[]): number =>
  -Math.expm1(steps.reduce((sum, { rate }) => sum + Math.log1p(-rate), 0));

/**
 * E[(U − K)⁺], P(U > K), E[(K − U)⁺] and E[U; U < K] of the likelihood ratio U of one step, in closed form, at K = 1 − q + `excess`.
 */
function ofOne({ mu, rate }: SampledStep, excess: number): number[] {
  const s = Math.log(excess / rate);
  const x = s / mu + mu / 2;
  return [
    rate * Math.exp(logDeltaGdp(mu, s)),
    Math.exp(logNormalCdf(-x)),
    excess * Math.exp(logDeltaGdp(mu, -s)),
    (1 - rate) * Math.exp(logNormalCdf(x)) + rate * Math.exp(logNormalCdf(x - mu)),
  ];
}

/**
 * The same of several steps, at K of this excess over the least U: equal steps of τ over the output x of the first, q e^{μx − μ²/2} = W/(1 + e^{−τ}), up to where the
 * others cannot fall below K any more; beyond it what is left is closed.
 */
function ofAll(steps: readonly SampledStep[], excess: number): number[] {
  const [{ mu, rate }, ...rest] = steps;
  if (rest.length === 0) return ofOne(steps[0], excess);
  const missing = missingOf(rest);
  const least = 1 - missing;
  const w = excess / least;
  const end = Math.log(w / rate) / mu + mu / 2;
  const spread = steps.reduce((sum, step) => sum + 1 / step.mu ** 2, 0);
  const h = 0.25 / Math.sqrt(1 + spread);
  const beyond = Math.exp(logNormalCdf(-end));
  const k = (1 - rate) * least + excess;
  const sums = [
    rate * Math.exp(logDeltaGdp(mu, Math.log(w / rate))) + (missing * k * beyond) / least,
    beyond,
    0,
    0,
  ];
  for (let i = Math.floor(-(mu * (REACH + Math.max(0, end)) + 3) / h); i * h < 45; i++) {
    const share = 1 / (1 + Math.exp(-i * h));
    const left = 1 / (1 + Math.exp(i * h));
    const x = end + Math.log(share) / mu;
    const u = 1 - rate + w * share;
    const weight = ((h * left) / mu) * Math.exp(-(x * x) / 2 - LOG_ROOT_2PI);
    const [d, r, g, j] = ofAll(rest, (least * w * left) / u);
    [u * d, r, u * g, u * j].forEach((term, which) => {
      sums[which] += weight * term;
    });
  }
  return sums;
}

/**
 * log of δ, FPR and TPR of a few sampled steps at ε = x ≥ 0 by sums over their outputs, which need no transform: a second method, of some 9 digits and without a bound.
 * From P to Q where `mirrored` is false, Q having the records drawn; from Q to P where it is true.
 */
export function inRealSpace(steps: readonly SampledStep[], x: number, mirrored: boolean): Functionals {
  const [k, rise] = mirrored ? [Math.exp(-x), Math.expm1(-x)] : [Math.exp(x), Math.expm1(x)];
  const excess = rise + missingOf(steps);
  if (!(excess > 0)) return { delta: -Infinity, falsePositive: -Infinity, power: -Infinity };
  const [d, r, g, j] = ofAll(steps, excess);
  return mirrored
    ? { delta: Math.log(g / k), falsePositive: Math.log(j), power: Math.log((g + j) / k) }
    : { delta: Math.log(d), falsePositive: Math.log(r), power: Math.log(d + k * r) };
}
