import type { Kernel } from '../../../kernel/kernel.js';
import { U } from '../../../numeric/constants.js';
import { exp, expm1, log, log1p, logNormalCdf } from '../../../numeric/scalar.js';
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

/** n positive quantities. */
export class Knowns {
  readonly log: Float64Array;
  readonly error: Float64Array;
  readonly slope: Float64Array;

  constructor(n: number) {
    this.log = new Float64Array(n);
    this.error = new Float64Array(n);
    this.slope = new Float64Array(n);
  }

  at(i: number): Known {
    return { log: this.log[i], error: this.error[i], slope: this.slope[i] };
  }

  set(i: number, { log, error, slope }: Known): void {
    this.log[i] = log;
    this.error[i] = error;
    this.slope[i] = slope;
  }
}

/** D and R, or G and J, at each of some places. */
export type Both = readonly [Knowns, Knowns];

/**
 * Functionals of the likelihood ratio U of some steps at K = a + e^ζ, a the least U: D = E[(U − K)⁺] and R = P(U > K), which fall, or G = E[(K − U)⁺] and
 * J = E[U; U < K], which rise, U under P. A function of the steps and the question alone. Proofs: docs/proofs/few-steps.md.
 */
export interface Functionals {
  readonly steps: Steps;
  at(zetas: Float64Array, falling: boolean): Both | undefined;
}

/** One step in closed form: with s = log((K − A)/q) and x* = s/μ + μ/2, D = qδ_μ(s), R = Φ̄(x*), G = (K − A)δ_μ(−s), J = AΦ(x*) + qΦ(x* − μ). */
export class OneStep implements Functionals {
  readonly steps: Steps;
  private readonly logRate: number;

  constructor(
    private readonly kernel: Kernel,
    private readonly phase: SampledPhase,
  ) {
    this.steps = stepsOf([phase]);
    this.logRate = log(phase.rate);
  }

  at(zetas: Float64Array, falling: boolean): Both {
    const { kernel, logRate } = this;
    const { mu } = this.phase;
    const n = zetas.length;
    const side = falling ? 1 : -1;
    const s = new Float64Array(n);
    const x = new Float64Array(n);
    const accepted = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      s[i] = side * (zetas[i] - logRate);
      x[i] = (side * s[i]) / mu + mu / 2;
      accepted[i] = -side * x[i];
    }
    const both = [new Knowns(n), new Knowns(n)] as const;
    const base = kernel.logNormalCdf(accepted);
    const excess = kernel.logDeltaGdp(mu, s, both[0].log);
    const power = both[1].log;
    power.set(falling ? base : this.powers(base, x));
    const steep = both[0].slope;
    for (let i = 0; i < n; i++) {
      excess[i] += falling ? logRate : zetas[i];
      steep[i] = zetas[i] + base[i] - excess[i];
    }
    kernel.exp(steep, steep);
    for (let i = 0; i < n; i++) {
      const off = U * (4 + 3 * Math.abs(s[i]) + 2 * Math.abs(logRate) + 2 * mu * mu);
      steep[i] *= 1 + 1e-9;
      both[0].error[i] = steep[i] * off + U * (16 + 8 * Math.abs(excess[i]));
      const slope = ((1 + Math.max(0, falling ? x[i] : mu - x[i])) / mu) * (1 + 1e-9);
      both[1].slope[i] = slope;
      both[1].error[i] = slope * off + U * (16 + 8 * Math.abs(power[i]));
    }
    return both;
  }

  /** log J. */
  private powers(base: Float64Array, x: Float64Array): Float64Array {
    const { kernel, logRate } = this;
    const { mu, rate } = this.phase;
    const n = x.length;
    const own = log1p(-rate);
    const other = new Float64Array(n);
    for (let i = 0; i < n; i++) other[i] = x[i] - mu;
    kernel.logNormalCdf(other, other);
    const apart = new Float64Array(n);
    for (let i = 0; i < n; i++) apart[i] = -Math.abs(own + base[i] - logRate - other[i]);
    kernel.log1p(kernel.exp(apart, apart), apart);
    for (let i = 0; i < n; i++) other[i] = Math.max(own + base[i], logRate + other[i]) + apart[i];
    return other;
  }
}

/** log of P(U < K), from above: no step may exceed K alone. What a threshold is off by counts at the threshold. */
export function logAccepted({ phases, least, error }: Steps, zeta: number): number {
  if (!(least > 0)) return 0;
  const logLeast = log(least);
  const alone = (mu: number, rate: number): number => {
    const [a, q] = [log1p(-rate), log(rate)];
    const x = (zeta - logLeast + a - q) / mu + mu / 2;
    const off = (error + 4 * U * (Math.abs(zeta) + 2 * Math.abs(logLeast) + Math.abs(a) + Math.abs(q))) / mu;
    return logNormalCdf(x + off + 2 * U * (Math.abs(x) + mu)) * (1 - 1e-14);
  };
  return phases.reduce((sum, { mu, rate }) => sum + alone(mu, rate), 1e-9);
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
