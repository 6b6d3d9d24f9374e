import type { Kernel } from '../../../kernel/kernel.js';
import { CUMULANT_SUMS } from '../../../kernel/kernel-table.js';
import type { WeightedLaw } from '../../../kernel/loops.js';
import { subsampledLoss } from '../../../law/subsampling.js';
import { U } from '../../../numeric/constants.js';
import { logSum } from '../../../numeric/log-arithmetic.js';
import { Once, Recent } from '../../../numeric/recent.js';
import { exp, log, log1p } from '../../../numeric/scalar.js';
import { narrowRange, type SampledStep } from './gaussian-range.js';
import { type LostMass, lostMass } from './lost-mass.js';
import { logBefore, logBehind } from './off-axis.js';
import { largestOf, OutputPanels } from './output-panels.js';
import { gradingFor, leastTilt, type Panel } from './panel-grading.js';
import { pathBound } from './path-bound.js';
import { type CutOutputs, pathSums } from './shifted-cut.js';
import {
  type Cumulant,
  type Decay,
  type Guess,
  type LineNodes,
  type LogPhiLine,
  MAX_WORK,
  NO_DECAY,
  UNKNOWN,
} from './spectral-law.js';
import { type Cover, TiltedPanels } from './tilted-panels.js';
import { logarithms, logPhiRows } from './weighted-losses.js';

/** Panels of one law at most; beyond them there is no line. Only speed hangs on it. */
const MAX_PANELS = 1024;
/** Nodes of one line, at most. */
const MAX_NODES = 2 ** 14;
/** Longer lines are summed off the real axis. */
const LONG = 2 ** 10;
/** M − 1 is summed by itself where no φu^c exceeds the one and no log u^c the other; log M elsewhere. */
const MODERATE = 30;
const HIGHEST = 300;
/** Speed alone hangs on it. */
const FEW_HALVINGS = 4;
/** What an upper bound of count·log M may have above it. Little of a width hangs on it. */
const ENOUGH = 1e-3;
/** Nodes of a panel and the outputs that plans look at for steep negative tilts, and the largest M that they sum. */
const ROUGH_NODES = 10;
const ROUGH_DEPTH = 25;
const LARGEST_RISE = 1e100;
/** Tilted laws kept: those of the line at hand. Speed alone hangs on it. */
const KEPT_LAWS = 4;
/** Below this tilt panels are so short that they are too many; the whole law serves there. */
const SMALLEST_TILT = -1e7;

/** What sums over the same panels share whatever their tilt: Σ p max(u, 1)|y|·(error of y), and logs of what the rule and the outputs beyond leave of φ and φu. */
interface Untilted {
  readonly shift: number;
  readonly rule: readonly [number, number];
  readonly outside: readonly [number, number];
}

/** A step, without its outputs above an end or, if `whole`, with them: then all that they have is a bound. */
export interface EndedStep extends SampledStep {
  readonly whole?: boolean;
}

/** Nothing is lost. */
const NOTHING: LostMass = { logLostP: -Infinity, logLostQ: -Infinity };

/**
 * One Poisson-subsampled Gaussian step without its outputs above `cut`: M(z) = ∫_{x ≤ cut} φ(x) u(x)^z dx by Gauss–Legendre panels
 * (`output-panels.ts`). P and Q keep the masses 1 − λ_P and 1 − λ_Q, λ = `lostMass`. Of a whole step the integral above `cut` counts as what the panels leave out.
 */
export class CutGaussian implements SampledStep {
  readonly mu: number;
  readonly q: number;
  readonly lost: LostMass;
  private readonly whole: boolean;
  private readonly layouts = new Recent<number, OutputPanels>(Infinity);
  private readonly untilted = new Recent<string, Untilted>(Infinity);
  private readonly laws = new Recent<number, ReturnType<CutGaussian['tilted']>>(KEPT_LAWS);

  constructor(
    private readonly kernel: Kernel,
    { mu, q, whole = false }: EndedStep,
    readonly cut: number,
    /** Integrals are good to about e^{−depth}. */
    readonly depth: number,
    /** Nodes of a panel, an even number: with fewer than the depth asks for the rule errs by more, which is charged. */
    private readonly size: number = OutputPanels.sizeFor(depth),
  ) {
    this.mu = mu;
    this.q = q;
    this.whole = whole;
    this.lost = whole ? NOTHING : lostMass(mu, q, cut);
  }

