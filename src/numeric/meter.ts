/**
 * The meter limits the work of a question by counting it, not by time. A unit is about a nanosecond of an ordinary machine (`prices.ts`). There is one
 * meter, as questions are answered synchronously in one thread.
 * - `charge` is called before work is done, and throws if the allowance does not suffice. Small work is added to `ticked`; the next charge includes it.
 * - A *frame* is open while a cached value is computed. It records the work done and the cached values used. A question that finds the value in the cache
 * is charged by that record. So its cost, and where it runs out, do not depend on what is cached.
 * - A question is charged once for each cached value. It is known by cache and key, as values may be dropped and computed again.
 */
import type { Clock } from './clock.js';
import { type Apart, type LimitedBy, widest } from './limited-by.js';
import type { Entry, Paid, Place, Touch } from './prices-paid.js';

/** Thrown if the allowance is spent; `attempt` catches it. `refused`: a charge exceeded what remained, so all that `attempt` allowed counts as spent. */
class Spent extends Error {
  constructor(readonly refused: boolean) {
    super();
  }
}

/** An identity for a new cache. */
export function newPlace(): Place {
  const place = frame?.place;
  const within = place && { place, key: frame?.key };
  return { within, ordinal: frame === undefined ? 0 : frame.places++, asked: 0, paid: undefined };
}

/** Number of questions and frames so far, which gives each an id. */
let born = 0;

/** The record of one computation of a cached value. */
interface Frame {
  readonly id: number;
  readonly price: (number | Touch)[];
  /** Cached values that the computation has used, each recorded once. */
  seen: Set<Touch> | undefined;
  /** Units that the computation was charged since it last used a cached value. */
  own: number;
  /** Number of caches created during the computation. */
  places: number;
  readonly place: Place | undefined;
  readonly key: unknown;
  /** Whether its work is not charged, as the question has been charged for the value. */
  readonly free: boolean;
  short: number;
}

function newFrame(place: Place | undefined, key: unknown, free: boolean): Frame {
  return { id: ++born, price: [], seen: undefined, own: 0, places: 0, place, key, free, short: 0 };
}

/** A question: its allowance, and what it has been charged for. */
class Question {
  readonly id: number = ++born;
  /** What it was charged for in caches that were not created within a cached value. */
  inner: Map<unknown, Paid> | undefined;
  readonly notes: Map<object, unknown> = new Map();
  readonly spent: Map<object, number> = new Map();
  /** The remaining allowance must not fall below this. */
  floor = 0;
  scopes = 0;
  /** Whether more effort might narrow its answers, whether only an unknown theorem would, and by how much a longer FFT might. */
  effort = false;
  theory = false;
  short = 0;
  single = false;
  /** Units remaining, units counted, and the count at which the clock is read next. */
  left: number;
  units = 0;
  look: number = GLANCE;

  constructor(
    readonly allowance: number,
    readonly clock: Clock | undefined,
  ) {
    this.left = allowance;
  }
}

/** Units by which `attempt` with a share of 1 may overdraw, and units between two readings of the clock. Only the amount of work depends on them. */
const [SMALL, GLANCE] = [2e5, 2e6];

let frame: Frame | undefined;
let question: Question | undefined;
/** Small work done but not yet charged: one number in an array, which is fastest to add to. */
export const ticked: Float64Array = new Float64Array(1);

/** Charges work that is about to be done. Inside of `attempt` it throws if the allowance does not suffice. */
export function charge(units: number): void {
  // integers, so that sums do not depend on their order
  const all = Math.ceil(units) + ticked[0];
  if (all === 0) return;
  ticked[0] = 0;
  if (frame !== undefined) {
    frame.own += all;
    if (frame.free) return;
  }
  if (question !== undefined) take(question, all);
}

/** Charges a question; throws if its allowance falls below the floor of an open `attempt`. */
function take(from: Question, units: number): void {
  from.left -= units;
  from.units += units;
  if (from.clock !== undefined && from.units >= from.look) {
    from.look = from.units + GLANCE;
    if (from.clock.over) from.left = Math.min(from.left, -1);
  }
  if (!(from.left >= from.floor) && from.scopes > 0) throw new Spent(true);
}

/** Charges what was ticked outside of frames, without throwing. */
function settle(of: Question): void {
  of.left -= ticked[0];
  of.units += ticked[0];
  ticked[0] = 0;
}

/** A cached value, its cost (`touched`), and by how much a longer FFT might narrow it (`short`). `question` is the number of the question last charged. */
export interface Priced<V> {
  readonly value: V;
  readonly touched: Touch;
  readonly short: number;
  question: number;
  frame: number; // the number of the last frame that used it, 0 for none
}

