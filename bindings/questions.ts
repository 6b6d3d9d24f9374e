/** Questions about whole runs over one instance: one call each. */
import { QUESTION_ROOM } from '../src/kernel/constants.js';
import { ENDS, type RunQuestions, type SampledRun, type Told } from '../src/kernel/questions.js';
import type { WasmContext } from './abi.js';

/** Numbers that an answer has. */
const TOLD = 8;

const NO_ROOM: Told = {
  end: 'not answered',
  lower: 0,
  upper: Infinity,
  work: 0,
  errors: { rounding: 0, quadrature: 0, truncation: 0 },
  aliasing: 0,
};

/** Whether a question had no room for its numbers or objects (a trap in WebAssembly), or the memory could not grow: others answer then. */
function isOutOfRoom(error: unknown): boolean {
  return error instanceof RangeError || (error instanceof Error && error.name === 'RuntimeError');
}

/** The engine's questions. What they cost is what they say, and charged by whoever asks. */
export function questionsOver({ arena, exports }: WasmContext): RunQuestions {
  const ask = (
    name: keyof RunQuestions,
    { phases, square }: SampledRun,
    at: number,
    width: number,
    allowance: number,
  ): Told => {
    try {
      const rows = phases.flatMap(({ mu, rate, count }) => [mu, rate, count]);
      const pointer = arena.copyIn(Float64Array.from(rows));
      const out = arena.alloc(TOLD);
      const room = arena.alloc(QUESTION_ROOM);
      const end = exports[name](pointer, phases.length, square, at, width, allowance, room, out);
      const [lower, upper, work, rounding, quadrature, truncation, aliasing] = arena.copyOut(
        out,
        new Float64Array(TOLD),
      );
      return {
        end: ENDS[end],
        lower,
        upper,
        work,
        errors: { rounding, quadrature, truncation },
        aliasing,
      };
    } catch (error) {
      if (!isOutOfRoom(error)) throw error;
      return NO_ROOM;
    } finally {
      arena.reset();
    }
  };
  return {
    runEpsilon: (run, logDelta, tolerance, allowance) =>
      ask('runEpsilon', run, logDelta, tolerance, allowance),
    runDelta: (run, epsilon, width, allowance) => ask('runDelta', run, epsilon, width, allowance),
  };
}
