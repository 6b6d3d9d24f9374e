import type { Kernel } from '../kernel.js';
import { exp, log } from '../scalar.js';
import { type Answer, Contour, LONGEST } from './contour.js';
import { type CountedSpectrum, RealAxis, saddleFor } from './contour-plan.js';

/** Lines kept for later queries. */
const MAX_LINES = 64;
/** Nodes of all of them, of 32 bytes each; and of one for all steps that differ. */
const MAX_NODES = 2 ** 19;
/** Relative error that lines are made for, where they are no longer than usual; and the range of what is made do with. */
const USUAL = 1e-13;
const USUAL_NODES = 2 ** 14;
/** Refusals after which a run without a line is given up. */
const HOPELESS = 32;
const TIGHTEST = 1e-14;
const LOOSEST = 1e-4;
const LOG_10 = 2.302585092994046;

/** The two rates of a test, which may draw its threshold near x. */
export interface TestAnswer {
  readonly falsePositive: Answer;
  readonly power: Answer;
  /** About what the power lacks, relatively, to that of the best test of the same FPR: a guide. */
  readonly blur: number;
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

  /** As tight as usual if that can be had, so that no answer depends on what was asked before. */
  private lineFor(x: number, width: number): Contour | undefined {
    const level = Math.max(TIGHTEST, Math.min(LOOSEST, width / 16));
    const longest = Math.min(LONGEST, MAX_NODES / this.laws.length);
    return (
      this.lineAt(x, Math.min(level, USUAL), Math.min(longest, USUAL_NODES)) ?? this.lineAt(x, level, longest)
    );
  }

  private lineAt(x: number, level: number, longest: number): Contour | undefined {
    const index = this.lines.findIndex((line) => line.level <= level && line.serves(x));
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
    const line = Contour.through(this.kernel, this.laws, this.axis, saddle, finest, longest);
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