/** Computes the value of a key in a frame of its own. If it throws, nothing is recorded. */
export function priced<K, V>(place: Place, key: K, make: (key: K) => V): Priced<V> {
  if (ticked[0] > 0) charge(0);
  const outer = frame;
  const payer = question && question.allowance < Infinity && !outer?.free ? question : undefined;
  const entry = payer && entryOf(payer, place, key);
  const own = newFrame(place, key, outer?.free === true || entry?.done === true);
  frame = own;
  let value: V;
  try {
    value = make(key);
    if (ticked[0] > 0) charge(0);
  } finally {
    frame = outer;
  }
  if (own.own > 0) own.price.push(own.own);
  const touched = { place, key, price: own.price };
  if (outer !== undefined) record(outer, touched);
  if (entry !== undefined) entry.done = true;
  const { short } = own;
  noteShort(short);
  return { value, touched, short, question: payer?.id ?? 0, frame: outer?.id ?? 0 };
}

/** Uses a cached value: charges what the question has not been charged yet, and records it in the open frame. */
export function touch(known: Priced<unknown>): void {
  if (ticked[0] > 0) charge(0);
  const { touched } = known;
  if (known.short > 0) noteShort(known.short);
  if (frame !== undefined && known.frame !== frame.id) {
    known.frame = frame.id;
    frame.seen ??= new Set();
    if (!frame.seen.has(touched)) record(frame, touched);
    frame.seen.add(touched);
  }
  if (question && question.allowance < Infinity && known.question !== question.id && !frame?.free) {
    pay(question, touched);
    known.question = question.id;
  }
}

/** Adds a cached value, and the work before it, to a frame's record. */
function record(to: Frame, touched: Touch): void {
  if (to.own > 0) to.price.push(to.own);
  to.own = 0;
  to.price.push(touched);
}

/** Charges a question for a cached value by its record, unless it has been charged for it. */
function pay(from: Question, { place, key, price }: Touch): void {
  const entry = entryOf(from, place, key);
  if (entry.done) return;
  for (const item of price) {
    if (typeof item === 'number') take(from, item);
    else pay(from, item);
  }
  entry.done = true;
}

/** The entry of a key of a cache in what a question has been charged for, made if missing. */
function entryOf(of: Question, place: Place, key: unknown): Entry {
  const paid = place.asked === of.id && place.paid !== undefined ? place.paid : paidAt(of, place);
  let entry = paid.get(key);
  if (entry === undefined) {
    entry = { done: false, inner: undefined };
    paid.set(key, entry);
  }
  return entry;
}

/** What a question has been charged for in a cache. It is kept in the question, or in the entry of the value that the cache was created in. */
function paidAt(of: Question, place: Place): Paid {
  const { within } = place;
  const around = within === undefined ? of : entryOf(of, within.place, within.key);
  const key = within === undefined ? place : place.ordinal;
  around.inner ??= new Map();
  const paid = around.inner.get(key) ?? new Map();
  around.inner.set(key, paid);
  place.asked = of.id;
  place.paid = paid;
  return paid;
}

/** Computes something without charge: constants, and work whose price other charges include. */
export function free<V>(make: () => V): V {
  if (ticked[0] > 0) charge(0);
  const outer = frame;
  frame = newFrame(undefined, undefined, true);
  try {
    return make();
  } finally {
    ticked[0] = 0;
    frame = outer;
  }
}

/** The allowance of a question with several answers, in allowances of a single one. */
const SEVERAL = 2;

/** The allowance of each question about one subject, and the cost of the last one. */
export class Allowance {
  /** What limits the answers of the last question, and of any question so far. */
  limitedBy: LimitedBy = 'tolerance';
  everLimitedBy: LimitedBy = 'tolerance';
  /** Called when theory, or effort, first limits an answer. */
  whenLimited: ((by: LimitedBy) => void) | undefined;
  /** Units that the last question cost. */
  cost = 0;

  constructor(
    readonly units: number,
    readonly clock?: Clock,
  ) {}

  /** Asks a question with a single answer: an ε, a δ, a rate. */
  askOne<T>(ask: () => T): T {
    const own = new Question(this.units, this.clock);
    own.single = true;
    return question || frame ? ask() : this.during(own, ask, false);
  }

  /** Asks for several answers as one question, with the allowance of `SEVERAL` single ones. */
  askAll<T>(ask: () => T): T {
    return this.ask(ask, false, SEVERAL);
  }

  /** Asks a question; within another one it is part of that. `quiet`: its limits are not recorded. `times`: multiple of the allowance. */
  ask<T>(ask: () => T, quiet = false, times = 1): T {
    return question || frame ? ask() : this.during(new Question(this.units * times, this.clock), ask, quiet);
  }

  /** A function that asks parts of one question, between which other questions may be asked. */
  inParts(times: number = SEVERAL): <T>(part: () => T) => T {
    const own = new Question(this.units * times, this.clock);
    return (part) => (question || frame ? part() : this.during(own, part, false));
  }

