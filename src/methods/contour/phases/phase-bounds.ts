import type { Kernel } from '../../../kernel/kernel.js';
import { subsampledLoss } from '../../../law/subsampling.js';
import { Once } from '../../../numeric/recent.js';
import { exp, log } from '../../../numeric/scalar.js';
import { Moduli } from '../step/moduli.js';
import type { OutputWindow } from '../step/output-window.js';
import { type Decay, eachStretch } from '../step/spectral-law.js';
import type { Phase } from './phase.js';
import { type BoundPath, boundPath, leftOut, type PhaseRun } from './phase-path.js';

/** The path lies this many units of 1/√steps off the axis. Speed alone hangs on it. */
const SHIFT = 4;
/** Angles are rounded down to one of so many in each factor of e. Speed alone hangs on it. */
const CLASSES = 48;
const LEAST_ANGLE = -40;
/** Angles are below π. */
const LARGEST_ANGLE = 2;
/** Terms below e^{this} are left out, and counted as that. */
const FLOOR = -60;

/**
 * Bounds of ∏|φ_k|^{T_k} at tilt c, for all of the steps: with |φ_k(τ)| ≤ B_k(τ) = ∫ |φWu_k^c| e^{−τα_k}/M_k(c) along a path off the axis, Σ T_k log B_k ≤ T log(Σ T_k B_k/T) as the logarithm is
 * concave, and Σ T_k B_k is one sum over all angles α. It falls with τ.
 */
export class PhaseBounds {
  readonly decay: Decay;
  private readonly measured = new Once(() => this.measure());
  private readonly count: number;
  private readonly variation = new Once(() => this.logVariation());

  /** @param logM log M_k(c), where it is known. */
  constructor(
    private readonly kernel: Kernel,
    private readonly run: PhaseRun,
    private readonly c: number,
    private readonly window: OutputWindow,
    private readonly logM: Float64Array | undefined,
  ) {
    this.count = run.phases.reduce((sum, { count }) => sum + count, 0);
    const bounds = eachStretch((from) => this.logBound(Math.abs(from)));
    this.decay = { bounds, far: (from) => this.logBound(from), beyond: (from) => this.beyond(from) };
  }

  /** log of a bound of the geometric mean of |φ| at τ and wherever it is larger. */
  private logBound(tau: number): number {
    if (this.logM === undefined) return 0;
    const measured = this.measured.value;
    return measured === undefined ? 0 : Math.min(0, measured.logAt(tau) + 1e-9);
  }

  private measure(): Moduli | undefined {
    const { c, window, count } = this;
    const { phases, extremes, outputs } = this.run;
    const logM = this.logM as Float64Array;
    const path = boundPath(this.kernel, extremes, c, window, { most: SHIFT / Math.sqrt(count), count });
    if (path === undefined) return undefined;
    const turned = outputs.on(path);
    const masses = new Float64Array((LARGEST_ANGLE - LEAST_ANGLE) * CLASSES + 1);
    let outside = path.rule;
    for (let k = 0; k < phases.length; k++) {
      const share = phases[k].count / count;
      const { loss, angle } = turned[k];
      for (let j = 0; j < loss.length; j++) {
        const size = path.logWeight[j] + c * loss[j] - logM[k];
        if (size < FLOOR) {
          outside += share * exp(FLOOR);
          continue;
        }
        const place = Math.floor((log(angle[j] * (1 - 1e-12)) - LEAST_ANGLE) * CLASSES);
        masses[angle[j] > 0 && place > 0 ? place : 0] += share * exp(size);
      }
      outside += share * leftOut(path, phases[k], c, window, logM[k]);
    }
    const kept = Array.from(masses.entries()).filter(([, mass]) => mass > 0);
    const size = Float64Array.from(kept, ([, mass]) => log(mass) + 1e-9);
    const least = Float64Array.from(kept, ([at]) =>
      at === 0 ? 0 : exp(at / CLASSES + LEAST_ANGLE) * (1 - 1e-12),
    );
    return new Moduli(this.kernel, size, least, outside * 1.01);
  }

  /** |φ_k| ≤ V_k/τ as well, V_k the variation of the density of its loss: the geometric mean of both bounds has a power. */
  private beyond(from: number): { log: number; power: number } {
    const far = this.variation.value - log(from);
    const near = this.logBound(from);
    if (!(far < Infinity)) return { log: near, power: 0 };
    const share = Math.min(1, 2 / this.count);
    const mixed = near * (1 - share) + far * share;
    return far < mixed ? { log: far, power: 1 } : { log: mixed + 1e-12, power: share };
  }

  private logVariation(): number {
    const { c, window, count } = this;
    const { phases, extremes } = this.run;
    const path = this.logM && boundPath(this.kernel, extremes, c, window, { most: 1e-3, count });
    if (path === undefined) return Infinity;
    let sum = 0;
    for (let k = 0; k < phases.length; k++)
      sum +=
        (phases[k].count / count) * variationOf(phases[k], c, window, path, (this.logM as Float64Array)[k]);
    return log(sum) + 1e-9;
  }
}

/** How far behind the last output it is looked at what is left, at most (`cutMass`). */
const FURTHEST = 401;

/**
 * A bound of the variation of the density of a phase's loss at tilt c. That is f(1 + (1 − q)/q·e^{−s})/μ, f = φWu^c/M, and |f′| ≤ Kf, K = |x| + |c|μ + (1 + max(0, t))/w, between the first output and the
 * last; before the first f and fe^{−s} rise, and behind the last, where K grows by 1 + 1/w² an output, little of f lies. ∞ where that is not so.
 */
function variationOf(phase: Phase, c: number, window: OutputWindow, path: BoundPath, logM: number): number {
  const { mu, q } = phase;
  const { x, h, logWeight, rule } = path;
  const { to, width } = window;
  const [first, last] = [x[0], x[x.length - 1]];
  const steep = Math.max(-first, last) + Math.abs(c) * mu + (1 + Math.max(0, (last - to) / width)) / width;
  const grown = exp(mu * first - (mu * mu) / 2);
  const rise = -first - Math.max(0, -c) * mu * Math.min(1, (q * grown) / (1 - q)) - mu - 0.01 / width;
  const left = leftOut(path, phase, c, window, logM);
  const behind = left * (steep + mu + FURTHEST * (1 + 1 / (width * width)));
  if (!(rise > 1 && first < to - 10 * width && last > mu / 2 && behind < 1 && rule < 0.01)) return Infinity;
  let inverse = 0;
  for (let j = 0; j < x.length; j++) {
    const s = mu * x[j] - (mu * mu) / 2;
    inverse += exp(logWeight[j] + c * subsampledLoss(s, q) - s - logM);
  }
  const start = exp(logWeight[0] + c * subsampledLoss(mu * first - (mu * mu) / 2, q) - logM) / h;
  const tail = (2 * (h + 1) * start) / grown + behind;
  const plain = steep + start + 1;
  const divided = 1.02 * (steep + mu) * (inverse + tail) + start / grown + 1;
  return (1.001 / mu) * (plain + ((1 - q) / q) * divided);
}
