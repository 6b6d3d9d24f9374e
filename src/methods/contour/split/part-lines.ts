import type { Kernel } from '../../../kernel/kernel.js';
import { Recent } from '../../../numeric/recent.js';
import { exp, log } from '../../../numeric/scalar.js';
import { firstBetween } from '../../../numeric/solve.js';
import { type Answer, Contour, layOut } from '../line/contour.js';
import {
  type CountedSpectrum,
  chernoffAt,
  gaussianSaddle,
  type LinePlan,
  RealAxis,
  Saddle,
  saddleEpsilon,
  spacingFor,
} from '../line/contour-plan.js';
import type { Functional } from '../line/line-table.js';
import { levelOf } from '../line/lines.js';

/** Saddles s stand on a ladder of this ratio, and serve a step and a bit of it in either direction. */
const RATIO = 1.42;
const LOG_RATIO = log(RATIO);
const SERVED = 0.6;
/** Steps that one of the ladder is divided in where the losses it serves are too far apart for one line. */
const FINER = [1, 8, 64] as const;
/** The loosest level of a line: most of what one costs is its plan. */
const LOOSEST = -10;
const MAX_KEPT = 64;
/** Rungs go no further than this. */
const FURTHEST = 160;

function tiltAt(rung: number, finer: number): number {
  return exp((rung / finer) * LOG_RATIO);
}

/**
 * The lines of a part of a run, through saddles on a ladder: which one answers at x depends on x and the width asked for alone.
 */
export class PartLines {
  readonly axis: RealAxis;
  private readonly lines = new Recent<string, Contour | undefined>(MAX_KEPT);

  constructor(
    private readonly kernel: Kernel,
    private readonly laws: readonly CountedSpectrum[],
    private readonly longest: number,
  ) {
    this.axis = new RealAxis(laws);
  }

  delta(x: number, width: number): Answer | undefined {
    return this.lineFor(x, width)?.answer('delta', x);
  }

  /** A bracket of the rate at x itself: where lines have windows, of the mean after x and the mean before it. */
  rate(functional: 'falsePositive' | 'power', x: number, width: number): Answer | undefined {
    const line = this.lineFor(x, width);
    if (line === undefined || line.window === 0) return line?.answer(functional, x);
    const half = (line.window / 2) * (1 + 1e-9);
    const before = line.answer(functional, x - half);
    const after = line.answer(functional, x + half);
    return { ...before, lower: Math.min(after.lower, before.upper) };
  }

  /** log δ or FPR at x by the saddle of a rung, for guesses. */
  near(functional: 'delta' | 'falsePositive', x: number): number {
    const rung = this.rungFor(x, 1);
    if (rung === undefined) return -Infinity;
    const saddle = Saddle.on(this.axis, tiltAt(rung, 1));
    const { s, epsilon, logDelta, logFpr } = saddle;
    const there = functional === 'delta' ? logDelta + s * (epsilon - x) : logFpr + (1 + s) * (epsilon - x);
    return Math.min(0, there);
  }

  /** Chernoff's bound at the rungs around the saddle. */
  bound(functional: Functional, x: number): number {
    const at = (c: number): number => chernoffAt(this.axis, functional, c, x);
    const rung = this.rungFor(x, 1);
    const around = rung === undefined ? [] : [rung - 1, rung, rung + 1];
    return Math.min(at(1), ...around.map((k) => at(1 + tiltAt(k, 1))));
  }

  private lineFor(x: number, width: number): Contour | undefined {
    const level = Math.min(LOOSEST, levelOf(width));
    for (const finer of FINER) {
      const step = this.rungFor(x, finer);
      if (step === undefined) return undefined;
      const line = this.lines.of(`${step}/${finer}/${level}`, () => this.lineAt(step, finer, level));
      if (line !== undefined) return line;
    }
    return undefined;
  }

  /** The rung of the saddle whose ε is nearest to x: M is asked for at rungs alone, which many x's share. */
  private rungFor(x: number, finer: number): number | undefined {
    const epsilonAt = (k: number): number => {
      const s = tiltAt(k, finer);
      const cumulant = this.axis.near(1 + s);
      return cumulant.value < Infinity ? saddleEpsilon(s, cumulant) : Infinity;
    };
    const start = gaussianSaddle(this.axis, x);
    if (!(start > 0 && start < Infinity)) return undefined;
    let low = Math.round((finer * log(start)) / LOG_RATIO);
    let high = low;
    const last = finer * FURTHEST;
    for (let step = 1; epsilonAt(high) < x; step *= 2) {
      if (high > last) return undefined;
      [low, high] = [high, high + step];
    }
    for (let step = 1; !(epsilonAt(low) < x); step *= 2) {
      if (low < -last) return undefined;
      [low, high] = [low - step, low];
    }
    const above = firstBetween(low, high, (k) => !(epsilonAt(k) < x));
    return x - epsilonAt(above - 1) < epsilonAt(above) - x ? above - 1 : above;
  }

  /** The line through a rung, for the x's around it. */
  private lineAt(step: number, finer: number, level: number): Contour | undefined {
    const at = (rung: number): Saddle => Saddle.on(this.axis, tiltAt(rung, finer));
    const ends = [at(step - SERVED), at(step + SERVED)];
    const plan: LinePlan = { saddle: at(step), logLevel: Math.LN10 * level, ends };
    const known = ends.every(({ logDelta }) => logDelta < Infinity);
    const layout = known
      ? layOut(this.kernel, this.laws, plan, spacingFor(this.axis, plan), this.longest)
      : undefined;
    return layout && Contour.on(this.kernel, this.laws, this.axis, plan, layout);
  }
}
