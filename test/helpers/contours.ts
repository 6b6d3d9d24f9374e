/** Contours of assembly/bound/contour.ts, in JavaScript, as no plan would lay them; and directions of runs by calls of the kernel. */
import { Contour } from '../../assembly/bound/contour.js';
import { storeF64 } from '../../assembly/lane/memory.js';
import { takeZeros } from '../../assembly/lane/room.js';
import { Composed, Cumulant, Law, type LogPhi } from '../../assembly/law/law.js';
import { AliasPoint, Layout } from '../../assembly/plan/layout.js';
import { Saddle } from '../../assembly/plan/saddle.js';
import { DELTA, FALSE_POSITIVE, POWER } from '../../assembly/sums/functionals.js';
import type { Kernel } from '../../src/kernel/kernel.js';
import type { RunQuestions, SampledRun, Side, Told } from '../../src/kernel/questions.js';
import type { Bracket } from '../../src/numeric/bracket.js';
import type { PhaseTriple } from './runs.js';

export const FUNCTIONALS = { delta: DELTA, power: POWER, falsePositive: FALSE_POSITIVE } as const;
export type Functional = keyof typeof FUNCTIONALS;

/** A contour as a plan would never lay it. */
export interface Starved {
  /** Re z on the contour, and the points of the real axis that bound the aliases on either side. */
  readonly c: number;
  readonly above: number;
  readonly below: number;
  /** What losses repeat after. */
  readonly period: number;
  /** The frequency it ends at. */
  readonly end: number;
}

/** The contour of a run, its ends good to the sum over 1/τ (order 1) or 1/τ² (order 2). */
export function starvedContour(run: Composed, starved: Starved, order: 1 | 2): Contour {
  const { c, above, below, period, end } = starved;
  const { value, mean } = run.approximate(c);
  // a contour ends no sooner than at 1.5 deviations of this variance, and here at once
  const layout = new Layout(run, new Saddle(c - 1, new Cumulant(value, 0, mean, (1.5 / end) ** 2)), -6);
  layout.above = new AliasPoint(above, period);
  layout.below = new AliasPoint(below, period);
  layout.period = period;
  layout.logLevel = 600;
  const line = new Contour(run, layout, order);
  if (!line.isGood) throw new Error('no contour');
  return line;
}

export function answerOf(line: Contour, functional: Functional, x: number): Bracket {
  line.answerOf(FUNCTIONALS[functional], x);
  return { lower: line.lower, upper: line.upper };
}

/** All of P at one finite loss, and e^loss of Q: |M| does not fall, and what bounds it is attained. */
export class OneLoss extends Law {
  constructor(private readonly loss: number) {
    super(1);
  }
  cumulant(c: number): Cumulant {
    return new Cumulant(c * this.loss, 0, this.loss, 0);
  }
  approximate(c: number): Cumulant {
    return this.cumulant(c);
  }
  override addTo(line: LogPhi, _c: number, turn: number): boolean {
    const own = takeZeros(4 * line.room);
    for (let k = 0; k < line.room; k++) storeF64(own + 8 * (line.room + k), k * line.step * this.loss);
    line.include(own, turn);
    return true;
  }
  openDecay(): void {}
  addDecay(): void {}
  tailLog(): number {
    return 0;
  }
  tailPower(): number {
    return 0;
  }
}

/** A run of such a loss beside other laws: the mass of Q is e^loss. */
export function withOneLoss(loss: number, ...laws: Law[]): Composed {
  const run = new Composed();
  run.append(new OneLoss(loss));
  for (const law of laws) run.append(law);
  run.logMassQ = loss;
  return run;
}

/** DP-SGD phases as the kernel takes them. */
export function sampledRun(phases: readonly PhaseTriple[]): SampledRun {
  return { phases: phases.map(([sigma, rate, count]) => ({ mu: 1 / sigma, rate, count })), square: 0 };
}

/** One direction of a run, by calls of the kernel. */
export function sideOf({ questions }: Kernel, run: SampledRun, side: Side) {
  return {
    delta: (x: number, width = 1e-6, floor = -Infinity): Told =>
      questions!.sideDelta(run, side, x, width, floor, Infinity),
    rates: (x: number, width = 1e-6, offset = 0) => ratesOf(questions!, run, side, [x, width, offset]),
    guess: (target: number, of: 'delta' | 'falsePositive' = 'delta'): number =>
      questions!.sideGuess(run, side, target, of, Infinity).at,
  };
}

const NOTHING = { lower: -Infinity, upper: 0 };

/** The rates of a test at one threshold, by a contour laid for it alone. */
export function ratesOf(
  questions: RunQuestions,
  run: SampledRun,
  side: Side,
  [x, width, offset]: readonly [x: number, width: number, offset: number],
) {
  const stretch = { from: x, to: x, width, areRates: true };
  const { end, line, work } = questions.sideLine(run, side, stretch, Infinity);
  const found = line && questions.lineAnswer(line, x, offset);
  return { end, falsePositive: found?.falsePositive ?? NOTHING, power: found?.power ?? NOTHING, work };
}
