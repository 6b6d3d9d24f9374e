import type { Kernel } from '../../../kernel/kernel.js';
import { Recent } from '../../../numeric/recent.js';
import { exp, log } from '../../../numeric/scalar.js';
import { type Answer, Contour, layOut } from '../line/contour.js';
import {
  type CountedSpectrum,
  chernoffAt,
  type LinePlan,
  logDeltaNear,
  logFprNear,
  RealAxis,
  type Saddle,
  saddleAt,
  saddleFor,
} from '../line/contour-plan.js';
import type { Functional } from '../line/line-table.js';
import { levelOf } from '../line/lines.js';

/** Saddles s stand on a ladder of this ratio, and serve a step and a bit of it in either direction. */
const RATIO = 1.19;
const LOG_RATIO = log(RATIO);
const SERVED = 0.6;
/** Steps that one of the ladder is divided in where the losses it serves are too far apart for one line. */
const FINER = [1, 8, 64] as const;
/** Tilts tried where there is no line through the saddle, in steps of the ladder. */
const WEAKER = [0, -2, -5] as const;
const MAX_KEPT = 64;

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

  /** Chernoff's bound at the saddle. */
  bound(functional: Functional, x: number): number {
    const saddle = saddleFor(this.axis, x);
    const at = (c: number): number => chernoffAt(this.axis, functional, c, x);
    return Math.min(at(1), saddle ? at(1 + saddle.s) : Infinity);
  }

  private lineFor(x: number, width: number): Contour | undefined {
    const saddle = saddleFor(this.axis, x);
    if (saddle === undefined) return undefined;
    const level = levelOf(width);
    for (const finer of FINER) {
      const step = Math.round((finer * log(saddle.s)) / LOG_RATIO);
      for (const weaker of WEAKER) {
        const key = `${step}/${weaker}/${finer}/${level}`;
        const line = this.lines.of(key, () => this.lineAt(step, weaker, finer, level));
        if (line !== undefined) return line;
      }
    }
    return undefined;
  }

  /** The line through rung step + weaker, for the x's of rung `step`. */
  private lineAt(step: number, weaker: number, finer: number, level: number): Contour | undefined {
    const at = (rung: number): Saddle => saddleAt(this.axis, exp((rung / finer) * LOG_RATIO));
    const ends = [at(step - SERVED), at(step + SERVED)].map((end) => ({
      x: Math.max(0, end.epsilon),
      logDelta: logDeltaNear(end),
      logFpr: logFprNear(end),
    }));
    const plan: LinePlan = { saddle: at(step + weaker), level: exp(Math.LN10 * level), ends };
    const known = ends.every(({ logDelta }) => logDelta < Infinity);
    const layout = known ? layOut(this.laws, this.axis, plan, this.longest) : undefined;
    return layout && Contour.on(this.kernel, this.laws, this.axis, plan, layout);
  }
}
