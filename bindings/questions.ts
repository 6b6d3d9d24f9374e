/** Questions about whole runs, each one call of an instance of the kernel. */
import {
  ENDS,
  type Many,
  type Measured,
  type RunQuestions,
  type SampledRun,
  type Told,
} from '../src/kernel/questions.js';
import type { WasmContext } from './abi.js';

/** Number of float64 in an answer about one ε, one δ or μ. */
const TOLD = 8;

/** How a question ended, and the numbers of its answer. */
interface Ended {
  readonly end: Told['end'];
  readonly told: Float64Array;
}

/** The answer where memory does not suffice: the bracket [0, ∞] and no work. */
const NO_ROOM: Ended = { end: 'not answered', told: Float64Array.of(0, Infinity, 0, 0, 0, 0, 0, 0) };

/**
 * Whether an error says that memory did not suffice for a question's numbers or objects (a trap in WebAssembly), or could not grow. Then other
 * methods answer.
 */
function isOutOfRoom(error: unknown): boolean {
  return error instanceof RangeError || (error instanceof Error && error.name === 'RuntimeError');
}

/**
 * A run's phases as the kernel reads them: three numbers each, μ, rate and count. For steps that are not sampled Gaussians, a code replaces μ. The
 * index of the kind's own numbers, which follow all phases, then replaces the rate.
 */
function numbersOf({ phases }: SampledRun): Float64Array {
  const rows: number[] = [];
  const others: number[] = [];
  for (const phase of phases) {
    if (phase.own === undefined) rows.push(phase.mu, phase.rate, phase.count);
    else {
      rows.push(phase.mu, 3 * phases.length + others.length, phase.count);
      for (const x of phase.own) others.push(x);
    }
  }
  return Float64Array.from(rows.concat(others));
}

/**
 * The address of memory for questions about a run whose phases take `length` numbers.
 * @throws RangeError if these would fill more than half of it, as those of mixtures of very many components may.
 */
function roomOf(context: WasmContext, { phases }: SampledRun, length: number): number {
  const { arena, exports } = context;
  const wanted = exports.roomFor(phases.length);
  if (2 * length > wanted) throw new RangeError('a run has no room for its numbers');
  if (!(context.room && context.room.numbers >= wanted)) {
    // a smaller memory taken before is not freed. Lengths are 1, 4 or 16 times that for one phase, so at most three are taken.
    let numbers = exports.roomFor(1);
    while (numbers < wanted) numbers *= 4;
    context.room = { at: arena.keep(numbers), numbers };
  }
  return context.room.at;
}

/** The questions about whole runs, over one instance of the kernel. The caller charges the work that an answer states. */
export function questionsOver(context: WasmContext): RunQuestions {
  const { arena, exports } = context;
  /** Makes the kernel read a run, unless it was the last one read. The kernel keeps its contours for further questions. */
  const open = (run: SampledRun): void => {
    if (context.open === run) return;
    const rows = numbersOf(run);
    const room = roomOf(context, run, rows.length);
    const pointer = arena.copyIn(rows);
    exports.openRun(pointer, run.phases.length, rows.length, run.square, room);
    context.open = run;
    arena.reset();
  };
  /** Puts a question about a run to the kernel, and copies out its answer of `many` numbers. */
  const ask = (run: SampledRun, many: number, question: (out: number) => number): Ended => {
    try {
      open(run);
      const out = arena.alloc(many);
      const end = question(out);
      return { end: ENDS[end], told: arena.copyOut(out, new Float64Array(many)) };
    } catch (error) {
      context.open = undefined;
      if (!isOutOfRoom(error)) throw error;
      return NO_ROOM;
    } finally {
      arena.reset();
    }
  };
  const answer = (run: SampledRun, question: (out: number) => number): Told => {
    const { end, told } = ask(run, TOLD, question);
    const [lower, upper, work, rounding, quadrature, truncation, aliasing] = told;
    return { end, lower, upper, work, errors: { rounding, quadrature, truncation }, aliasing };
  };
  const measured = (withRegret: boolean, run: SampledRun, ...asked: [number, number, number]): Measured => {
    const { end, told } = ask(run, TOLD, (out) => exports.runMeasure(...asked, withRegret, out));
    const [lower, upper, work, least, most, head] = told;
    return { end, lower, upper, work, regret: { lower: least, upper: most }, head };
  };
  const each = (isRate: boolean, run: SampledRun, at: number[], allowance: number): Many => {
    const n = at.length;
    const { end, told } = ask(run, 2 * n + 1, (out) => {
      const pointer = arena.copyIn(Float64Array.from(at));
      return exports.runEach(pointer, n, isRate, allowance, out);
    });
    const isTold = end === 'answered';
    const logs = at.map((_, i) => ({
      lower: isTold ? told[2 * i] : -Infinity,
      upper: isTold ? told[2 * i + 1] : 0,
    }));
    return { end, logs, work: told.length > 2 * n ? told[2 * n] : 0 };
  };
  return {
    runEpsilon: (run, ...asked) => answer(run, (out) => exports.runEpsilon(...asked, out)),
    runDelta: (run, ...asked) => answer(run, (out) => exports.runDelta(...asked, out)),
    runMeasure: (...asked) => measured(true, ...asked),
    runMu: (...asked) => measured(false, ...asked),
    runDeltas: (...asked) => each(false, ...asked),
    runPowers: (...asked) => each(true, ...asked),
  };
}
