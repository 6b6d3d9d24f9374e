/** Room for the numbers of one question, given back in reverse, and the work that the question may do. */
import { storeF64 } from './memory.js';

let top: usize = 0;
let end: usize = 0;
let work: f64 = 0;
let allowance: f64 = 0;
/** Cumulants made. Beyond the most, at 200 bytes with what is made of each, the room of objects would be full (objects.simd.ts). Then there is no answer, in either engine. */
let cumulants: i32 = 0;
const MOST_CUMULANTS = 80000;
/** Cumulants made since the room was opened, and beyond how many it is to be opened anew. The room of objects holds these and those of one more question. */
let objects: i32 = 0;
const MANY_OBJECTS = 40000;

/** A question begins: its numbers stand between two addresses, multiples of 16, and it may cost so many units (docs/effort.md). */
export function openRoom(from: usize, to: usize, units: f64): void {
  top = from;
  end = to;
  objects = 0;
  askRoom(units);
}

/** Another question begins in the same room, which may cost so many units. */
export function askRoom(units: f64): void {
  work = 0;
  allowance = units;
  cumulants = 0;
}

/** What `enterRoom` has left. */
let leftTop: usize = 0;
let leftEnd: usize = 0;

/** A room of its own for what is asked beside the open run, which may cost so many units. It is left before another is entered. */
export function enterRoom(from: usize, numbers: usize, units: f64): void {
  leftTop = top;
  leftEnd = end;
  top = from;
  end = from + (numbers << 3);
  askRoom(units);
}

export function leaveRoom(): void {
  top = leftTop;
  end = leftEnd;
}

/** Whether there is no room for the objects of another question. */
export function isCrowded(): bool {
  return objects > MANY_OBJECTS;
}

/** Counts a cumulant that is made. */
export function countCumulant(): void {
  cumulants++;
  objects++;
}

export function cumulantsMade(): i32 {
  return cumulants;
}

/** Counts what another question made for this one too, as if this had made it. So what a question costs does not hang on those before it. */
export function spendAgain(units: f64, made: i32): void {
  work += units;
  cumulants += made;
}

/** Whether there is room for n more numbers: asked before many are taken. */
export function hasRoom(n: f64): bool {
  return 8 * n + 65536 < <f64>(end - top);
}

/** Address of room for n numbers, contents undefined. Ensures that they end within the room: there is no answer otherwise. */
export function take(n: usize): usize {
  const place = top;
  top += (n + (n & 1)) << 3;
  if (top > end) throw new RangeError('a question has no room for its numbers');
  return place;
}

/** `take`, with all numbers zero. */
export function takeZeros(n: usize): usize {
  const place = take(n);
  for (let at = place; at < place + (n << 3); at += 8) storeF64(at, 0);
  return place;
}

export function mark(): usize {
  return top;
}

/** Gives back what was taken since a mark. */
export function release(to: usize): void {
  top = to;
}

/** Counts work that is about to be done. */
export function spend(units: f64): void {
  work += Math.ceil(units);
}

/** Units that a question may do yet. */
export function workLeft(): f64 {
  return allowance - work;
}

/** Whether a question has no allowance left. */
export function isOverdrawn(): bool {
  return work > allowance;
}

/** Whether it has none, or no room for objects: then it answers nothing more. */
export function isSpent(): bool {
  return work > allowance || cumulants > MOST_CUMULANTS;
}

/** Units that a question has done. */
export function workDone(): f64 {
  return work;
}

/** What is charged for a question that ended like this. Where the allowance ended it, it is no more than that: by how much it was overdrawn hangs on where that was noticed. */
export function workCharged(isAnswered: bool): f64 {
  return isAnswered ? work : Math.min(work, allowance);
}
