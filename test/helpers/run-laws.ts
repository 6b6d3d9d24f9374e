/** The laws and lines of assembly/question/run.ts, in JavaScript: the same text as WebAssembly's. */

import { Contour } from '../../assembly/bound/contour.js';
import { loadF64, storeF64 } from '../../assembly/lane/memory.js';
import { mark, openRoom, take, takeZeros } from '../../assembly/lane/room.js';
import { Bins } from '../../assembly/law/bins.js';
import { Gaussian } from '../../assembly/law/gaussian.js';
import { Composed, type Cumulant, type Law, LogPhi } from '../../assembly/law/law.js';
import { Mixture } from '../../assembly/law/mixture.js';
import { MixtureStep, Sides } from '../../assembly/law/mixture-step.js';
import type { OffAxis } from '../../assembly/law/off-axis.js';
import { SampledGaussian } from '../../assembly/law/sampled-gaussian.js';
import { SampledStep } from '../../assembly/law/sampled-step.js';
import { sampledWindow } from '../../assembly/law/window.js';
import { Layout } from '../../assembly/plan/layout.js';
import { saddleAt } from '../../assembly/plan/saddle.js';
import { logarithms } from '../../assembly/sums/log-phi.js';
import { createReferenceKernel } from '../../bindings/reference-kernel.js';
import type { Side } from '../../src/law/mixture-side.js';
import { type Allocation, allocationStep } from '../../src/methods/contour/kernel-step.js';

/** Bytes of the room: less than a question of the engine has. */
const ROOM = 7 * 2 ** 20;

/** A room for one question: that of a run of the engine, which is closed by it. */
export function roomy(): void {
  const run = { phases: [{ mu: 1, rate: 0.1, count: 1 }], square: 0 };
  createReferenceKernel().questions!.runEpsilon(run, -5, 0.1, 0);
  const start = mark();
  openRoom(start, start + ROOM, Infinity);
}

export interface CutStep {
  readonly mu: number;
  readonly q: number;
  readonly cut: number;
  readonly width: number;
}

/** Steps under a window, whose integrals are good to about e^{−depth}. */
export function cutLaw({ mu, q, cut, width }: CutStep, depth: number, count = 1): SampledGaussian {
  return new SampledGaussian(
    new SampledStep(mu, q, sampledWindow(mu, q, cut, width, -Infinity)),
    depth,
    count,
  );
}

/** Copies numbers into the room. */
export function placed(numbers: ArrayLike<number>): number {
  const at = take(numbers.length);
  for (let i = 0; i < numbers.length; i++) storeF64(at + 8 * i, numbers[i]!);
  return at;
}

/** Copies numbers out of the room. */
export function read(at: number, length: number): Float64Array {
  return Float64Array.from({ length }, (_, i) => loadF64(at + 8 * i));
}

/** Where the numbers of epochs of balls and bins are. */
export const placeOf = (law: Allocation): number => placed(allocationStep(law).own!);

export function binsOf(law: Allocation): Bins {
  return new Bins(placeOf(law));
}

/** A run of such steps. */
export function cutRun(step: CutStep, depth: number, count: number): Composed {
  const run = new Composed();
  const { logLostP, logLostQ } = sampledWindow(step.mu, step.q, step.cut, step.width, -Infinity);
  run.append(cutLaw(step, depth, count));
  run.lose(logLostP, logLostQ, count);
  return run;
}

/** log φ and its errors at the nodes kΔ, k < n, of the line through c. */
export function lineOf(law: Law, c: number, step: number, n: number): LineNode[] {
  const line = new LogPhi(c, step, n, 32 * Math.ceil(n / 32));
  if (!law.addTo(line, c, 1)) throw new Error('no line');
  const row = 8 * line.room;
  return Array.from({ length: n }, (_, k) => {
    const [log, phase, rounding, quadrature] = [0, 1, 2, 3].map((i) => loadF64(line.rows + i * row + 8 * k));
    return { log: log!, phase: phase!, rounding: rounding!, quadrature: quadrature! };
  });
}

