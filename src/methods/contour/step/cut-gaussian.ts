import type { Kernel } from '../../../kernel/kernel.js';
import { CUMULANT_SUMS } from '../../../kernel/kernel-table.js';
import { subsampledLoss } from '../../../law/subsampling.js';
import { U } from '../../../numeric/constants.js';
import { logSum } from '../../../numeric/log-arithmetic.js';
import { exp, expm1, log, log1p, logNormalCdf } from '../../../numeric/scalar.js';
import { narrowRange } from './gaussian-range.js';
import {
  densityError,
  emptyNodes,
  gradingFor,
  logBefore,
  type OutputNodes,
  OutputPanels,
  type PanelTops,
} from './output-panels.js';
import { pathLaw } from './path-law.js';
import { type CutOutputs, pathSums } from './shifted-cut.js';
import {
  type Cumulant,
  type Decay,
  type Guess,
  type LogPhiLine,
  MAX_WORK,
  type PanelLaw,
  UNKNOWN,
} from './spectral-law.js';
import { logarithms, logPhiLine, type WeightedLosses } from './weighted-losses.js';

const MAX_PANELS = 512;
/** Nodes of one line, at most. */
const MAX_NODES = 2 ** 14;
/** Longer lines are summed off the real axis. */
const LONG = 2 ** 10;
/** M − 1 is summed by itself where no φu^c exceeds the one and no log u^c the other; log M elsewhere. */
const MODERATE = 30;
const HIGHEST = 300;
/** Nodes of a panel and the outputs that plans look at, and the largest M that they sum. */
const ROUGH_NODES = 10;
const ROUGH_DEPTH = 40;
const ROUGH_REACH = 8;
const LARGEST_RISE = 1e100;
/** Below this tilt panels are so short that they are too many; the whole law serves there. */
const SMALLEST_TILT = -3e4;

/** What a cut takes from P and from Q: upper bounds of logarithms. */
export interface LostMass {
  readonly logLostP: number;
  readonly logLostQ: number;
}

/** log of Φ̄(X) and of (1 − q) Φ̄(X) + q Φ̄(X − μ), rounded up. */
export function lostMass(mu: number, q: number, cut: number): LostMass {
  const base = logNormalCdf(-cut);
  const shifted = logNormalCdf(mu - cut);
  const mixed = shifted - base > 600 ? log(q) + shifted : base + log1p(q * expm1(shifted - base));
  const padded = (value: number): number => Math.min(0, value + 1e-12 * (1 - value));
  return { logLostP: padded(base), logLostQ: padded(mixed) };
}

/** A bound weight·φu^c of part of an integrand, and its largest values on panels. */
interface Part {
  readonly c: number;
  readonly weight: number;
  readonly tops: (k: number) => PanelTops;
}

/** The panels `first` … `last` that sums are taken over, log of the largest value met, and of a bound of the integral over all others. */
interface Cover {
  readonly first: number;
  readonly last: number;
  readonly top: number;
  readonly logOutside: number;
}

/**
 * One Poisson-subsampled Gaussian step without its outputs above `cut`: M(z) = ∫_{x ≤ cut} φ(x) u(x)^z dx by Gauss–Legendre panels
 * (`output-panels.ts`). P and Q keep the masses 1 − λ_P and 1 − λ_Q, λ = `lostMass`.
 */
export class CutGaussian {
  readonly lost: LostMass;
  private readonly layouts = new Map<string, OutputPanels>();
  private readonly rough = new Map<string, OutputPanels>();
  private readonly shifts = new Map<string, number>();
  private readonly fixed = new Map<OutputPanels, [PanelTops[], PanelTops[]]>();

  constructor(
    private readonly kernel: Kernel,
    readonly mu: number,
    readonly q: number,
    readonly cut: number,
    /** Integrals are good to about e^{−depth}. */
    readonly depth: number,
  ) {
    this.lost = lostMass(mu, q, cut);
  }

  private layoutFor(c: number): OutputPanels {
    const { mu, q, cut, depth } = this;
    const grading = gradingFor(mu, q, cut, c);
    const key = `${grading.halvings}/${grading.grading}`;
    let layout = this.layouts.get(key);
    if (layout === undefined) {
      layout = new OutputPanels(this.kernel, mu, q, cut, OutputPanels.sizeFor(depth), grading);
      this.layouts.set(key, layout);
    }
    return layout;
  }