  /** The least tilt at which panels are halved no more than `FEW_HALVINGS` times. */
  get leastCheap(): number {
    return leastTilt(this.mu, this.q, FEW_HALVINGS, SMALLEST_TILT);
  }

  /** @param manyOf Nodes of a panel where panels are many. */
  private layoutFor(c: number, manyOf: number = this.size): OutputPanels {
    const { mu, q, cut } = this;
    const grading = gradingFor(mu, q, cut, c);
    const size = grading.halvings > 0 ? manyOf : this.size;
    // both are below 32, and so is a size or the one of all
    const key = (grading.halvings * 32 + grading.grading) * 64 + size;
    return this.layouts.of(key, () => new OutputPanels(this.kernel, this, cut, size, grading));
  }

  /** That of plans: fewer nodes where panels are many, and those of sums with bounds elsewhere. */
  private roughFor(c: number): OutputPanels {
    return this.layoutFor(c, ROUGH_NODES);
  }

  /**
   * The panels on which φu^c reaches e^{−depth} of its largest value, or of e^{least} where that is more. What lies before the last panel:
   * for c ≥ 0, u^c is at most what it is at the edge; for c < 0, log φu^c is concave and rises to the edge at least as fast as there.
   */
  private cover(layout: OutputPanels, c: number, depth: number, least: number): Cover | undefined {
    const { mu, q } = this;
    for (let last = layout.countTo(startOf(mu, q, c, depth)) - 1; last < MAX_PANELS; last++) {
      const { left } = layout.panel(last);
      const before = logBefore(mu, q, left, c);
      if (!(before < Infinity)) continue;
      const tops = layout.tops(c, last);
      const top = Math.max(least, largestOf(tops.on));
      if (before <= top - depth) return { last, tops, top, logOutside: this.outside(left, c) };
    }
    return undefined;
  }

  /** log of a bound of the integral of φu^c over what lies before an output, and behind the end of a whole step. */
  private outside(left: number, c: number): number {
    const { mu, q, cut, whole } = this;
    const before = logBefore(mu, q, left, c);
    return 1e-9 + (whole ? logSum(before, logBehind(mu, q, cut, c)) : before);
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
    return this.cumulantOn(this.layoutFor(c), c, count, this.depth + log(2 + Math.abs(c)));
  }

  /** An upper bound of count·log M(c): by the panels of plans, where these say enough. */
  above(c: number, count: number): number {
    if (c < SMALLEST_TILT) return Infinity;
    const rough = this.cumulantOn(this.roughFor(c), c, count, this.depth);
    const { value, error } = rough.error < ENOUGH ? rough : this.cumulant(c, count);
    return value + error;
  }

  private cumulantOn(layout: OutputPanels, c: number, count: number, depth: number): Cumulant {
    const { mu, q, cut } = this;
    const highest = subsampledLoss(mu * cut - (mu * mu) / 2, q);
    if (!(c * highest < HIGHEST && c * log1p(-q) < MODERATE && highest < HIGHEST))
      return this.largeCumulant(layout, c, count, depth);
    const size = Math.abs(c);
    const cover = this.cover(layout, c, depth, 0);
    if (cover === undefined) return UNKNOWN;
    const { last, top, tops } = cover;
    if (top > MODERATE + log(1 + size)) return this.largeCumulant(layout, c, count, depth);
    const [mass, first, second, excess, rough, shift] = this.sumsOver(layout, last, Float64Array.of(c));
    const plain = this.untiltedOn(layout, last);
    const part = (own: number, [zero, one]: readonly [number, number]): number =>
      exp(own) + (1 + size) * exp(zero) + size * exp(one);
    const rule = part(layout.errorUpTo(last, tops.off), plain.rule);
    const outside = part(this.outside(layout.panel(last).left, c), plain.outside);
    const { logLostP, logLostQ } = this.lost;
    const lost = exp(logLostP) + c * (exp(logLostQ) - exp(logLostP));
    const lostError = 4e-10 * (exp(logLostP) * (1 + size) + exp(logLostQ) * size);
    const rise = excess - lost;
    // the relative errors of the weights are at least 24u each
    const blocks = ((last + 1) * layout.size) / 32;
    const rounding = rough * (1 + (50 + blocks) / 24);
    const moved = 1.5 * size * Math.max(1, Math.abs(c - 1)) * (shift + plain.shift);
    const doubt = (rounding + moved) * 1.001 + outside + rule + lostError;
    if (!(doubt < 1e-3 * (1 + rise))) return UNKNOWN;
    const mean = first / mass;
    const variance = Math.max(0, second / mass - mean * mean);
    const value = count * log1p(rise);
    const error = (count * doubt * 1.002) / (1 + rise) + 6 * U * Math.abs(value);
    return { value, error, mean: count * mean, variance: count * variance };
  }

