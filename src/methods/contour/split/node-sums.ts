import type { Kernel } from '../../../kernel/kernel.js';
import { U } from '../../../numeric/constants.js';
import { exp } from '../../../numeric/scalar.js';
import type { SampledPhase } from './split-lines.js';
import { type Panel, type StepsTable, NODES as TERMS } from './steps-table.js';

/** One question: the falling functionals at K = aA + e^ζ, or the rising ones. Outputs are named by their distance from the end, where w is 0. */
export interface Question {
  readonly zeta: number;
  readonly falling: boolean;
  /** W = e^ζ/a, by its logarithm, and the output where u = A + W. */
  readonly width: number;
  readonly end: number;
  /** What that output may be off by. */
  readonly blur: number;
  /** The loss and the inner ζ on the grid of distances. */
  readonly losses: number[];
  readonly inners: number[];
  /** The largest of the integrand on cells of the grid. */
  readonly cells: readonly [number[], number[]];
}

/** Panels for all questions of a band of ζ: a function of the steps and the band. */
export interface Band {
  readonly from: number;
  readonly until: number;
  /** Whether they reach the end, so that what lies beyond has a closed form. */
  readonly ends: boolean;
  /** log of about the largest of the integrand. */
  readonly scale: number;
  readonly bends: readonly Bend[];
  /** Distances d of the nodes, weights, e^{−μd} and 1 − e^{−μd}. */
  readonly distance: Float64Array;
  readonly weight: Float64Array;
  readonly share: Float64Array;
  readonly gap: Float64Array;
}

/** The distances an ellipse reaches from and to, log of the rule's error over the integrand's largest, and how far the inner argument moves. */
export interface Bend {
  readonly right: number;
  readonly left: number;
  readonly rule: number;
  readonly shift: number;
}

/** A sum, what it may be off by, and a bound of its slope in ζ. */
export interface Totals {
  body: number;
  wrong: number;
  steep: number;
}

/** Sums of the integrand of one more step over the nodes of all panels. */
export class NodeSums {
  private readonly rows: Float64Array[] = [];
  private readonly panels: Panel[] = [];

  constructor(
    private readonly kernel: Kernel,
    private readonly phase: SampledPhase,
    private readonly inner: StepsTable,
  ) {}

  /** Sums over the nodes of all panels, in units of e^{scale}; what roundings and the table do to them, and the moduli of their slopes. */
  at(of: Question, band: Band): [Totals, Totals] | undefined {
    const { distance, share, gap, scale } = band;
    const { panels } = this;
    const n = distance.length;
    const [u, inner, exponent] = [0, 1, 2].map((row) => this.row(row, n));
    const [a, w, rise] = [1 - this.phase.rate, exp(of.width), exp(of.zeta)];
    for (let i = 0; i < n; i++) {
      u[i] = a + w * share[i];
      inner[i] = (rise * gap[i]) / u[i];
    }
    this.kernel.log(inner, inner);
    if (!this.inner.panelsAt(inner, panels)) return undefined;
    for (let i = 0; i < n; i++) {
      const panel = panels[i];
      const fit = of.falling ? panel.falling : panel.rising;
      const x = of.end - distance[i];
      exponent[i] = fit.level + fit.tilt * (inner[i] - panel.middle) - (x * x) / 2 - scale;
    }
    this.kernel.exp(exponent, exponent);
    return this.added(of, band, u, [inner, exponent]);
  }

  private row(i: number, n: number): Float64Array {
    if (!(this.rows[i]?.length >= n)) this.rows[i] = new Float64Array(2 * n);
    return this.rows[i].subarray(0, n);
  }

  private added(
    of: Question,
    { distance, weight, scale }: Band,
    u: Float64Array,
    [inner, exponent]: readonly [Float64Array, Float64Array],
  ): [Totals, Totals] {
    const { mu } = this.phase;
    const n = inner.length;
    const first = { body: 0, wrong: 0, steep: 0 };
    const second = { body: 0, wrong: 0, steep: 0 };
    const logScale = 48 + 2 * Math.abs(scale);
    const fixed = U * (16 + 2 * this.inner.steps.count);
    for (let i = 0; i < n; i++) {
      const panel = this.panels[i];
      const fit = of.falling ? panel.falling : panel.rising;
      const { terms } = fit;
      const z = (2 * (inner[i] - panel.middle)) / panel.half;
      let a1 = terms[TERMS - 1];
      let b1 = terms[2 * TERMS - 1];
      let a2 = 0;
      let b2 = 0;
      for (let k = TERMS - 2; k > 0; k--) {
        const a0 = terms[k] + (z * a1 - a2);
        const b0 = terms[TERMS + k] + (z * b1 - b2);
        a2 = a1;
        a1 = a0;
        b2 = b1;
        b1 = b0;
      }
      const x = of.end - distance[i];
      const size = weight[i] * exponent[i];
      const away = 4 * mu * distance[i];
      const own =
        U * (logScale + 3 * x * x + 4 * Math.abs(x) * distance[i] + 2 * Math.abs(fit.level) + away) +
        Math.abs(x) * of.blur;
      const moved = fixed + U * (2 * Math.abs(inner[i]) + away);
      const steep = Math.abs(x) / mu + 1;
      const value = size * u[i] * (terms[0] + (0.5 * z * a1 - a2));
      const rate = size * (of.falling ? 1 : u[i]) * (terms[TERMS] + (0.5 * z * b1 - b2));
      first.body += value;
      second.body += rate;
      first.wrong += value * (own + fit.error[0] + fit.slope[0] * moved);
      second.wrong += rate * (own + fit.error[1] + fit.slope[1] * moved);
      first.steep += value * (steep + fit.slope[0]);
      second.steep += rate * (steep + fit.slope[1]);
    }
    return [first, second];
  }
}
