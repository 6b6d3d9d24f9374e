/** The run that is open: questions about it share its lines. What a question says and costs does not hang on those before it. */
import { MOST_ROOMS, QUESTION_ROOM, ROOM_PHASES } from '../src/kernel/constants.js';
import { BestTests } from './best-tests.js';
import { Curve } from './curve.js';
import { Phases } from './law/directions.js';
import { loadF64, storeF64 } from './memory.js';
import { forgetObjects } from './objects.js';
import { Points } from './points.js';
import { askRoom, isCrowded, isOverdrawn, isSpent, openRoom, take, workCharged } from './room.js';

/** How a question ended. */
const ANSWERED = 0;
const NOT_ANSWERED = 1;
const SPENT = 2;

/** Rungs of lines that single δ's are asked of. */
const NEAR_RUNGS = 2;

export class OpenRun {
  readonly curve: Curve;
  readonly points: Points;
  constructor(readonly phases: Phases) {
    const curve = new Curve(phases);
    this.curve = curve;
    this.points = new Points(curve);
  }
  isRun(): bool {
    return this.phases.isRun();
  }
}

/** The one that is open, its number, and its room. */
let open: OpenRun | null = null;
let opened: f64 = 0;
let room: usize = 0;

/** Numbers of the room that questions about so many phases are asked in. */
export function roomFor(many: usize): usize {
  const rooms = (many + <usize>ROOM_PHASES - 1) / <usize>ROOM_PHASES;
  return <usize>QUESTION_ROOM * <usize>Math.max(1, Math.min(MOST_ROOMS, Math.floor(<f64>rooms)));
}

/** Opens the run whose numbers stand at the beginning of the room, without any lines. */
function begin(many: usize, square: f64): OpenRun {
  forgetObjects();
  openRoom(room, room + 8 * roomFor(many), 0);
  const run = new OpenRun(new Phases(take(3 * many), many, square));
  open = run;
  return run;
}

/**
 * Opens a run, in the place of the one before. Three numbers of each of `many` phases at `phases`: μ = 1/σ, rate, steps; μ² of what is not sampled, or 0. All that
 * follows asks of it.
 *
 * @param at Address of a room of roomFor(many) numbers, which is its own as long as it is open.
 * @returns Its number: see `openedRun`.
 */
export function openRun(phases: usize, many: usize, square: f64, at: usize): f64 {
  room = at;
  for (let i: usize = 0; i < 24 * many; i += 8) storeF64(at + i, loadF64(phases + i));
  begin(many, square);
  opened++;
  return opened;
}

/** Number of the run that is open; 0 for none. */
export function openedRun(): f64 {
  return open === null ? 0 : opened;
}

/** Opens the open run anew, without any lines. That it has none is not found out again. */
function beginAgain(): OpenRun {
  const before = open;
  if (before === null) return begin(0, 0);
  const curve = before.curve;
  const isBare = !curve.hasLines();
  const failed = curve.failed;
  const made = curve.failedMade;
  const tooFew = curve.tooFew;
  const run = begin(before.phases.many, before.phases.square);
  if (isBare) {
    run.curve.failed = failed;
    run.curve.failedMade = made;
    run.curve.tooFew = tooFew;
  }
  return run;
}

/** Gives the room of objects back where there is none left: another law is asked about. */
export function beginWhereCrowded(): void {
  if (isCrowded()) beginAgain();
}

/** A question about the open run begins, which may cost so many units. */
export function askOpen(allowance: f64): OpenRun {
  let run = open;
  if (run === null || isCrowded()) run = beginAgain();
  askRoom(allowance);
  run.curve.ask();
  run.points.clear();
  return run;
}

/** The open run without any lines: all of the room is the question's. */
export function askAlone(allowance: f64): OpenRun {
  const run = beginAgain();
  askRoom(allowance);
  return run;
}

/** How a question ended. */
export function endOf(isAnswered: bool): f64 {
  if (isAnswered) return ANSWERED;
  return isOverdrawn() ? SPENT : NOT_ANSWERED;
}

/** Answers for `many` numbers at `at`: two for each, the ends of a bracket or −∞ and 0; and behind them the units of work. */
function each(at: usize, many: usize, isRate: bool, run: OpenRun, out: usize): f64 {
  const curve = run.curve;
  const tests = new BestTests(curve);
  const isRun = run.isRun();
  for (let i: usize = 0; i < many; i++) {
    const x = loadF64(at + (i << 3));
    let isKnown: bool = false;
    if (isRun && isRate && x < 0 && x > -Infinity) isKnown = tests.at(x);
    if (isRun && !isRate && x >= 0 && x < Infinity) isKnown = curve.at(x);
    const pair = out + (i << 4);
    storeF64(pair, isKnown ? (isRate ? tests.lower : curve.lower) : -Infinity);
    storeF64(pair, isKnown ? (isRate ? tests.upper : curve.upper) : 0, 8);
  }
  storeF64(out + (many << 4), workCharged(!isSpent()));
  return endOf(!isSpent());
}

/** log δ of the open run at `many` ε ≥ 0 at `at`, and the units of work. Two numbers go to `out` for each ε, −∞ and 0 where its lines do not answer. */
export function runDeltas(at: usize, many: usize, allowance: f64, out: usize): f64 {
  const run = askOpen(allowance);
  run.curve.ask(NEAR_RUNGS);
  return each(at, many, false, run, out);
}

/** log of the power of the best tests at `many` logarithms of false positive rates up to the fixed point of f, likewise. */
export function runPowers(at: usize, many: usize, allowance: f64, out: usize): f64 {
  return each(at, many, true, askOpen(allowance), out);
}