  /**
   * The panels between which a part reaches e^{−depth} of the largest value met, or of e^{least} where that is more. What lies before the last panel:
   * for c ≥ 0, u^c is at most what it is at the edge; for c < 0, log φu^c is concave and rises to the edge at least as fast as there.
   */
  private cover(
    layout: OutputPanels,
    parts: readonly Part[],
    depth: number,
    least: number,
  ): Cover | undefined {
    const { mu, q } = this;
    const heights: number[] = [];
    let top = least;
    let logOutside = -Infinity;
    for (let k = 0; ; k++) {
      if (k >= MAX_PANELS) return undefined;
      let height = -Infinity;
      for (const { weight, tops } of parts) height = Math.max(height, log(weight) + tops(k).own);
      heights.push(height);
      top = Math.max(top, height);
      const { left: edge } = layout.panel(k);
      if (edge > -2) continue;
      logOutside = -Infinity;
      for (const { c, weight } of parts)
        logOutside = logSum(logOutside, log(weight) + logBefore(mu, q, edge, c));
      if (logOutside <= top - depth) break;
    }
    let first = 0;
    while (heights[first] <= top - depth - 4) {
      logOutside = logSum(logOutside, log(2 * parts.length * layout.panel(first).half) + heights[first]);
      first++;
    }
    return { first, last: heights.length - 1, top, logOutside: logOutside + 1e-9 };
  }

  private partAt(layout: OutputPanels, c: number, weight: number): Part {
    const known = c === 0 || c === 1 ? this.untilted(layout, c) : [];
    return {
      c,
      weight,
      tops: (k) => {
        let tops = known[k];
        if (tops === undefined) {
          tops = layout.topsOn(k, c);
          known[k] = tops;
        }
        return tops;
      },
    };
  }

  private untilted(layout: OutputPanels, c: 0 | 1): PanelTops[] {
    let known = this.fixed.get(layout);
    if (known === undefined) {
      known = [[], []];
      this.fixed.set(layout, known);
    }
    return known[c];
  }

  /**
   * count·log M(c). Where M is moderate, M − 1 = ∫ φ(u^c − 1 − c(u − 1)) − λ_P − c(λ_Q − λ_P), summed with an error relative to itself,
   * so that count·log M keeps its digits for any count.
   *
   * An error d of a loss moves u^c − 1 − c(u − 1) by c(u^c − u)d, at most |c||c − 1||y| max(u^c, u)|d|; roundings of y and cy alone by at most c²y²
   * max(u^c, 1)·4u. Both are below 1.5|c| max(1, |c − 1|)·(u^c + max(u, 1))|y|·(error of y), which counts 12u|y| itself.
   */
  cumulant(c: number, count: number): Cumulant {
    if (c < SMALLEST_TILT) return UNKNOWN;
    const { mu, q, cut } = this;
    const layout = this.layoutFor(c);
    const depth = this.depth + log(2 + Math.abs(c));
    const highest = subsampledLoss(mu * cut - (mu * mu) / 2, q);
    if (!(c * highest < HIGHEST && c * log1p(-q) < MODERATE && highest < HIGHEST))
      return this.largeCumulant(layout, c, count, depth);
    const size = Math.abs(c);
    const parts = [
      this.partAt(layout, c, 1),
      this.partAt(layout, 0, 1 + size),
      this.partAt(layout, 1, size),
    ].filter(({ weight }) => weight > 0);
    const cover = this.cover(layout, parts, depth, 0);
    if (cover === undefined) return UNKNOWN;
    if (cover.top > MODERATE + log(1 + size)) return this.largeCumulant(layout, c, count, depth);
    const [mass, first, second, excess, rough, shift] = this.sumsOver(layout, cover, Float64Array.of(c));
    const untilted = this.shiftOf(layout, cover);
    let rule = 0;
    for (let k = cover.first; k <= cover.last; k++) {
      for (const { c: tilt, weight, tops } of parts) rule += weight * exp(layout.errorOn(k, tilt, tops(k)));
    }
    const { logLostP, logLostQ } = this.lost;
    const lost = exp(logLostP) + c * (exp(logLostQ) - exp(logLostP));
    const lostError = 4e-10 * (exp(logLostP) * (1 + size) + exp(logLostQ) * size);
    const rise = excess - lost;
    // the relative errors of the weights are at least 24u each
    const blocks = ((cover.last - cover.first + 1) * layout.size) / 32;
    const rounding = rough * (1 + (50 + blocks) / 24);
    const moved = 1.5 * size * Math.max(1, Math.abs(c - 1)) * (shift + untilted);
    const doubt = (rounding + moved) * 1.001 + exp(cover.logOutside) + rule + lostError;
    if (!(doubt < 1e-3 * (1 + rise))) return UNKNOWN;
    const mean = first / mass;
    const variance = Math.max(0, second / mass - mean * mean);
    const value = count * log1p(rise);
    const error = (count * doubt * 1.002) / (1 + rise) + 6 * U * Math.abs(value);
    return { value, error, mean: count * mean, variance: count * variance };
  }