  /** Runs `ask` with the given question as the open one. */
  private during<T>(own: Question, ask: () => T, quiet: boolean): T {
    ticked[0] = 0;
    question = own;
    this.clock?.start();
    if (this.clock?.over) own.left = -1;
    try {
      return ask();
    } finally {
      settle(own);
      if (!quiet) {
        const by = own.effort ? 'effort' : own.theory ? 'theory' : 'tolerance';
        [this.limitedBy, this.cost] = [by, own.units];
        const ever = widest(this.everLimitedBy, by);
        if (ever !== this.everLimitedBy) this.whenLimited?.(ever);
        this.everLimitedBy = ever;
      }
      this.clock?.stop();
      question = undefined;
    }
  }
}

/**
 * Asks at the cost of at most this fraction of the remaining allowance. If that does not suffice, the fraction is spent and `otherwise` gives the
 * result. A fraction of 1 may overdraw by `SMALL`, so that cheap bounds are always available. While a cached value is computed, and outside of
 * questions, there is no limit. Without `otherwise` the limit holds for attempts within `ask` alone.
 */
export function attempt<T>(share: number, ask: () => T, otherwise?: () => T): T {
  const at = question;
  if (at === undefined || frame !== undefined) return ask();
  settle(at);
  const least = at.floor + Math.floor((1 - share) * Math.max(0, at.left - at.floor));
  return limitedTo(at, share < 1 ? least : Math.min(at.floor, at.left - SMALL), ask, otherwise);
}

/** `attempt` with one fraction of the whole allowance for all calls about one object in a question. */
export function attemptOf<T>(about: object, share: number, ask: () => T, otherwise: () => T): T {
  const at = question;
  if (at === undefined || frame !== undefined) return ask();
  settle(at);
  const spent = at.spent.get(about) ?? 0;
  const before = at.units;
  try {
    const least = at.left - Math.max(0, Math.floor(share * at.allowance) - spent);
    return limitedTo(at, Math.max(at.floor, least), ask, otherwise);
  } finally {
    at.spent.set(about, spent + at.units - before);
  }
}

/** Runs `ask` while at least `least` units remain, and else `otherwise`. */
function limitedTo<T>(at: Question, least: number, ask: () => T, otherwise?: () => T): T {
  const { floor, scopes } = at;
  if (at.left < Infinity) at.floor = least;
  if (otherwise !== undefined) at.scopes++;
  try {
    return ask();
  } catch (error) {
    if (!(error instanceof Spent && otherwise !== undefined)) throw error;
    // how far it was overdrawn depends on where that was noticed, so exactly what was allowed is charged
    if (error.refused) {
      at.units += at.left - at.floor;
      at.left = at.floor;
      ticked[0] = 0;
    } else settle(at);
  } finally {
    [at.floor, at.scopes] = [floor, scopes];
  }
  return otherwise();
}

/** Ends a question for which no method is left. */
export function runOut(): never {
  throw new Spent(false);
}

export const asksOne = (): boolean => question?.single === true;

/** Units that remain for the open question, or for the part of it that is asked. */
export function remaining(): number {
  return question === undefined || frame !== undefined
    ? Infinity
    : question.left - ticked[0] - question.floor;
}

export function allow(units: number): void {
  if (question !== undefined && frame === undefined && units > 0) question.left += units;
}

/** Records that more effort might narrow an answer of the open question, or that no known theorem would. */
export function noteLimited(by: 'effort' | 'theory' = 'effort'): void {
  if (question !== undefined) question[by] = true;
}

/** Records by how much a longer FFT, which more effort allows, might narrow an answer. A cached value records it whenever it is used. */
export function noteShort(width: number): void {
  const at = frame ?? question;
  if (at !== undefined) at.short = Math.max(at.short, width);
}

/** Asks something whose limits are returned, not recorded for the open question. */
export function apart<T>(ask: () => T): Apart<T> {
  const at = question;
  if (at === undefined || frame !== undefined) return { value: ask(), limited: false, short: 0 };
  const { effort, theory, short } = at;
  [at.effort, at.short] = [false, 0];
  try {
    const value = ask();
    return { value, limited: at.effort, short: at.short };
  } finally {
    [at.effort, at.theory, at.short] = [effort, theory, short];
  }
}

/** A value kept for the open question only; computed anew each time outside of questions, and while a cached value is computed. */
export function noted<T>(about: object, make: () => T): T {
  if (question === undefined || frame !== undefined) return make();
  const known = question.notes.get(about);
  if (known !== undefined) return known as T;
  const made = make();
  question.notes.set(about, made);
  return made;
}

/** Whether it was recorded that more effort might narrow an answer of the open question. */
export function isLimited(): boolean {
  return question !== undefined && frame === undefined && question.effort;
}
