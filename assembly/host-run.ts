/**
 * Composed runs for hosts without JavaScript: a host writes phases as numbers to memory, and asks one question a call. docs/host-kernel.md has the
 * ABI. Unsampled phases compose to one Gaussian. Brackets of runs with sampled phases are those of question/run.ts and question/measure.ts.
 */
import { LARGEST_CUT_MU, SMALLEST_CUT_RATE, U } from '../src/kernel/constants.js';
import { gdp_delta_lower, gdp_delta_upper, gdp_epsilon_lower, gdp_epsilon_upper } from './host.js';
import { runMeasure } from './question/measure.js';
import { loadF64, storeF64 } from './lane/memory.js';
import { heapBase } from './lane/objects.js';
import { openRun, roomFor } from './question/opened.js';
import { runBracket } from './question/run.js';
import { expOf, logOf } from './functions/scalar.js';

/** How many numbers an answer has; in memory they precede the phases. */
const ANSWER: usize = 8;
const MOST_PHASES: u32 = 1024;
/** Limits of log δ; outside of them a run with sampled phases is not answered. */
const LEAST_LOG_DELTA: f64 = -400;
const MOST_LOG_DELTA: f64 = -1.5;
/** Upper bound of the relative error of an exponential. */
const ROUNDING: f64 = 4e-16;
const LEAST: f64 = 5e-324;

/** How a question ended: by a bracket; without one; or because a number of the run or question is invalid. 2 is for a spent allowance (`endOf`). */
const ANSWERED: f64 = 0;
const NOT_ANSWERED: f64 = 1;
const REFUSED: f64 = 3;

/** Address of the answer, followed by the phases. */
let answer: usize = 0;
let rows: usize = 0;
let room: usize = 0;
let phases: u32 = 0;
/** Results of `read`: how many phases are sampled, how many are not, and μ² of the latter, with roundings. */
let sampled: usize = 0;
let plain: u32 = 0;
let square: f64 = 0;

/**
 * Returns the address for the numbers of a run of `count` ≤ 1,024 phases; 0 where memory cannot grow. Eight numbers are for the answer. Behind them
 * the host writes noise multiplier, rate and steps of each phase. The next call reuses this address.
 */
export function gdp_run(count: u32): usize {
  phases = 0;
  if (count > MOST_PHASES) return 0;
  answer = (heapBase() + 15) & ~15;
  rows = answer + 8 * ANSWER + 24 * count;
  room = (rows + 24 * count + 15) & ~15;
  const pages = <i32>((room + 8 * roomFor(count) + 65535) >> 16);
  if (pages > memory.size() && memory.grow(pages - memory.size()) < 0) return 0;
  phases = count;
  return answer;
}

/**
 * Reads the phases: sums μ² of the unsampled ones, and lists μ, rate and steps of the sampled ones. Returns ANSWERED, or how a question about them
 * ends if it cannot be asked.
 */
function read(): f64 {
  sampled = 0;
  plain = 0;
  square = 0;
  if (answer === 0) return REFUSED;
  let end = ANSWERED;
  const first = answer + 8 * ANSWER;
  for (let at = first; at < first + 24 * <usize>phases; at += 24) {
    const noise = loadF64(at);
    const rate = loadF64(at, 8);
    const steps = loadF64(at, 16);
    if (!(noise >= 1e-6 && noise <= 1e100 && rate >= 0 && rate <= 1)) return REFUSED;
    if (!(steps >= 0 && steps <= 9007199254740991) || floor(steps) !== steps) return REFUSED;
    if (rate === 0 || steps === 0) continue;
    const mu = 1 / noise;
    if (rate === 1) {
      square += steps * (mu * mu);
      plain++;
      continue;
    }
    if (mu > LARGEST_CUT_MU || rate < SMALLEST_CUT_RATE) end = NOT_ANSWERED;
    const row = rows + 24 * sampled++;
    storeF64(row, mu);
    storeF64(row, rate, 8);
    storeF64(row, steps, 16);
  }
  // run.ts allows μ² 8 roundings, which holds for one unsampled phase only
  if (sampled > 0 && plain > 1) return NOT_ANSWERED;
  return end;
}

/** μ = √(Σ steps/σ²) of the unsampled phases, moved up by all roundings. Ensures: no less than it. */
function plainMuAbove(): f64 {
  return Math.sqrt(square * (1 + <f64>(plain + 8) * 2 * U)) * (1 + 2 * U);
}
/** μ of the unsampled phases, moved down by all roundings. Ensures: no more than it. */
function plainMuBelow(): f64 {
  return Math.sqrt(square * (1 - <f64>(plain + 8) * 2 * U)) * (1 - 2 * U);
}

