/**
 * The meter bounds the work of a question by counting it, never by a clock. The unit is about a nanosecond of the usual machine (`prices.ts`). Accounting runs in one thread and never waits, so there is one meter.
 *
 * - `charge` is told of work before it is done, and ends it by throwing where the allowance does not reach. What is too small to be asked about is added to `ticked`; the next charge settles it.
 * - A *frame* is open while a cached value is made. It records what that costs and which cached values it touches, in order.
 *   Whoever finds the value cached pays by that record. So a question costs the same whether its values are cached or not, and runs out at the same place.
 * - What a question has paid for is free in it from then on. It is remembered by the *place* of the cache and the key, not by the object, as values may be forgotten and made again.
 */
import type { Scalars } from '../kernel/scalars.js';
import type { Clock } from './clock.js';
import { type Apart, type LimitedBy, widest } from './limited-by.js';
import type { Entry, Paid, Place, Touch } from './prices-paid.js';
import { by } from './scalars.js';

/** Thrown where the allowance is spent; `attempt` catches it. */
class Spent extends Error {
  /** @param refused Whether work was refused, which is counted to the end of its share. */
  constructor(readonly refused: boolean) {
    super();
  }
}

/** The place of a cache that is made here. */
export function newPlace(): Place {
  const place = frame?.place;
  const within = place && { place, key: frame?.key };
  return { within, ordinal: frame === undefined ? 0 : frame.places++, asked: 0, paid: undefined };
}

/** Questions and frames so far. */
let born = 0;

interface Frame {
  readonly id: number;
  readonly price: (number | Touch)[];
  /** What it touched that was ready. */
  seen: Set<Touch> | undefined;
  /** Charges of its own since the last touch. */
  own: number;
  /** Caches made in it so far. */
  places: number;
  readonly place: Place | undefined;
  readonly key: unknown;
  /** Nothing is to be paid: the value was paid for before. */
  readonly free: boolean;
  short: number;
}

function newFrame(place: Place | undefined, key: unknown, free: boolean): Frame {
  return { id: ++born, price: [], seen: undefined, own: 0, places: 0, place, key, free, short: 0 };
}

/** What a question may cost, and what is known in it alone. */
class Question {
  readonly id: number = ++born;
  /** What is paid in caches that stand by themselves. */
  inner: Map<unknown, Paid> | undefined;
  readonly notes: Map<object, unknown> = new Map();
  readonly spent: Map<object, number> = new Map();
  /** The allowance must not fall below it. */
  floor = 0;
  scopes = 0;
  /** What was said of its answers: that more effort might narrow them, that nothing known here would, and by how much a longer FFT might. */
  effort = false;
  theory = false;
  short = 0;
  single = false;
  /** Units that are left, those counted so far, and those at which the clock is looked at next. */
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

/** What the last way to an answer may cost where nothing is left, and units between two looks at the clock. */
const [SMALL, GLANCE] = [2e5, 2e6];

let frame: Frame | undefined;
let question: Question | undefined;
/** Small work that is done and not settled, in one number, held where it costs least to add to. */
export const ticked: Float64Array = new Float64Array(1);

/** Counts work that is about to be done. Inside `attempt` it ends there if the allowance does not reach. */
export function charge(units: number): void {
  // whole numbers add up alike in any order
  const all = Math.ceil(units) + ticked[0];
  if (all === 0) return;
  ticked[0] = 0;
  if (frame !== undefined) {
    frame.own += all;
    if (frame.free) return;
  }
  if (question !== undefined) take(question, all);
}

function take(from: Question, units: number): void {
  from.left -= units;
  from.units += units;
  if (from.clock !== undefined && from.units >= from.look) {
    from.look = from.units + GLANCE;
    if (from.clock.over) from.left = Math.min(from.left, -1);
  }
  if (!(from.left >= from.floor) && from.scopes > 0) throw new Spent(true);
}

/** What was ticked outside of frames, settled without an end. */
function settle(of: Question): void {
  of.left -= ticked[0];
  of.units += ticked[0];
  ticked[0] = 0;
}

/** A value with what it cost, the question that paid for it last and the frame that recorded it last: 0 for none. */
export interface Priced<V> {
  readonly value: V;
  readonly touched: Touch;
  readonly short: number;
  question: number;
  frame: number;
}

/** Makes the value of a key in a frame of its own. Whatever it throws leaves nothing. */
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

/** Touches a value that is ready: pays what the question has not paid yet, and records it in the open frame. */
export function touch(known: Priced<unknown>): void {
  if (ticked[0] > 0) charge(0);
  const { touched } = known;
  if (known.short > 0) noteShort(known.short);
  if (frame !== undefined && known.frame !== frame.id) {
    known.frame = frame.id;
    // a value that frames touch in turns is recorded once
    frame.seen ??= new Set();
    if (!frame.seen.has(touched)) record(frame, touched);
    frame.seen.add(touched);
  }
  if (question && question.allowance < Infinity && known.question !== question.id && !frame?.free) {
    pay(question, touched);
    known.question = question.id;
  }
}

function record(to: Frame, touched: Touch): void {
  if (to.own > 0) to.price.push(to.own);
  to.own = 0;
  to.price.push(touched);
}

function pay(from: Question, { place, key, price }: Touch): void {
  const entry = entryOf(from, place, key);
  if (entry.done) return;
  for (const item of price) {
    if (typeof item === 'number') take(from, item);
    else pay(from, item);
  }
  entry.done = true;
}

function entryOf(of: Question, place: Place, key: unknown): Entry {
  const paid = place.asked === of.id && place.paid !== undefined ? place.paid : paidAt(of, place);
  let entry = paid.get(key);
  if (entry === undefined) {
    entry = { done: false, inner: undefined };
    paid.set(key, entry);
  }
  return entry;
}

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

/** Makes something that is not counted: constants of the process, and what the price of another work includes. */
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

/** Questions that what several things cost together may come to. */
const SEVERAL = 2;

/** What questions about one subject may cost each, and what the last one did. */
export class Allowance {
  /** What bounds the answers of the last question, and of any question so far. */
  limitedBy: LimitedBy = 'tolerance';
  everLimitedBy: LimitedBy = 'tolerance';
  /** Told when theory does first, or effort. */
  whenLimited: ((by: LimitedBy) => void) | undefined;
  /** Units that the last question cost. */
  cost = 0;