  private sumsOver(layout: OutputPanels, last: number, tilts: Float64Array): Float64Array {
    return this.kernel.cumulantSums(layout.through(last), 0, (last + 1) * layout.size, tilts);
  }

  private untiltedOn(layout: OutputPanels, last: number): Untilted {
    const key = `${layout.half}/${layout.firstHalf}/${layout.size}/${last}`;
    return this.untilted.of(key, () => {
      const sums = this.sumsOver(layout, last, Float64Array.of(0, 1));
      const [rule, outside] = [
        (c: number) => layout.errorUpTo(last, layout.tops(c, last).off),
        (c: number) => this.outside(layout.panel(last).left, c),
      ].map((bound) => [bound(0), bound(1)] as const);
      return { shift: sums[CUMULANT_SUMS - 1] + sums[2 * CUMULANT_SUMS - 1], rule, outside };
    });
  }

  /** The same where M is far from 1: the logarithm of the sum. */
  private largeCumulant(layout: OutputPanels, c: number, count: number, depth: number): Cumulant {
    const cover = this.cover(layout, c, depth, -Infinity);
    if (cover === undefined) return UNKNOWN;
    const { top, last, tops, logOutside } = cover;
    const { sums, n } = TiltedPanels.sums(this.kernel, layout, cover, c);
    const [mass, first, second, , , wrong] = sums;
    const rule = exp(layout.errorUpTo(last, tops.off) - top);
    const mean = first / mass;
    const variance = Math.max(0, second / mass - mean * mean);
    const relative = (wrong + rule + exp(logOutside - top)) / mass + n * U;
    if (!(relative < 1e-3)) return UNKNOWN;
    const value = count * (top + log(mass));
    const error = count * (1.002 * relative + 4 * U * Math.abs(top)) + 4 * U * Math.abs(value);
    return { value, error, mean: count * mean, variance: count * variance };
  }

  /** `cumulant` at several tilts without bounds of the error: for plans. */
  near(tilts: Float64Array, count: number): Guess[] {
    const { mu, q, depth } = this;
    const guesses: Guess[] = [];
    for (let from = 0; from < tilts.length; ) {
      const c = tilts[from];
      if (c < SMALLEST_TILT) {
        guesses.push(UNKNOWN);
        from++;
        continue;
      }
      const layout = this.roughFor(c);
      let to = tilts.length;
      // the layouts of tilts in order are in order too
      const far = tilts[to - 1];
      if (!(far >= SMALLEST_TILT && this.roughFor(far) === layout)) {
        to = from + 1;
        while (to < tilts.length && tilts[to] >= SMALLEST_TILT && this.roughFor(tilts[to]) === layout) to++;
      }
      // the outputs that count to the least tilt hold those of the others
      const least = tilts.subarray(from, to).reduce((a, b) => Math.min(a, b), 0);
      const reach = layout.size === ROUGH_NODES ? ROUGH_DEPTH : depth;
      const last = layout.countTo(startOf(mu, q, least, reach)) - 1;
      if (last >= MAX_PANELS) {
        for (; from < to; from++) guesses.push(UNKNOWN);
        continue;
      }
      const sums = this.sumsOver(layout, last, tilts.subarray(from, to));
      for (let i = 0; from < to; from++, i += CUMULANT_SUMS) {
        const mean = sums[i + 1] / sums[i];
        const variance = sums[i + 2] / sums[i] - mean * mean;
        const rise = sums[i + 3];
        guesses.push(
          rise < LARGEST_RISE && sums[i] > 1e-200 && variance > 0
            ? { value: count * log1p(rise), mean: count * mean, variance: count * variance }
            : this.cumulant(tilts[from], count),
        );
      }
    }
    return guesses;
  }

