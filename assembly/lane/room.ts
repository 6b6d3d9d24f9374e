/** The memory for the numbers of one question, a stack, and the question's allowance of work. */
import { loadF64, storeF64 } from './memory.js';
import { clearScratch } from './scratch.js';

let top: usize = 0;
let end: usize = 0;
let work: f64 = 0;
let allowance: f64 = 0;
/**
 * Number of cumulants made by the question. At 200 bytes each, with what belongs to it, MOST_CUMULANTS would fill the memory of objects
 * (objects.simd.ts). Then there is no answer, in either engine.
 */
let cumulants: i32 = 0;
const MOST_CUMULANTS = 80000;
/**
 * Number of cumulants since the memory of objects was last freed. Above the limit it is freed before a question: it holds these and those of one more
 * question.
 */
let objects: i32 = 0;
const MANY_OBJECTS = 40000;

/** Begins a question: memory between two addresses, multiples of 16, and an allowance in units of work (docs/effort.md). */
export function openRoom(from: usize, to: usize, units: f64): void {
  top = from;
  end = to;
  objects = 0;
  askRoom(units);
}

/** Begins another question with an allowance of `units` of work, and keeps the memory taken. */
export function askRoom(units: f64): void {
  clearScratch();
  work = 0;
  allowance = units;
  cumulants = 0;
}

/** Whether the memory of objects has no room for another question. */
export function isCrowded(): bool {
  return objects > MANY_OBJECTS;
}

/** Counts one cumulant that was computed, for the limit of objects. */
export function countCumulant(): void {
  cumulants++;
  objects++;
}

export function cumulantsMade(): i32 {
  return cumulants;
}

/** Charges this question for work that another has done. So the cost of a question does not depend on the questions before it. */
export function spendAgain(units: f64, made: i32): void {
  work += units;
  cumulants += made;
}

/** How many more numbers fit, with 64 KiB to spare. */
export function roomLeft(): f64 {
  return (<f64>(end - top) - 65536) / 8;
}
/** Whether n more numbers fit, with 64 KiB to spare. */
export function hasRoom(n: f64): bool {
  return n < roomLeft();
}

/** Allocates n numbers, contents undefined. Ensures: they end within the memory, or there is no answer. */
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

/** Copies n numbers. */
export function copyNumbers(from: usize, to: usize, n: usize): void {
  for (let i: usize = 0; i < n << 3; i += 8) storeF64(to + i, loadF64(from + i));
}

export function mark(): usize {
  return top;
}

/** Frees what was allocated since a mark. */
export function release(to: usize): void {
  top = to;
}

/** Charges units of work that is about to be done to the question. */
export function spend(units: f64): void {
  work += Math.ceil(units);
}

/** Remaining allowance in units of work. */
export function workLeft(): f64 {
  return allowance - work;
}

/** Whether more than the allowance was spent. */
export function isOverdrawn(): bool {
  return work > allowance;
}

/** Whether the allowance or the memory of objects is spent: then nothing more is answered. */
export function isSpent(): bool {
  return work > allowance || cumulants > MOST_CUMULANTS;
}

/** Work done, in units. */
export function workDone(): f64 {
  return work;
}

/** The charge for a question: its work if it is answered. Otherwise it is at most the allowance, as the excess depends on where it was noticed. */
export function workCharged(isAnswered: bool): f64 {
  return isAnswered ? work : Math.min(work, allowance);
}
