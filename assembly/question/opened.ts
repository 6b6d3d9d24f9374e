/** The open run: consecutive questions about it share its contours. The answer and the cost of a question do not depend on earlier ones. */
import { MOST_ROOMS, QUESTION_ROOM, ROOM_PHASES } from '../../src/kernel/constants.js';
import { BestTests } from './best-tests.js';
import { Curve } from './curve.js';
import { Phases } from '../law/directions.js';
import { loadF64, storeF64 } from '../lane/memory.js';
import { forgetObjects } from '../lane/objects.js';
import { Points } from './points.js';
import {
  askRoom,
  copyNumbers,
  isCrowded,
  isOverdrawn,
  isSpent,
  openRoom,
  take,
  workCharged,
} from '../lane/room.js';

/** How a question ended. */
const ANSWERED = 0;
const NOT_ANSWERED = 1;
const SPENT = 2;

/** Limit of the number of intervals of ε (`Rung`) for which contours are laid for δ in `runEach`. */
const NEAR_RUNGS = 2;

export class OpenRun {
  readonly curve: Curve;
  readonly points: Points;
  readonly tests: BestTests;
  constructor(readonly phases: Phases) {
    const curve = new Curve(phases);
    this.curve = curve;
    this.points = new Points(curve);
    this.tests = new BestTests(curve);
  }
  isRun(): bool {
    return this.phases.isRun();
  }
}

/** The run that questions are about, until another is opened. */
let open: OpenRun | null = null;
let room: usize = 0;
/** How many numbers the open run has: phases and parameters of their kinds. */
let extent: usize = 0;

/** How many doubles of memory questions about `many` phases need. */
export function roomFor(many: usize): usize {
  const rooms = (many + <usize>ROOM_PHASES - 1) / <usize>ROOM_PHASES;
  return <usize>QUESTION_ROOM * <usize>Math.max(1, Math.min(MOST_ROOMS, Math.floor(<f64>rooms)));
}

/** Opens the run whose numbers are at the beginning of its memory, without any contours. */
function begin(many: usize, square: f64): OpenRun {
  forgetObjects();
  openRoom(room, room + 8 * roomFor(many), 0);
  const run = new OpenRun(new Phases(take(extent), many, square));
  open = run;
  return run;
}

/**
 * Opens a run in place of the previous one. There are three numbers for each of `many` phases at `phases`: μ = 1/σ, rate, steps (`Phases`). The
 * parameters of other kinds follow. All are copied unchanged. All functions below ask about this run.
 * @param length How many numbers these are.
 * @param square μ² of the unsampled Gaussian, or 0.
 * @param at Address of roomFor(many) numbers, reserved as long as the run is open.
 */
export function openRun(phases: usize, many: usize, length: usize, square: f64, at: usize): void {
  room = at;
  extent = length;
  copyNumbers(phases, at, length);
  begin(many, square);
}

/**
 * Opens the open run anew, without contours. Where it had no contours, the cost of the failed attempt to lay the first ones is kept. It enters no
 * bound.
 */
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

/** Frees the open run's contours where little memory is left for objects. It is called before objects are made that are no part of the open run. */
export function beginWhereCrowded(): void {
  if (isCrowded()) beginAgain();
}

/** Begins a question about the open run, with an allowance in units of work. The allowance decides whether there is an answer; it enters no bound. */
export function askOpen(allowance: f64): OpenRun {
  let run = open;
  if (run === null || isCrowded()) run = beginAgain();
  askRoom(allowance);
  run.curve.ask();
  run.points.clear();
  return run;
}

/** Begins a question about the open run without any contours, so that it has all of the memory. */
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

/**
 * Brackets about the open run for `many` numbers at `at`. The numbers are ε ≥ 0, and the brackets are of log δ. If `isRate`, the numbers are log
 * false positive rates, up to the fixed point of the trade-off function. The brackets are then of the log power of the most powerful tests
 * (`BestTests`, regret.md 4). Each bracket takes two numbers at `out`, −∞ and 0 where there is no answer. The units of work follow. Ensures: each
 * exact value lies in its bracket.
 */
export function runEach(at: usize, many: usize, isRate: bool, allowance: f64, out: usize): f64 {
  const run = askOpen(allowance);
  const curve = run.curve;
  const tests = run.tests;
  const isRun = run.isRun();
  if (!isRate) curve.ask(NEAR_RUNGS);
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
