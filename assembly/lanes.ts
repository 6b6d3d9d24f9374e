/**
 * A vector of one lane: the operations of lanes.simd.ts on one number, for JavaScript. Sums over pairs go through memory once a lane, the even places first,
 * and so add up in the order of two lanes. What a comparison says is a boolean.
 */
import { ROUND } from '../src/kernel/constants.js';
import { numbers, words } from './memory.js';

/** Numbers of a vector, and their bytes. */
export const LANES: usize = 1;
export const WIDTH: usize = 8;

export function all(x: f64): v128 {
  return x;
}
export function add(a: v128, b: v128): v128 {
  return a + b;
}
export function sub(a: v128, b: v128): v128 {
  return a - b;
}
export function mul(a: v128, b: v128): v128 {
  return a * b;
}
export function div(a: v128, b: v128): v128 {
  return a / b;
}
export function neg(a: v128): v128 {
  return -a;
}
export function abs(a: v128): v128 {
  return Math.abs(a);
}
export function sqrt(a: v128): v128 {
  return Math.sqrt(a);
}
export function pmin(a: v128, b: v128): v128 {
  return b < a ? b : a;
}
export function pmax(a: v128, b: v128): v128 {
  return a < b ? b : a;
}
/** A constant of the pool. */
export function at(constant: f64): v128 {
  return constant;
}
/** c + z·p for a constant c of the pool. */
export function stepAt(constant: f64, z: v128, p: v128): v128 {
  return constant + z * p;
}
/** c + z·p. */
export function step(c: f64, z: v128, p: v128): v128 {
  return c + z * p;
}
/** x > limit ? limit : x, keeping NaN. */
export function atMost(x: v128, limit: f64): v128 {
  return limit < x ? limit : x;
}
/** x < limit ? limit : x, keeping NaN. */
export function atLeast(x: v128, limit: f64): v128 {
  return x < limit ? limit : x;
}
/** x < limit ? x : limit, NaN becomes the limit: safe to index with. */
export function below(x: v128, limit: f64): v128 {
  return x < limit ? x : limit;
}
/** x > limit ? x : limit, NaN becomes the limit. */
export function above(x: v128, limit: f64): v128 {
  return limit < x ? x : limit;
}

export function lt(a: v128, b: v128): v128 {
  return (a < b) as unknown as v128;
}
export function le(a: v128, b: v128): v128 {
  return (a <= b) as unknown as v128;
}
export function gt(a: v128, b: v128): v128 {
  return (a > b) as unknown as v128;
}
export function ge(a: v128, b: v128): v128 {
  return (a >= b) as unknown as v128;
}
export function eq(a: v128, b: v128): v128 {
  return (a === b) as unknown as v128;
}
export function ne(a: v128, b: v128): v128 {
  return (a !== b) as unknown as v128;
}
/** Of what comparisons say. */
export function and(a: v128, b: v128): v128 {
  return a && b;
}
export function or(a: v128, b: v128): v128 {
  return a || b;
}
export function not(a: v128): v128 {
  return !a as unknown as v128;
}
/** a and not b. */
export function andnot(a: v128, b: v128): v128 {
  return (!b && Boolean(a)) as unknown as v128;
}
/** Whether they differ. */
export function differ(a: v128, b: v128): v128 {
  return (!a !== !b) as unknown as v128;
}
export function anyTrue(a: v128): bool {
  return Boolean(a);
}
export function allTrue(a: v128): bool {
  return Boolean(a);
}
/** yes where the mask is set, else no. */
export function select(yes: v128, no: v128, when: v128): v128 {
  return when ? yes : no;
}
/** x where the mask is set, else 0. */
export function keep(x: v128, when: v128): v128 {
  return when ? x : 0;
}
/** 0 where the mask is set, else x. */
export function drop(x: v128, when: v128): v128 {
  return when ? 0 : x;
}
/** −x where the mask is set. */
export function flip(x: v128, when: v128): v128 {
  return when ? -x : x;
}
/** −x where s has a sign. */
export function withSign(x: v128, s: v128): v128 {
  return s < 0 || (s === 0 && 1 / s < 0) ? -x : x;
}