/** Writes a bracket to the answer, with 0 units of work. */
function tell(lower: f64, upper: f64): void {
  storeF64(answer, lower);
  storeF64(answer, upper, 8);
  for (let at: usize = 16; at < 8 * ANSWER; at += 8) storeF64(answer + at, 0);
}

/** Writes the trivial bracket [0, most], and returns how the question ended. */
function without(end: f64, most: f64): f64 {
  if (answer !== 0) tell(end === REFUSED ? NaN : 0, end === REFUSED ? NaN : most);
  return end;
}

/**
 * The smallest ε ≥ 0 at δ in [1e-300, 1), under addition and removal of a record. Ensures: the two numbers of the answer are a bracket of it. Their
 * relative distance is about `tolerance`.
 * @param allowance Units of work that it may cost, docs/effort.md.
 * @returns 0 where the bracket holds, 1 where the kernel has none, 2 where the allowance is spent, 3 where a number is invalid.
 */
export function gdp_run_epsilon(delta: f64, tolerance: f64, allowance: f64): f64 {
  let end = read();
  if (!(delta >= 1e-300 && delta < 1 && tolerance > 0 && allowance > 0)) end = REFUSED;
  if (end !== ANSWERED) return without(end, Infinity);
  if (sampled === 0) {
    tell(gdp_epsilon_lower(plainMuBelow(), delta), gdp_epsilon_upper(plainMuAbove(), delta));
    return loadF64(answer) >= 0 && loadF64(answer, 8) < Infinity ? ANSWERED : without(NOT_ANSWERED, Infinity);
  }
  const logDelta = logOf(delta);
  if (!(logDelta >= LEAST_LOG_DELTA && logDelta <= MOST_LOG_DELTA)) return without(NOT_ANSWERED, Infinity);
  openRun(rows, sampled, 3 * sampled, square, room);
  end = runBracket(false, logDelta, tolerance, allowance, answer);
  return end === ANSWERED ? end : without(end, Infinity);
}

/**
 * δ at ε ≥ 0, under addition and removal of a record. Ensures: the two numbers of the answer are a bracket of it. Their relative distance is about
 * `tolerance`.
 * @returns As `gdp_run_epsilon`.
 */
export function gdp_run_delta(epsilon: f64, tolerance: f64, allowance: f64): f64 {
  let end = read();
  if (!(epsilon >= 0 && epsilon < Infinity && tolerance > 0 && allowance > 0)) end = REFUSED;
  if (end !== ANSWERED) return without(end, 1);
  if (sampled === 0) {
    tell(gdp_delta_lower(plainMuBelow(), epsilon), gdp_delta_upper(plainMuAbove(), epsilon));
    return loadF64(answer) >= 0 && loadF64(answer, 8) <= 1 ? ANSWERED : without(NOT_ANSWERED, 1);
  }
  openRun(rows, sampled, 3 * sampled, square, room);
  end = runBracket(true, epsilon, tolerance, allowance, answer);
  if (end !== ANSWERED) return without(end, 1);
  storeF64(answer, Math.max(0, expOf(loadF64(answer)) * (1 - ROUNDING) - LEAST));
  storeF64(answer, Math.min(1, expOf(loadF64(answer, 8)) * (1 + ROUNDING) + LEAST), 8);
  return ANSWERED;
}

/**
 * The smallest μ for which f ≥ G_μ holds where both error rates are at least `alpha`, 0 < alpha < ½. f is the trade-off function of the run. Ensures:
 * the two numbers of the answer are a bracket of μ (regret.md 4).
 * @returns As `gdp_run_epsilon`.
 */
export function gdp_run_mu(alpha: f64, tolerance: f64, allowance: f64): f64 {
  let end = read();
  if (!(alpha > 0 && alpha < 0.5 && tolerance > 0 && allowance > 0)) end = REFUSED;
  if (end !== ANSWERED) return without(end, Infinity);
  if (sampled === 0) {
    tell(plainMuBelow(), plainMuAbove());
    return ANSWERED;
  }
  openRun(rows, sampled, 3 * sampled, square, room);
  end = runMeasure(logOf(alpha), tolerance, allowance, false, answer);
  return end === ANSWERED ? end : without(end, Infinity);
}