  private sumsOver(layout: OutputPanels, { first, last }: Cover, tilts: Float64Array): Float64Array {
    layout.through(first, last);
    return this.kernel.cumulantSums(layout.mesh, first * layout.size, (last + 1) * layout.size, tilts);
  }

  /** Σ p max(u, 1)|y|·(error of y). */
  private shiftOf(layout: OutputPanels, cover: Cover): number {
    const key = `${layout.half}/${layout.firstHalf}/${cover.first}/${cover.last}`;
    let shift = this.shifts.get(key);
    if (shift === undefined) {
      const sums = this.sumsOver(layout, cover, Float64Array.of(0, 1));
      shift = sums[CUMULANT_SUMS - 1] + sums[2 * CUMULANT_SUMS - 1];
      this.shifts.set(key, shift);
    }
    return shift;
  }

  /** The same where M is far from 1: the logarithm of the sum. */
  private largeCumulant(layout: OutputPanels, c: number, count: number, depth: number): Cumulant {
    const part = this.partAt(layout, c, 1);
    const cover = this.cover(layout, [part], depth, -Infinity);
    if (cover === undefined) return UNKNOWN;
    const { top } = cover;
    const { x, unit, loss, lossError } = layout.through(cover.first, cover.last);
    let mass = 0;
    let first = 0;
    let second = 0;
    let wrong = 0;
    const end = (cover.last + 1) * layout.size;
    for (let j = cover.first * layout.size; j < end; j++) {
      const f = unit[j] * exp(c * loss[j] - (x[j] * x[j]) / 2 - top);
      mass += f;
      first += f * loss[j];
      second += f * loss[j] * loss[j];
      wrong +=
        f *
        (densityError(x[j], layout.half) +
          U * (3 * Math.abs(c * loss[j]) + Math.abs(top)) +
          Math.abs(c) * lossError[j]);
    }
    let rule = 0;
    for (let k = cover.first; k <= cover.last; k++) rule += exp(layout.errorOn(k, c, part.tops(k)) - top);
    const nodes = (cover.last - cover.first + 1) * layout.size;
    const mean = first / mass;
    const variance = Math.max(0, second / mass - mean * mean);
    const relative = (wrong + rule + exp(cover.logOutside - top)) / mass + nodes * U;
    if (!(relative < 1e-3)) return UNKNOWN;
    const value = count * (top + log(mass));
    const error = count * (1.002 * relative + 4 * U * Math.abs(top)) + 4 * U * Math.abs(value);
    return { value, error, mean: count * mean, variance: count * variance };
  }

  /** `cumulant` from few nodes: for plans. */
  near(c: number, count: number): Guess {
    if (c < SMALLEST_TILT) return UNKNOWN;
    const { mu, q, cut } = this;
    const grading = gradingFor(mu, q, cut, c);
    const key = `${grading.halvings}/${grading.grading}`;
    let layout = this.rough.get(key);
    if (layout === undefined) {
      layout = new OutputPanels(this.kernel, mu, q, cut, ROUGH_NODES, grading);
      this.rough.set(key, layout);
    }
    const { from } = narrowRange(mu, q, c, ROUGH_DEPTH, ROUGH_REACH);
    const last = layout.countTo(from) - 1;
    layout.through(0, last);
    const sums = this.kernel.cumulantSums(layout.mesh, 0, (last + 1) * layout.size, Float64Array.of(c));
    const [mass, first, second, rise] = sums;
    const mean = first / mass;
    const variance = second / mass - mean * mean;
    if (!(rise < LARGEST_RISE && mass > 1e-200 && variance > 0)) return this.cumulant(c, count);
    return { value: count * log1p(rise), mean: count * mean, variance: count * variance };
  }

