/** Questions about whole runs over one instance: one call each. */
import { QUESTION_ROOM } from '../src/kernel/constants.js';
import {
  ENDS,
  type Measured,
  type RunQuestions,
  type SampledRun,
  type Told,
} from '../src/kernel/questions.js';
import type { WasmContext } from './abi.js';

/** Numbers that an answer has. */
const TOLD = 8;

/** How a question ended, and its numbers. */
interface Ended {
  readonly end: Told['end'];
  readonly told: ArrayLike<number>;
}

/** As if all that is known were that an ε is between 0 and ∞. */
const NO_ROOM: Ended = { end: 'not answered', told: [0, Infinity, 0, 0, 0, 0, 0, 0] };

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
  ): Ended => {
    try {
      const rows = phases.flatMap(({ mu, rate, count }) => [mu, rate, count]);
      const pointer = arena.copyIn(Float64Array.from(rows));
      const out = arena.alloc(TOLD);
      const room = arena.alloc(QUESTION_ROOM);
      const end = exports[name](pointer, phases.length, square, at, width, allowance, room, out);
      return { end: ENDS[end], told: arena.copyOut(out, new Float64Array(TOLD)) };
    } catch (error) {
      if (!isOutOfRoom(error)) throw error;
      return NO_ROOM;
    } finally {
      arena.reset();
    }
  };
  const answer = (...asked: Parameters<typeof ask>): Told => {
    const { end, told } = ask(...asked);
    const [lower, upper, work, rounding, quadrature, truncation, aliasing] = Array.from(told);
    return { end, lower, upper, work, errors: { rounding, quadrature, truncation }, aliasing };
  };
  const measured = (...asked: Parameters<typeof ask>): Measured => {
    const { end, told } = ask(...asked);
    const [lower, upper, work, least, most, head] = Array.from(told);
    return { end, lower, upper, work, regret: { lower: least, upper: most }, head };
  };
  return {
    runEpsilon: (...asked) => answer('runEpsilon', ...asked),
    runDelta: (...asked) => answer('runDelta', ...asked),
    runMeasure: (...asked) => measured('runMeasure', ...asked),
    runMu: (...asked) => measured('runMu', ...asked),
  };
}
