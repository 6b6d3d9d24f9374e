import { U } from '../../../numeric/constants.js';
import { logSum } from '../../../numeric/log-arithmetic.js';
import { exp, expm1, log, log1p, logDeltaGdp, logNormalCdf } from '../../../numeric/scalar.js';
import type { SampledPhase } from './split-lines.js';

/** Steps of Newton's iteration, at most. */
const MOST_NEWTON = 12;

/** What some steps are to the bounds of their functionals. */
export interface Steps {
  readonly phases: readonly SampledPhase[];
  /** Σ 1/μ². */
  readonly spread: number;
  /** a = ∏ (1 − q), the least likelihood ratio, and 1 − a with what rounding does to it, relatively. */
  readonly least: number;
  readonly missing: number;
  readonly error: number;
}

export function stepsOf(phases: readonly SampledPhase[]): Steps {
  const logLeast = phases.reduce((sum, { rate }) => sum + log1p(-rate), 0);
  return {
    phases,
    spread: phases.reduce((sum, { mu }) => sum + 1 / (mu * mu), 0),
    least: exp(logLeast),
    missing: -expm1(logLeast),
    error: U * (6 + phases.length),
  };
}

/** A positive quantity by its logarithm, what it may be off by, relatively, and a bound of |d log/dζ|. */
export interface Known {
  readonly log: number;
  readonly error: number;
  readonly slope: number;
}

/**
 * Functionals of the likelihood ratio U of some steps at K = a + e^ζ, a the least U: D = E[(U − K)⁺] and R = P(U > K), which fall, or G = E[(K − U)⁺] and
 * J = E[U; U < K], which rise, U under P. A function of the steps and the question alone. Proofs: docs/proofs/few-steps.md.
 */
export interface Functionals {
  readonly steps: Steps;
  at(zeta: number, falling: boolean): readonly [Known, Known] | undefined;
}

/** One step in closed form: with s = log((K − A)/q) and x* = s/μ + μ/2, D = qδ_μ(s), R = Φ̄(x*), G = (K − A)δ_μ(−s), J = AΦ(x*) + qΦ(x* − μ). */
export class OneStep implements Functionals {
  readonly steps: Steps;
  private readonly logRate: number;

  constructor(private readonly phase: SampledPhase) {
    this.steps = stepsOf([phase]);
    this.logRate = log(phase.rate);
  }

  at(zeta: number, falling: boolean): [Known, Known] {
    const { mu, rate } = this.phase;
    const s = zeta - this.logRate;
    const x = s / mu + mu / 2;
    const off = U * (4 + 3 * Math.abs(s) + 2 * Math.abs(this.logRate) + 2 * mu * mu);
    const known = (value: number, steep: number): Known => {
      const slope = steep * (1 + 1e-9);
      return { log: value, slope, error: slope * off + U * (16 + 8 * Math.abs(value)) };
    };
    const base = logNormalCdf(falling ? -x : x);
    const first = falling ? this.logRate + logDeltaGdp(mu, s) : zeta + logDeltaGdp(mu, -s);
    const excess = known(first, exp(zeta + base - first));
    if (falling) return [excess, known(base, (1 + Math.max(0, x)) / mu)];
    const power = logSum(log1p(-rate) + base, this.logRate + logNormalCdf(x - mu));
    return [excess, known(power, (1 + Math.max(0, mu - x)) / mu)];
  }
}

/** log of P(U < K), from above: no step may exceed K alone. */
export function logAccepted({ phases, least }: Steps, zeta: number): number {
  if (!(least > 0)) return 0;
  const alone = (mu: number, rate: number): number =>
    zeta - log(least) + log1p(-rate) - log(rate) + (mu * mu) / 2;
  return phases.reduce((sum, { mu, rate }) => sum + logNormalCdf(alone(mu, rate) / mu), 1e-9);
}

/** log of P(U < K), roughly: where all steps lie equally deep, ∏(A + θq) = K, it is decided whether U does. */
export function guessAccepted({ phases, least }: Steps, zeta: number): number {
  const others = phases.reduce((sum, { rate }) => sum + (rate < 1 ? log1p(-rate) : 0), 0);
  const goal = least > 0 ? log1p(exp(zeta) / least) : zeta - others;
  // in t = log θ the left side is convex, so that Newton's steps come from above
  const alone = phases.map(({ rate }) => zeta - log(least) + log1p(-rate) - log(rate));
  let t = least > 0 ? Math.min(...alone) : zeta - others;
  for (let i = 0; i < MOST_NEWTON; i++) {
    let [value, slope] = [-goal, 0];
    for (const { rate } of phases) {
      const b = rate * exp(t);
      value += rate < 1 ? log1p(b / (1 - rate)) : log(b);
      slope += b / (1 - rate + b);
    }
    t -= value / slope;
  }
  return phases.reduce((sum, { mu }) => sum + logNormalCdf(t / mu + mu / 2), 0);
}