  /** count·log φ on a line; undefined where that takes too many nodes. */
  line(kernel: Kernel, c: number, dTau: number, n: number, count: number, first = 0): LogPhiLine | undefined {
    const nodes = n > LONG ? undefined : this.tilted(c, dTau * (first + n), this.depth);
    if (nodes !== undefined && nodes.loss.length * n <= MAX_WORK)
      return logPhiLine(kernel, nodes, dTau, n, count, first);
    const outputs = this.outputs(c);
    const sums = outputs && pathSums(kernel, outputs, { dTau, n, first });
    return sums && logarithms(sums.re, sums.im, sums.wrong, sums.missing, count);
  }

  /** @param beyond Bounds of |φ| at tilt c; see `Decay`. */
  panels(c: number, steps: number, beyond: Decay['beyond']): PanelLaw | undefined {
    const outputs = this.outputs(c);
    return (
      outputs &&
      pathLaw(this.kernel, { cumulant: (at, count) => this.cumulant(at, count), beyond }, outputs, steps)
    );
  }

  private outputs(c: number): CutOutputs | undefined {
    const layout = this.layoutFor(c);
    const part = this.partAt(layout, c, 1);
    const cover = this.cover(layout, [part], this.depth, -Infinity);
    const logM = this.cumulant(c, 1);
    if (cover === undefined || !(logM.value < Infinity)) return undefined;
    return { layout, c, from: layout.panel(cover.last).left, logM };
  }

  /** The tilted law as weighted losses, good for |τ| ≤ tau. */
  tilted(c: number, tau: number, depth: number): WeightedLosses | undefined {
    const layout = this.layoutFor(c);
    const part = this.partAt(layout, c, 1);
    const cover = this.cover(layout, [part], depth, -Infinity);
    if (cover === undefined) return undefined;
    const { top } = cover;
    const pieces: { nodes: OutputNodes; from: number; half: number }[] = [];
    let rule = 0;
    const known = layout.through(cover.first, cover.last);
    for (let k = cover.first; k <= cover.last; k++) {
      const whole = layout.panel(k);
      const made = layout.split(whole, c, tau, top - depth - 2);
      if (made === undefined || (pieces.length + made.panels.length) * layout.size > MAX_NODES)
        return undefined;
      rule += exp(made.logError - top);
      for (const panel of made.panels) {
        if (made.panels.length === 1) pieces.push({ nodes: known, from: k * layout.size, half: panel.half });
        else {
          const nodes = emptyNodes(layout.size);
          layout.place([panel], nodes, 0);
          pieces.push({ nodes, from: 0, half: panel.half });
        }
      }
    }
    return weighted(pieces, layout.size, c, top, rule + exp(cover.logOutside - top));
  }
}

/** φu^c at the nodes as probabilities. `outside` bounds what they leave out, in units of e^{top}. */
function weighted(
  pieces: readonly { nodes: OutputNodes; from: number; half: number }[],
  size: number,
  c: number,
  top: number,
  outside: number,
): WeightedLosses {
  const n = pieces.length * size;
  const kept = {
    loss: new Float64Array(n),
    weight: new Float64Array(n),
    weightError: new Float64Array(n),
    lossError: new Float64Array(n),
  };
  let mass = 0;
  let at = 0;
  for (const { nodes, from, half } of pieces)
    for (let j = from; j < from + size; j++, at++) {
      const x = nodes.x[j];
      const y = nodes.loss[j];
      const f = nodes.unit[j] * exp(c * y - (x * x) / 2 - top);
      mass += f;
      kept.loss[at] = y;
      kept.weight[at] = f;
      kept.weightError[at] =
        densityError(x, half) +
        U * (3 * Math.abs(c * y) + 2 * Math.abs(top)) +
        Math.abs(c) * nodes.lossError[j];
      kept.lossError[at] = nodes.lossError[j];
    }
  for (let j = 0; j < n; j++) kept.weight[j] /= mass;
  return { ...kept, missing: (2.1 * outside) / mass };
}
