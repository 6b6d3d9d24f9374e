/**
 * A vector of one lane: the operations of lanes.simd.ts on one number, for JavaScript. Sums over pairs are done in memory once per lane, even
 * positions first, so that the order of additions is that of two lanes. A comparison gives a boolean.
 */
import { ROUND } from '../../src/kernel/constants.js';
import { numbers, words } from './memory.js';

/** Numbers in a vector; WIDTH is its number of bytes. */
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
/** Logical operations on comparisons. */
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
/** Exclusive or. */
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
/** x, negated where the sign bit of s is set. */
export function withSign(x: v128, s: v128): v128 {
  return s < 0 || (s === 0 && 1 / s < 0) ? -x : x;
}

/** A vector of two numbers: here the first. */
export function pair(first: f64, _second: f64): v128 {
  return first;
}
export function lane0(a: v128): f64 {
  return a;
}
export function lane1(a: v128): f64 {
  return a;
}
/** Stores a sum at `out` for `lane` = 0, else adds it to what stands there. With one lane, even and odd positions are summed in two passes. */
export function join(sum: v128, out: usize, lane: usize): void {
  numbers[out >> 3] = lane === 0 ? sum : numbers[out >> 3] + sum;
}
/** Adds a sum to a total: 0, or with one lane the sum over even positions. */
export function fold(total: f64, sum: v128): f64 {
  return total + sum;
}
/** The first number of a table row, of which `row0` and `row1` give the addresses of its two numbers. */
export function evens(a: v128, _b: v128): v128 {
  return a;
}
/** The second number of the table row whose first is given by `evens`. */
export function odds(_a: v128, b: v128): v128 {
  return b;
}
/** The number at the first address: the second lane does not exist. */
export function gather(first: usize, _second: usize): v128 {
  return numbers[first >> 3];
}
/** The number at the first address, from a block. */
export function pick(first: usize, _second: usize): v128 {
  return numbers[first >> 3];
}
/** Stores the number at the first address. */
export function put(first: usize, _second: usize, x: v128): void {
  numbers[first >> 3] = x;
}
/** Byte offset of a table row. Rows have 2^shift bytes; the row number is the integer in `rounded`, less ROUND, modulo mask + 1. */
export function row0(rounded: v128, mask: i32, shift: i32): usize {
  return ((rounded - ROUND) & mask) << shift;
}
/** Byte offset of the second number of a table row: see `odds`. */
export function row1(rounded: v128, mask: i32, shift: i32): usize {
  return (((rounded - ROUND) & mask) << shift) + 8;
}
/** Stores the byte offset in memory, for `loadU32` and `secondRow`. */
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
/** Whether x is negative, as `listMembers` and `anySigned` take it. */
export function signOf(x: v128): v128 {
  return (x < 0) as unknown as v128;
}
export function anySigned(signs: v128): bool {
  return Boolean(signs);
}

const float = new Float64Array(1);
const word = new Uint32Array(float.buffer);

/** Binary exponent of a normal x > 0; −1023 of a subnormal one. */
export function exponentOf(x: v128): v128 {
  float[0] = x;
  return (word[1] >>> 20) - 1023;
}
/** The lanes in reverse order: with one lane, x itself. */
export function reversed(x: v128): v128 {
  return x;
}
/** −i times a complex number whose real or imaginary part is at p: the other part, with its sign. */
export function quarterTurn(p: usize): v128 {
  return (p & 8) === 0 ? numbers[(p + 8) >> 3] : -numbers[(p - 8) >> 3];
}
/** Appends to the u32 list that ends at `to` the offsets, from i on, of the numbers a and b that are set. Returns the list's end. */
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

/** Asserts that an array lies in memory: only in debug builds of the kernel, so nothing here. */
export function requireBlock(_address: usize, _n: usize): void {}
export function requireNumbers(_address: usize, _n: usize): void {}
export function requireLoop(_x: usize, _out: usize, _n: usize): void {}