  /** count·log φ on a line; undefined where that takes too many nodes. */
  line(at: LineNodes, count: number): LogPhiLine | undefined {
    const { c, dTau, n } = at;
    const { kernel } = this;
    const law = n > LONG ? undefined : this.weighted(c, dTau * n);
    if (law !== undefined && law.loss.length * n <= MAX_WORK)
      return logPhiRows(kernel.logPhi(law, { dTau, n }, count));
    const outputs = this.outputs(c);
    const sums = outputs && pathSums(kernel, outputs, { dTau, n });
    return sums && logarithms(kernel, sums, count);
  }

  /** log of a bound of |M(c + iτ)|/M(c) for every larger τ, off the real axis. */
  pathBound(c: number): ((tau: number) => number) | undefined {
    const outputs = this.outputs(c);
    return outputs && pathBound(this.kernel, outputs);
  }

  private outputs(c: number): CutOutputs | undefined {
    const layout = this.layoutFor(c);
    const cover = this.cover(layout, c, this.depth, -Infinity);
    const logM = this.cumulant(c, 1);
    if (cover === undefined || !(logM.value < Infinity)) return undefined;
    const behind = this.whole ? logBehind(this.mu, this.q, this.cut, c) : undefined;
    return { layout, c, from: layout.panel(cover.last).left, behind, logM };
  }

  /** The tilted law at the panels of its tilt; undefined where nothing is known of it. */
  private tilted(c: number): { readonly cover: Cover; readonly law: TiltedPanels } | undefined {
    return this.laws.of(c, () => {
      const layout = this.layoutFor(c);
      const cover = this.cover(layout, c, this.depth, -Infinity);
      const logM = this.cumulant(c, 1);
      if (cover === undefined || !(logM.value < Infinity)) return undefined;
      return { cover, law: TiltedPanels.whole(this.kernel, layout, cover, c, logM) };
    });
  }

  /** Bounds of |φ| by the cells and parts of the tilted law, and off the axis. */
  decay(c: number): Decay {
    const tilted = this.tilted(c);
    if (tilted === undefined) return NO_DECAY;
    const layout = this.layoutFor(c);
    const bound = new Once(() => this.pathBound(c) ?? (() => 0));
    const left = layout.panel(tilted.cover.last).left;
    return tilted.law.decay(layout, c, left, (tau) => bound.value(tau));
  }

  /** The tilted law as weighted losses, good for |τ| ≤ tau. */
  private weighted(c: number, tau: number): WeightedLaw | undefined {
    const tilted = this.tilted(c);
    if (tilted === undefined) return undefined;
    const { top, last, tops, logOutside } = tilted.cover;
    const limit = top - this.depth - 2;
    const layout = this.layoutFor(c);
    const parted: Panel[] = [];
    let rule = 0;
    for (let k = 0; k <= last; k++) {
      const found = layout.partsOf(k, tau, tops.off[k], limit);
      if (found === undefined || (parted.length + found.parts) * layout.size > MAX_NODES) return undefined;
      rule += exp(found.logError - top);
      const { left, half: whole } = layout.panel(k);
      const half = whole / found.parts;
      for (let i = found.parts - 1; i >= 0; i--) parted.push({ left: left + 2 * half * i, half });
    }
    const made = parted.length > last + 1;
    const law = made ? TiltedPanels.on(this.kernel, layout, layout.place(parted), c, top) : tilted.law;
    return law.law(rule + exp(logOutside - top));
  }
}

/** Where sums of φu^c begin: an output before which little of it lies. */
function startOf(mu: number, q: number, c: number, depth: number): number {
  const reach = Math.sqrt(2 * depth);
  return c < 0 ? narrowRange(mu, q, c, depth, reach).from : -reach;
}