/** A number for each lane. */
export function pair(first: f64, _second: f64): v128 {
  return first;
}
export function lane0(a: v128): f64 {
  return a;
}
export function lane1(a: v128): f64 {
  return a;
}
/** Adds the lanes of a sum up, to `out`: `lane` bytes into pairs is this one, and the last of two adds to the first. */
export function join(sum: v128, out: usize, lane: usize): void {
  numbers[out >> 3] = lane === 0 ? sum : numbers[out >> 3] + sum;
}
/** The lanes of a sum added up, onto a total of 0, or of the even places. */
export function fold(total: f64, sum: v128): f64 {
  return total + sum;
}
/** The first numbers of two rows' pairs, the second row being the first + 8 (`row1`). */
export function evens(a: v128, _b: v128): v128 {
  return a;
}
/** The second numbers of two rows' pairs. */
export function odds(_a: v128, b: v128): v128 {
  return b;
}
/** One number of each of two rows. */
export function gather(first: usize, _second: usize): v128 {
  return numbers[first >> 3];
}
/** Two numbers of a block, one per lane. */
export function pick(first: usize, _second: usize): v128 {
  return numbers[first >> 3];
}
/** Two numbers into a block, one per lane. */
export function put(first: usize, _second: usize, x: v128): void {
  numbers[first >> 3] = x;
}
/** Offset of the table row, of 2^shift bytes, whose number, modulo mask + 1, is `rounded` less ROUND. */
export function row0(rounded: v128, mask: i32, shift: i32): usize {
  return ((rounded - ROUND) & mask) << shift;
}
/** Offset of the table row of its second number: see `odds`. */
export function row1(rounded: v128, mask: i32, shift: i32): usize {
  return (((rounded - ROUND) & mask) << shift) + 8;
}
/** The offset to memory, for `loadU32` and `secondRow`. */
export function storeRows(p: usize, rounded: v128, shift: i32): void {
  words[p >> 2] = (rounded - ROUND) << shift;
}
export function secondRow(p: usize): usize {
  return words[p >> 2] + 8;
}
/** `bytes` where the mask is set, else 0. */
export function offset0(when: v128, bytes: usize): usize {
  return when ? bytes : 0;
}
export function offset1(when: v128, bytes: usize): usize {
  return when ? bytes : 0;
}
/** What has a sign, as `listMembers` and `anySigned` take it. */
export function signOf(x: v128): v128 {
  return (x < 0) as unknown as v128;
}
export function anySigned(signs: v128): bool {
  return Boolean(signs);
}

const float = new Float64Array(1);
const word = new Uint32Array(float.buffer);

/** The exponent of a normal x > 0; −1023 of a subnormal one. */
export function exponentOf(x: v128): v128 {
  float[0] = x;
  return (word[1] >>> 20) - 1023;
}
/** The lanes in the other order. */
export function reversed(x: v128): v128 {
  return x;
}
/** −i times a complex number, of which p is the real part or the imaginary one. */
export function quarterTurn(p: usize): v128 {
  return (p & 8) === 0 ? numbers[(p + 8) >> 3] : -numbers[(p - 8) >> 3];
}
/** Appends to the u32 list that ends at `to` the offsets, i and up, of the lanes of a, then b, that are set. Returns its end. */
export function listMembers(a: v128, b: v128, i: usize, to: usize): usize {
  if (a) {
    words[to >> 2] = i;
    to += 4;
  }
  if (b) {
    words[to >> 2] = i + WIDTH;
    to += 4;
  }
  return to;
}

/** Checks of addresses: the assembler's debug build has them. */
export function requireBlock(_address: usize, _n: usize): void {}
export function requireNumbers(_address: usize, _n: usize): void {}
export function requireLoop(_x: usize, _out: usize, _n: usize): void {}
