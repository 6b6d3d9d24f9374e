import type { Cumulant } from '../methods/contour/step/spectral-law.js';
import {
  AXIS,
  addLine,
  addPoint,
  type Contribution,
  emptySums,
  forget,
  giveUpWide,
  RUNGS_BEYOND,
  type StreamLine,
  type StreamSums,
  TILTS,
} from './stream-lines.js';

/** Steps that lines may wait for, at most. Memory and speed hang on it. */
export const MOST_WAITING = 32;

/**
 * What a stream has added up of one direction, and the last steps that it has still to add: each is worked out on a line when that line is asked for. On
 * every line steps are added in the order they came. Which scales are kept follows from the points on the real axis. So no sum
 * depends on what was asked before.
 */
export class StreamTotals {
  private waiting: Contribution[] = [];
  /** How many of them have been added at each point of the real axis, and on each line. */
  private readonly onPoint = AXIS.map(() => 0);
  private readonly onLine = TILTS.map(() => 0);

  constructor(private readonly sums: StreamSums = emptySums()) {}

  add(step: Contribution): void {
    if (this.waiting.length === MOST_WAITING) this.settled();
    this.waiting.push(step);
  }

  /** log M at a point of the real axis, no further than `lastRung`. */
  point(i: number): Cumulant {
    const { sums, waiting, onPoint } = this;
    while (onPoint[i] < waiting.length) addPoint(sums, i, waiting[onPoint[i]++].axis(i));
    return sums.axis[i];
  }

  /** The smallest scale of line k that is kept. */
  lowest(k: number): number {
    const line = this.sums.lines[k];
    const { top, axis } = TILTS[k];
    if (line.lowest <= top) {
      this.point(axis);
      giveUpWide(this.sums, k);
    }
    return line.lowest;
  }

  /** The last rung whose points are still added to. */
  get lastRung(): number {
    // all of them, from the far end: what a mesh of outputs has to cover is known at once
    const kept = TILTS.reduceRight(
      (last, { top }, k) => (this.lowest(k) <= top ? Math.max(last, k) : last),
      -1,
    );
    return kept + RUNGS_BEYOND;
  }

  line(k: number): StreamLine {
    const { sums, waiting, onLine } = this;
    const lowest = this.lowest(k);
    while (onLine[k] < waiting.length) {
      const step = waiting[onLine[k]++];
      if (lowest <= TILTS[k].top) addLine(sums, k, step.line(k, lowest));
    }
    return sums.lines[k];
  }

  /** Everything added. */
  settled(): StreamSums {
    const { sums, waiting, onLine, onPoint, lastRung } = this;
    for (let i = AXIS.length - 1; i >= 0; i--) if (AXIS[i].rung <= lastRung) this.point(i);
    const lowest = TILTS.map((_, k) => this.lowest(k));
    // step by step: what a law remembers serves all of its lines
    for (const [i, step] of waiting.entries())
      for (const [k, { top }] of TILTS.entries()) {
        if (onLine[k] > i) continue;
        onLine[k] = i + 1;
        if (lowest[k] <= top) addLine(sums, k, step.line(k, lowest[k]));
      }
    forget(sums);
    this.waiting = [];
    onPoint.fill(0);
    onLine.fill(0);
    return sums;
  }

  /** Adds all that another has. */
  merge(other: StreamTotals): void {
    const [into, from] = [this.settled(), other.settled()];
    // read before the sums are added to: a stream may be merged with itself
    const axis = [...from.axis];
    from.lines.forEach((line, k) => {
      addLine(into, k, line);
    });
    axis.forEach((other, i) => {
      addPoint(into, i, other);
    });
    TILTS.forEach(({ top }, k) => {
      if (into.lines[k].lowest <= top) giveUpWide(into, k);
    });
    forget(into);
  }

  copy(): StreamTotals {
    const { sums, waiting, onPoint, onLine } = this;
    const made = new StreamTotals(structuredClone(sums));
    made.waiting = [...waiting];
    made.onPoint.splice(0, onPoint.length, ...onPoint);
    made.onLine.splice(0, onLine.length, ...onLine);
    return made;
  }
}
