import type { Kernel } from '../kernel.js';
import { exp, log, logNormalCdf } from '../scalar.js';
import type { Answer } from './contour.js';
import { type CountedSpectrum, logChernoff, type RealAxis, saddleFor } from './contour-plan.js';
import { gaussianSpectrum } from './gaussian-spectrum.js';
import type { Functional } from './line-table.js';
import { type LineSource, Lines } from './lines.js';

/** Shifts tried, in units of η. */
const SHIFTS = [2, 3, 4, 5, 6.5, 9, 13, 20, 30] as const;

/**
 * Answers for runs whose |φ| does not decay (losses with atoms), through the run composed with one more
 * mechanism that is η-GDP: on every vertical line M gains the factor e^{η²z(z−1)/2}, which decays like e^{−η²τ²/2}.
 *
 * With W the ghost's loss, W ∼ N(η²/2, η²) under Q and N(−η²/2, η²) under P, independent of L, and any t > 0:
 *   δ(ε) ≤ δ_g(ε), as composing can only leak more, and δ_g(ε + t) = E[δ(ε + t − W)] ≤ δ(ε) + E[δ(ε + t − W); W > t];
 *   Q(L > ω) ≥ Q(L + W > ω + t) − Q(L + W > ω + t, W > t);   P(L > ω) P(W > −t) ≤ P(L + W > ω − t).
 * For any s > 0 what is subtracted is at most C M(1+s) e^{−s(ε+t)} E_Q[e^{sW}; W > t] (C = 1 for Q), and
 * E_Q[e^{sW}; W > t] = e^{η²s(1+s)/2} Φ(−(t − η²/2 − sη²)/η). The excess δ_g − δ is of second order in η.
 */
export class GhostLines implements LineSource {
  readonly axis: RealAxis;
  private readonly lines: Lines;

  constructor(
    kernel: Kernel,
    laws: readonly CountedSpectrum[],
    private readonly eta: number,
  ) {
    this.lines = new Lines(kernel, [...laws, { law: gaussianSpectrum(eta), count: 1 }]);
    this.axis = this.lines.axis;
  }

  answer(functional: Functional, x: number, width: number): Answer | undefined {
    return functional === 'falsePositive' ? this.falsePositives(x, width) : this.rising(functional, x, width);
  }

  /** δ, or the power of which only the lower end is asked. */
  private rising(functional: 'delta' | 'power', x: number, width: number): Answer | undefined {
    const here = this.lines.answer(functional, x, width);
    const saddle = saddleFor(this.axis, x);
    if (here === undefined || saddle === undefined) return here;
    const { s, cumulant } = saddle;
    const constant = functional === 'delta' ? logChernoff(1 + s) : 0;
    let lower = -Infinity;
    for (const shift of SHIFTS) {
      const t = shift * this.eta;
      const moved = this.lines.answer(functional, x + t, width);
      if (moved === undefined || moved.lower < lower) break;
      // M(1+s) here includes the ghost's own factor, and is the larger for it
      const beyond = (t - (this.eta * this.eta) / 2 - s * this.eta * this.eta) / this.eta;
      const growth = (this.eta * this.eta * s * (1 + s)) / 2;
      const loss = cumulant.value + cumulant.error + constant - s * (x + t) + growth + logNormalCdf(-beyond);
      const rounding = 1e-14 * (1 + Math.abs(cumulant.value) + s * (x + t));
      const share = exp(Math.min(1, loss + rounding - moved.lower));
      if (share < 1) lower = Math.max(lower, moved.lower + log(1 - share) - 1e-15);
    }
    const upper = functional === 'delta' ? here.upper : Math.max(here.upper, lower);
    const budget = { ...here.budget, ghost: Math.max(0, here.lower - lower) };
    return { lower: Math.min(lower, upper), upper, budget };
  }

  private falsePositives(x: number, width: number): Answer | undefined {
    let best: Answer | undefined;
    for (const shift of SHIFTS) {
      const t = shift * this.eta;
      const moved = this.lines.answer('falsePositive', x - t, width);
      if (moved === undefined) break;
      const upper = moved.upper - logNormalCdf((t - (this.eta * this.eta) / 2) / this.eta) + 1e-13;
      if (best !== undefined && upper > best.upper) break;
      best = { ...moved, lower: -Infinity, upper };
    }
    return best;
  }
}
