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

/** How a question ended, and the numbers of its answer. */
interface Ended {
  readonly end: Told['end'];
  readonly told: Float64Array;
}

/** The numbers of answers where memory does not suffice: brackets that hold everything, and no work. The first is of ε, δ or μ of a whole run. */
const UNKNOWN = Float64Array.of(0, Infinity, 0, 0, 0, 0, 0, 0);
const UNKNOWN_DELTA = Float64Array.of(-Infinity, 0, 0, 0, 0, 0, 0, 0);
const UNKNOWN_ANSWER = Float64Array.of(-Infinity, 0, -Infinity, 0, -Infinity, 0, 0, 0, 0, 0, 0);
const UNKNOWN_LINE = Float64Array.of(0, 0, 0);
const UNKNOWN_GUESS = Float64Array.of(NaN, NaN, 0);
const UNKNOWN_MOMENT = Float64Array.of(Infinity, 0);

/**
 * Whether an error says that memory did not suffice for a question's numbers or objects (a trap in WebAssembly), or could not grow. Then other
 * methods answer.
 */
function isOutOfRoom(error: unknown): boolean {
  return error instanceof RangeError || (error instanceof Error && error.name === 'RuntimeError');
}

/** What `asked` returns, or `unknown` where memory does not suffice. */
function withRoom<T>(context: WasmContext, unknown: T, asked: () => T): T {
  try {
    return asked();
  } catch (error) {
    context.open = undefined;
    if (!isOutOfRoom(error)) throw error;
    return unknown;
  } finally {
    context.arena.reset();
  }
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
  /** Puts a question about a run to the kernel, and copies out its answer, as many numbers as `unknown`: that is the answer without room. */
  const ask: Ask = (run, unknown, question) =>
    withRoom(context, { end: 'not answered', told: unknown }, () => {
      open(run);
      const out = arena.alloc(unknown.length);
      const end = question(out);
      return { end: ENDS[end], told: arena.copyOut(out, new Float64Array(unknown.length)) };
    });
  const answer = (run: SampledRun, question: (out: number) => number): Told =>
    toldOf(ask(run, UNKNOWN, question));
  const measured = (withRegret: boolean, run: SampledRun, ...asked: [number, number, number]): Measured => {
    const { end, told } = ask(run, UNKNOWN, (out) => exports.runMeasure(...asked, withRegret, out));
    const [lower, upper, work, least, most, head] = told;
    return { end, lower, upper, work, regret: { lower: least, upper: most }, head };
  };
  const each = (isRate: boolean, run: SampledRun, at: number[], allowance: number): Many => {
    const n = at.length;
    const { end, told } = ask(run, new Float64Array(2 * n + 1), (out) => {
      const pointer = arena.copyIn(Float64Array.from(at));
      return exports.runEach(pointer, n, isRate, allowance, out);
    });
    const isTold = end === 'answered';
    const logs = at.map((_, i) => ({
      lower: isTold ? told[2 * i] : -Infinity,
      upper: isTold ? told[2 * i + 1] : 0,
    }));
    return { end, logs, work: told[2 * n] };
  };
  return {
    runEpsilon: (run, ...asked) => answer(run, (out) => exports.runBracket(false, ...asked, out)),
    runDelta: (run, ...asked) => answer(run, (out) => exports.runBracket(true, ...asked, out)),
    runMeasure: (...asked) => measured(true, ...asked),
    runMu: (...asked) => measured(false, ...asked),
    runDeltas: (...asked) => each(false, ...asked),
    runPowers: (...asked) => each(true, ...asked),
    ...sidesOver(context, ask),
  };
}

/** Puts a question about a run to the kernel, and returns its answer, or `unknown` without room for it. */
type Ask = (run: SampledRun, unknown: Float64Array, question: (out: number) => number) => Ended;

/** The answer about one ε or one δ, from its numbers. */
function toldOf({ end, told }: Ended): Told {
  const [lower, upper, work, rounding, quadrature, truncation, aliasing, nodes] = told;
  return { end, lower, upper, work, errors: { rounding, quadrature, truncation }, aliasing, nodes };
}

/** Questions about one direction of a run, and about its moments. */
function sidesOver(
  context: WasmContext,
  ask: Ask,
): Pick<RunQuestions, 'sideDelta' | 'sideLine' | 'lineAnswer' | 'sideGuess' | 'runMoment'> {
  const { arena, exports } = context;
  return {
    sideDelta: (run, ...asked) => toldOf(ask(run, UNKNOWN_DELTA, (out) => exports.sideDelta(...asked, out))),
    sideLine(run, side, { from, to, width, areRates }, allowance) {
      let line: Float64Array | undefined;
      const { end, told } = ask(run, UNKNOWN_LINE, (out) => {
        const ended = exports.sideLine(side, from, to, width, areRates ? 1 : 0, allowance, out);
        const [at, length] = arena.f64(out, 2);
        if (length > 0) line = arena.copyOut(at, new Float64Array(length));
        return ended;
      });
      return { end, line, work: told[2] };
    },
    lineAnswer(line, x, offset) {
      const told = withRoom(context, UNKNOWN_ANSWER, () => {
        const at = arena.copyIn(line);
        const out = arena.copyIn(UNKNOWN_ANSWER);
        exports.lineAnswer(at, x, offset, out);
        return arena.copyOut(out, new Float64Array(UNKNOWN_ANSWER.length));
      });
      const [lower, upper, least, most, low, high, rounding, quadrature, truncation, aliasing, nodes] = told;
      return {
        delta: { lower, upper },
        power: { lower: least, upper: most },
        falsePositive: { lower: low, upper: high },
        errors: { rounding, quadrature, truncation },
        aliasing,
        nodes,
      };
    },
    sideGuess(run, side, target, of, allowance) {
      const areRates = of === 'falsePositive' ? 1 : 0;
      const { told } = ask(run, UNKNOWN_GUESS, (out) =>
        exports.sideGuess(side, target, areRates, allowance, out),
      );
      const [at, variance, work] = told;
      return { at, variance, work };
    },
    runMoment(run, c, allowance) {
      const { told } = ask(run, UNKNOWN_MOMENT, (out) => exports.runMoment(c, allowance, out));
      const [most, work] = told;
      return { most, work };
    },
  };
}