  constructor(
    readonly units: number,
    readonly clock?: Clock,
    /** Whose functions of one number questions use; of the kernel they are asked with. */
    private readonly scalars?: Scalars,
  ) {}

  /** Asks a question for one thing alone: an ε, a δ, a rate. */
  askOne<T>(ask: () => T): T {
    const own = new Question(this.units, this.clock);
    own.single = true;
    return question || frame ? ask() : this.during(own, ask, false);
  }

  /** Asks for several things together, as one question that may cost as much as so many. */
  askAll<T>(ask: () => T, times: number = SEVERAL): T {
    return this.ask(ask, false, times);
  }

  /**
   * Asks a question; one inside another belongs to that.
   *
   * @param quiet What is asked is no answer, and nothing is said of it.
   * @param times How often as much it may cost as one question.
   */
  ask<T>(ask: () => T, quiet = false, times = 1): T {
    return question || frame ? ask() : this.during(new Question(this.units * times, this.clock), ask, quiet);
  }

  /** One question that is asked in parts, between which others may be: what asks a part. */
  inParts(times: number = SEVERAL): <T>(part: () => T) => T {
    const own = new Question(this.units * times, this.clock);
    return (part) => (question || frame ? part() : this.during(own, part, false));
  }

  private during<T>(own: Question, ask: () => T, quiet: boolean): T {
    ticked[0] = 0;
    question = own;
    const others = by.scalars;
    by.scalars = this.scalars ?? others;
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
      by.scalars = others;
      question = undefined;
    }
  }
}

/**
 * Asks a question at the cost of at most this share of what is left. Where that does not suffice, the share is spent and the
 * result is `otherwise`. A share of 1 may overdraw by `SMALL`, so that cheap bounds are always to be had. While a cached value is
 * made, and outside questions, there is no share: the value runs out with what makes it. Without `otherwise` the attempts within it run out alone.
 */
export function attempt<T>(share: number, ask: () => T, otherwise?: () => T): T {
  const at = question;
  if (at === undefined || frame !== undefined) return ask();
  settle(at);
  const least = at.floor + Math.floor((1 - share) * Math.max(0, at.left - at.floor));
  return limitedTo(at, share < 1 ? least : Math.min(at.floor, at.left - SMALL), ask, otherwise);
}

/** `attempt` for all that is asked about one thing in a question: at a share of the whole allowance. */
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

function limitedTo<T>(at: Question, least: number, ask: () => T, otherwise?: () => T): T {
  const { floor, scopes } = at;
  if (at.left < Infinity) at.floor = least;
  if (otherwise !== undefined) at.scopes++;
  try {
    return ask();
  } catch (error) {
    if (!(error instanceof Spent && otherwise !== undefined)) throw error;
    // by how much it was overdrawn hangs on where it was noticed
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

/** Ends what is asked, as no way to it is left. */
export function runOut(): never {
  throw new Spent(false);
}

/** Whether the open question asks one thing alone. */
export const asksOne = (): boolean => question?.single === true;

/** Units that may be spent before the open question, or the part of it that is asked, runs out. */
export function remaining(): number {
  return question === undefined || frame !== undefined
    ? Infinity
    : question.left - ticked[0] - question.floor;
}

/** Allows the open question so many units more. */
export function allow(units: number): void {
  if (question !== undefined && frame === undefined && units > 0) question.left += units;
}

/** Says of the open question that more effort might answer it better, or that nothing known here would. */
export function noteLimited(by: 'effort' | 'theory' = 'effort'): void {
  if (question !== undefined) question[by] = true;
}

/** Says by how much a longer FFT, which more effort allows, might narrow an answer. A cached value says so whenever it is touched. */
export function noteShort(width: number): void {
  const at = frame ?? question;
  if (at !== undefined) at.short = Math.max(at.short, width);
}

/** What is asked, whether more effort might answer it better, and what was told to `noteShort`: the open question is not told. */
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

/** What is remembered about something in the open question alone; made anew each time where none is open, and in what is cached. */
export function noted<T>(about: object, make: () => T): T {
  if (question === undefined || frame !== undefined) return make();
  const known = question.notes.get(about);
  if (known !== undefined) return known as T;
  const made = make();
  question.notes.set(about, made);
  return made;
}

/** Whether it was said of the open question that more effort might answer it better. */
export function isLimited(): boolean {
  return question !== undefined && frame === undefined && question.effort;
}
