import type { Kernel } from '../../../kernel/kernel.js';
import { exp, log } from '../../../numeric/scalar.js';
import { type Answer, Contour, LONGEST } from './contour.js';
import { type CountedSpectrum, RealAxis, type Saddle, saddleAt, saddleFor } from './contour-plan.js';

/** Lines kept for later queries. */
const MAX_LINES = 64;
/** Nodes of all of them, of 32 bytes each; and of one for all steps that differ. */
const MAX_NODES = 2 ** 19;
/** Relative error that lines are made for, where they are no longer than usual; and the range of what is made do with. */
const USUAL = 1e-13;
export const USUAL_NODES = 2 ** 14;
/** Refusals after which a run without a line is given up. */
const HOPELESS = 32;
const TIGHTEST = 1e-14;
const LOOSEST = 1e-4;
/** Rings have tails that are far from Gaussian: their lines serve less far. */
const RING_REACH = 0.5;
/** Tilts tried where there is no line through the saddle, in units of its own. */
const WEAKER = [0.7, 0.4] as const;
const LOG_10 = 2.302585092994046;

/** The two rates of a test, which may draw its threshold near x. */
export interface TestAnswer {
  readonly falsePositive: Answer;
  readonly power: Answer;
  /** About what the power lacks, relatively, to that of the best test of the same FPR: a guide. */
  readonly blur: number;
}

/** Width of the wider rate, and the blur. */
export function doubtOf({ falsePositive: fpr, power: tpr, blur }: TestAnswer): number {
  return Math.max(fpr.upper - fpr.lower, tpr.upper - tpr.lower) + blur;
}

/** Answers at losses x ≥ 0 for one orientation of the pair. */
export interface LineSource {
  readonly axis: RealAxis;
  /** A bracket of log δ, of width `width` if that can be had. */
  delta(x: number, width: number): Answer | undefined;
  test(x: number, width: number): TestAnswer | undefined;
}

/** The lines of a run, made where they are first needed and kept for neighbouring x. */
export class Lines implements LineSource {
  readonly axis: RealAxis;
  private readonly lines: Contour[] = [];
  /** What was too dear: not tried again nearby. */
  private readonly refused: { epsilon: number; scale: number; level: number; longest: number }[] = [];

  constructor(
    private readonly kernel: Kernel,
    private readonly laws: readonly CountedSpectrum[],
    private readonly longest = LONGEST,
    /** Lines of rings: never with a window where one can end without, and left of the saddle where that is too far right. */
    private readonly ring = false,
  ) {
    this.axis = new RealAxis(laws);
  }

  delta(x: number, width: number): Answer | undefined {
    return this.lineFor(x, width)?.answer('delta', x);
  }

  /** @param offset The false positive rate is taken this far before x, the power this far behind it. */
  test(x: number, width: number, offset = 0): TestAnswer | undefined {
    const line = this.lineFor(x, width);
    return (
      line && {
        falsePositive: line.answer('falsePositive', x - offset),
        power: line.answer('power', x + offset),
        blur: (line.window / line.saddle.scale) ** 2,
      }
    );
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

  /** As tight as usual if that can be had, so that no answer depends on what was asked before. */
  private lineFor(x: number, width: number): Contour | undefined {
    const level = Math.max(TIGHTEST, Math.min(LOOSEST, width / 16));
    const longest = Math.min(this.longest, MAX_NODES / this.laws.length);
    return (
      this.lineAt(x, Math.min(level, USUAL), Math.min(longest, USUAL_NODES)) ?? this.lineAt(x, level, longest)
    );
  }

  private lineAt(x: number, level: number, longest: number): Contour | undefined {
    const index = this.lines.findIndex(
      (line) => line.level <= level && line.serves(x, this.ring ? RING_REACH : 1),
    );
    if (index >= 0) {
      const [line] = this.lines.splice(index, 1);
      this.lines.unshift(line);
      return line;
    }
    if (
      this.refused.some(
        (no) => no.level >= level && no.longest >= longest && Math.abs(no.epsilon - x) < no.scale,
      )
    )
      return undefined;
    // nothing has come of it so often that nothing will
    if (this.lines.length === 0 && this.refused.length >= HOPELESS) return undefined;
    const saddle = saddleFor(this.axis, x);
    if (saddle === undefined) return undefined;
    // up to a decade tighter than asked, so that neighbouring widths share the line
    const finest = exp(LOG_10 * Math.floor(log(level) / LOG_10));
    const through = (at: Saddle): Contour | undefined =>
      Contour.through(this.kernel, this.laws, this.axis, at, finest, longest, !this.ring);
    let line = through(saddle);
    for (const share of this.ring ? WEAKER : [])
      line ??= through({ ...saddleAt(this.axis, share * saddle.s), epsilon: x });
    if (line === undefined || !line.serves(x)) {
      this.refused.push({ epsilon: x, scale: 0.5 * saddle.scale, level, longest });
      if (this.refused.length > 256) this.refused.shift();
      return line;
    }
    this.lines.unshift(line);
    let nodes = 0;
    const kept = this.lines.findIndex((one, i) => {
      nodes += one.table.logModulus.length;
      return i >= MAX_LINES || (i > 0 && nodes > MAX_NODES);
    });
    if (kept >= 0) this.lines.length = kept;
    return line;
  }
}