/** log φ of one step to a line, by sums off the axis; whether there are any. */
export function addOffAxis(paths: OffAxis, line: LogPhi, depth: number): boolean {
  const own = takeZeros(4 * line.room);
  const isDone = paths.sums(line, depth, own) < Infinity;
  if (isDone) {
    logarithms(own, line.room, line.n, 1, 0);
    line.include(own, 1);
  }
  return isDone;
}

interface LineNode {
  readonly log: number;
  readonly phase: number;
  readonly rounding: number;
  readonly quadrature: number;
}

/** What a law says wrongly, by as much as it says that it may be. */
export interface Off {
  readonly cumulant?: number;
  readonly rounding?: number;
  readonly quadrature?: number;
  /** From which frequency on nothing but a bound of |φ| is known. */
  readonly unknown?: number;
}

/** N(0, 1) against N(μ, 1), all of whose nodes are off to one side. */
export class OffGaussian extends Gaussian {
  constructor(
    mu: number,
    private readonly off: Off,
  ) {
    super(mu * mu);
  }

  override cumulant(c: number): Cumulant {
    const { cumulant = 0 } = this.off;
    const found = super.cumulant(c);
    found.value += cumulant;
    found.error += Math.abs(cumulant);
    return found;
  }

  override addTo(line: LogPhi, c: number, turn: number): boolean {
    const { rounding = 0, quadrature = 0, unknown = Infinity } = this.off;
    const alone = new LogPhi(line.c, line.step, line.n, line.room);
    super.addTo(alone, c, turn);
    const row = 8 * line.room;
    for (let k = 8; k < row; k += 8) {
      const at = alone.rows + k;
      storeF64(at, loadF64(at) + rounding + quadrature);
      storeF64(at + 2 * row, loadF64(at + 2 * row) + Math.abs(rounding));
      storeF64(at + 3 * row, loadF64(at + 3 * row) + Math.abs(quadrature));
      if ((k / 8) * line.step < unknown) continue;
      storeF64(at + row, loadF64(at + row) + Math.PI);
      storeF64(at + 2 * row, Infinity);
    }
    line.include(alone.rows, 1);
    return true;
  }
}

/** The line of a run at the saddle of x, its plan starved by `starve`. */
export function contourAt(
  run: Composed,
  x: number,
  level: number,
  starve: (layout: Layout) => void = () => {},
): Contour {
  const layout = new Layout(run, saddleAt(run, x), level);
  starve(layout);
  return new Contour(run, layout);
}

export function composed(...laws: Law[]): Composed {
  const run = new Composed();
  for (const law of laws) run.append(law);
  return run;
}

interface Edges {
  readonly from?: number;
  readonly to: number;
  readonly width: number;
}

/** A step of two mixtures, whole or under a window. */
export function mixtureStep(plus: Side, minus: Side, window?: Edges): MixtureStep {
  const each = [plus, minus].flatMap(({ shift, weight }) => [...shift, ...weight]);
  const at = placed([plus.shift.length, minus.shift.length, ...each]);
  const sides = new Sides(at);
  const { from = -Infinity, to, width } = window ?? { to: Infinity, width: Infinity };
  return new MixtureStep(sides, sides.window(to, width, from));
}

/** A step of two mixtures, whose integrals are good to about e^{−depth}, but for outputs that are left out. */
export function mixtureLaw(plus: Side, minus: Side, depth: number, endDepth: number): Mixture {
  roomy();
  const law = new Mixture(mixtureStep(plus, minus), depth, 1);
  law.endDepth = endDepth;
  return law;
}

/** Where the outputs of a step of two mixtures end at a tilt, whole or under a window. */
export function mixtureRange(
  plus: Side,
  minus: Side,
  window: Edges | undefined,
  c: number,
  reach: number,
): { readonly low: number; readonly high: number } {
  roomy();
  const step = mixtureStep(plus, minus, window);
  step.range(c, c, reach);
  return { low: step.low, high: step.high };
}
