import { even } from '../../../kernel/call.js';
import { KernelTable, MODULUS_ROWS } from '../../../kernel/kernel-table.js';
import { Lazy } from '../../../numeric/lru-cache.js';
import { exp, log, log1p } from '../../../numeric/scalar.js';
import { Moduli } from '../step/moduli.js';
import { type Decay, eachStretch, type FarBounds } from '../step/spectral-law.js';
import type { WindowedGaussian } from '../step/windowed-gaussian.js';

/** The path lies this many units of 1/√steps off the axis. Speed alone hangs on it. */
const SHIFT = 4;
/** Sums err by about e^{−this} over the number of steps. Speed alone hangs on it. */
const DEPTH = 8;
/** Angles are rounded down to one of so many in each factor of e. Speed alone hangs on it. */
const CLASSES = 48;
const LEAST_ANGLE = -40;
/** Angles are below π. */
const LARGEST_ANGLE = 2;
/** Terms below e^{this} are left out, and counted as that. */
const FLOOR = -60;

/** A step, and how often it is composed. */
export interface CountedStep {
  readonly step: WindowedGaussian;
  readonly count: number;
}

/**
 * Bounds of the geometric mean of |φ_k| over steps. |φ_k(τ)| ≤ B_k(τ) = Σ e^{size − τα} along a path off the axis. As the logarithm is concave,
 * Σ T_k log B_k ≤ T log(Σ T_k B_k/T). Σ T_k B_k is one sum over all angles α (docs/proofs/many-phases.md 2). It falls with τ.
 */
export class AverageDecay implements Decay {
  private readonly count: number;
  private readonly sum = new Lazy(() => this.pooled());
  private readonly variation = new Lazy(() => this.logVariation());

  constructor(
    private readonly steps: readonly CountedStep[],
    private readonly c: number,
  ) {
    this.count = steps.reduce((sum, { count }) => sum + count, 0);
  }

  readonly far: FarBounds = (taus) => {
    const logs = this.sum.value?.logsAt(taus) ?? new Float64Array(taus.length);
    return logs.map((log) => Math.min(0, log + 1e-9));
  };

  readonly bounds = eachStretch(this.far);

  /** |φ_k| ≤ V_k/τ as well: the geometric mean of both bounds has a power. */
  beyond(from: number): { log: number; power: number } {
    const far = this.variation.value - log(from);
    const [near] = this.far(Float64Array.of(from));
    if (!(far < Infinity)) return { log: near, power: 0 };
    const share = Math.min(1, 2 / this.count);
    const mixed = near * (1 - share) + far * share;
    return far < mixed ? { log: far, power: 1 } : { log: mixed + 1e-12, power: share };
  }

  /** Terms of all steps, those of about the same angle in one; undefined where those of a step are not known. */
  private pooled(): Moduli | undefined {
    const { steps, c, count } = this;
    const a = Math.min(steps[0].step.furthest, SHIFT / Math.sqrt(count));
    const masses = new Float64Array((LARGEST_ANGLE - LEAST_ANGLE) * CLASSES + 1);
    const depth = DEPTH + log1p(count);
    let outside = 0;
    for (const { step, count: own } of steps) {
      const terms = step.boundTerms(c, a, depth);
      if (terms === undefined) return undefined;
      const { values } = terms.table;
      const m = values.length / MODULUS_ROWS;
      const share = own / count;
      outside += share * terms.truncationError;
      for (let j = 0; j < m; j++) {
        if (values[j] < FLOOR) {
          outside += share * exp(FLOOR);
          continue;
        }
        const angle = values[m + j];
        const place = Math.floor((log(angle * (1 - 1e-12)) - LEAST_ANGLE) * CLASSES);
        masses[angle > 0 && place > 0 ? place : 0] += share * exp(values[j]);
      }
    }
    const places = [...masses.keys()].filter((at) => masses[at] > 0);
    const n = even(places.length);
    const rows = new Float64Array(MODULUS_ROWS * n).fill(FLOOR, 0, n);
    for (const [i, at] of places.entries()) {
      rows[i] = log(masses[at]) + 1e-9;
      rows[n + i] = at === 0 ? 0 : exp(at / CLASSES + LEAST_ANGLE) * (1 - 1e-12);
    }
    return new Moduli(steps[0].step.kernel, new KernelTable(rows), outside * 1.01);
  }

  private logVariation(): number {
    const { steps, c, count } = this;
    const sum = steps.reduce(
      (all, { step, count: own }) => all + (own / count) * exp(step.logVariation(c)),
      0,
    );
    return log(sum) + 1e-9;
  }
}
