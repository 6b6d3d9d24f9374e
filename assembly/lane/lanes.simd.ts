/** A vector of two doubles: short names for the SIMD operations of WebAssembly. lanes.ts has them for JavaScript, one lane wide. */
import { requireStatic } from './checks.js';
import * as pool from './pool.js';

export { requireBlock, requireLoop, requireNumbers } from './checks.js';

/** Numbers in a vector; WIDTH is its number of bytes. */
/* @inline */ export const LANES: usize = 2;
/* @inline */ export const WIDTH: usize = 16;

/* @inline */ export function all(x: f64): v128 {
  return f64x2.splat(x);
}
/* @inline */ export function add(a: v128, b: v128): v128 {
  return f64x2.add(a, b);
}
/* @inline */ export function sub(a: v128, b: v128): v128 {
  return f64x2.sub(a, b);
}
/* @inline */ export function mul(a: v128, b: v128): v128 {
  return f64x2.mul(a, b);
}
/* @inline */ export function div(a: v128, b: v128): v128 {
  return f64x2.div(a, b);
}
/* @inline */ export function neg(a: v128): v128 {
  return f64x2.neg(a);
}
/* @inline */ export function abs(a: v128): v128 {
  return f64x2.abs(a);
}
/* @inline */ export function sqrt(a: v128): v128 {
  return f64x2.sqrt(a);
}
/* @inline */ export function pmin(a: v128, b: v128): v128 {
  return f64x2.pmin(a, b);
}
/* @inline */ export function pmax(a: v128, b: v128): v128 {
  return f64x2.pmax(a, b);
}
/* @inline */ export function lt(a: v128, b: v128): v128 {
  return f64x2.lt(a, b);
}
/* @inline */ export function le(a: v128, b: v128): v128 {
  return f64x2.le(a, b);
}
/* @inline */ export function gt(a: v128, b: v128): v128 {
  return f64x2.gt(a, b);
}
/* @inline */ export function ge(a: v128, b: v128): v128 {
  return f64x2.ge(a, b);
}
/* @inline */ export function eq(a: v128, b: v128): v128 {
  return f64x2.eq(a, b);
}
/* @inline */ export function ne(a: v128, b: v128): v128 {
  return f64x2.ne(a, b);
}
/** Bitwise operations on masks. */
/* @inline */ export function and(a: v128, b: v128): v128 {
  return v128.and(a, b);
}
/* @inline */ export function or(a: v128, b: v128): v128 {
  return v128.or(a, b);
}
/* @inline */ export function not(a: v128): v128 {
  return v128.not(a);
}
/** Bitwise a and not b. */
/* @inline */ export function andnot(a: v128, b: v128): v128 {
  return v128.andnot(a, b);
}
/** Bitwise exclusive or. */
/* @inline */ export function differ(a: v128, b: v128): v128 {
  return v128.xor(a, b);
}
/* @inline */ export function anyTrue(a: v128): bool {
  return v128.any_true(a);
}
/* @inline */ export function allTrue(a: v128): bool {
  return i64x2.all_true(a);
}
/** `yes` where the mask is set, else `no`. */
/* @inline */ export function select(yes: v128, no: v128, when: v128): v128 {
  return v128.bitselect(yes, no, when);
}
/** x where the mask is set, else 0. */
/* @inline */ export function keep(x: v128, when: v128): v128 {
  return v128.and(x, when);
}
/** 0 where the mask is set, else x. */
/* @inline */ export function drop(x: v128, when: v128): v128 {
  return v128.andnot(x, when);
}
/** A vector of two numbers. */
/* @inline */ export function pair(first: f64, second: f64): v128 {
  return f64x2(first, second);
}

/** The constant at an address of `pool.ts`, in both lanes. */
/* @inline */ export function at(address: usize): v128 {
  requireStatic(address);
  return v128.load64_splat(address);
}
/** c + z·p for the constant c at an address of `pool.ts`. */
/* @inline */ export function stepAt(address: usize, z: v128, p: v128): v128 {
  requireStatic(address);
  return f64x2.add(v128.load64_splat(address), f64x2.mul(z, p));
}
/** c + z·p: one Horner step (two roundings, never fused). */
/* @inline */ export function step(c: f64, z: v128, p: v128): v128 {
  return f64x2.add(f64x2.splat(c), f64x2.mul(z, p));
}
/** x > limit ? limit : x, keeping NaN. */
/* @inline */ export function atMost(x: v128, limit: f64): v128 {
  return f64x2.pmin(x, f64x2.splat(limit));
}
/** x < limit ? limit : x, keeping NaN. */
/* @inline */ export function atLeast(x: v128, limit: f64): v128 {
  return f64x2.pmax(x, f64x2.splat(limit));
}
/** x < limit ? x : limit, NaN becomes the limit: safe to index with. */
/* @inline */ export function below(x: v128, limit: f64): v128 {
  return f64x2.pmin(f64x2.splat(limit), x);
}
/** x > limit ? x : limit, NaN becomes the limit. */
/* @inline */ export function above(x: v128, limit: f64): v128 {
  return f64x2.pmax(f64x2.splat(limit), x);
}
/** Two table entries, one per lane, from byte addresses. */
/* @inline */ export function gather(first: usize, second: usize): v128 {
  requireStatic(first);
  requireStatic(second);
  return v128.load64_lane(second, v128.load64_splat(first), 1);
}
/** Two numbers of a block, one per lane, from byte addresses. */
/* @inline */ export function pick(first: usize, second: usize): v128 {
  return v128.load64_lane(second, v128.load64_splat(first), 1);
}
/** The first halves of two table pairs, one per lane: with `odds`, half the loads of two gathers. */
/* @inline */ export function evens(first: v128, second: v128): v128 {
  return i64x2.shuffle(first, second, 0, 2);
}
/** The second halves of two table pairs. */
/* @inline */ export function odds(first: v128, second: v128): v128 {
  return i64x2.shuffle(first, second, 1, 3);
}
/* @inline */ export function lane0(x: v128): f64 {
  return f64x2.extract_lane(x, 0);
}
/** −x where the mask is set, else x. */
/* @inline */ export function flip(x: v128, when: v128): v128 {
  return v128.xor(x, v128.and(when, f64x2.splat(-0.0)));
}
/** x, negated in the lanes where s is negative. */
/* @inline */ export function withSign(x: v128, s: v128): v128 {
  return v128.xor(x, v128.and(s, f64x2.splat(-0.0)));
}
/* @inline */ export function lane1(x: v128): f64 {
  return f64x2.extract_lane(x, 1);
}
/** Adds the two lanes of a vector, and stores the sum at `out`. */
/* @inline */ export function join(sum: v128, out: usize, _lane: usize): void {
  f64.store(out, f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1));
}
/** The sum of the two lanes. */
/* @inline */ export function fold(_total: f64, sum: v128): f64 {
  return f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
}
/** Stores the two lanes at two addresses. */
/* @inline */ export function put(first: usize, second: usize, x: v128): void {
  v128.store64_lane(first, x, 0);
  v128.store64_lane(second, x, 1);
}

/** Byte offset of the first lane's table row. Rows have 2^shift bytes; the row number is the integer in `rounded`, less ROUND, modulo mask + 1. */
/* @inline */ export function row0(rounded: v128, mask: i32, shift: i32): usize {
  return <usize>(((<i32>reinterpret<i64>(f64x2.extract_lane(rounded, 0))) & mask) << shift);
}
/** Byte offset of the second lane's table row: see `row0`. */
/* @inline */ export function row1(rounded: v128, mask: i32, shift: i32): usize {
  return <usize>(((<i32>i64x2.extract_lane(rounded, 1)) & mask) << shift);
}
/** Stores both byte offsets in memory, for `loadU32` and `secondRow`. */
/* @inline */ export function storeRows(p: usize, rounded: v128, shift: i32): void {
  v128.store(p, i64x2.shl(rounded, shift));
}
/* @inline */ export function secondRow(p: usize): usize {
  return i32.load(p, 8);
}
/** `bytes` where the mask is set in the first lane, else 0. */
/* @inline */ export function offset0(when: v128, bytes: usize): usize {
  return (<usize>i64x2.extract_lane(when, 0)) & bytes;
}
/* @inline */ export function offset1(when: v128, bytes: usize): usize {
  return (<usize>i64x2.extract_lane(when, 1)) & bytes;
}
/** Mask of the negative lanes, as `listMembers` and `anySigned` take it. */
/* @inline */ export function signOf(x: v128): v128 {
  return x;
}
/* @inline */ export function anySigned(signs: v128): bool {
  return i64x2.bitmask(signs) !== 0;
}
/** Binary exponent of a normal x > 0; −1023 of a subnormal one. */
/* @inline */ export function exponentOf(x: v128): v128 {
  return f64x2.sub(
    v128.or(i64x2.shr_u(x, 52), i64x2.splat(0x4330000000000000)),
    f64x2.splat(4503599627370496.0 + 1023.0),
  );
}
/** The two lanes exchanged. */
/* @inline */ export function reversed(x: v128): v128 {
  return v128.shuffle<f64>(x, x, 1, 0);
}

/** −i·z as a vector: (im, −re), from z = (re, im) at p. */
/* @inline */ export function quarterTurn(p: usize): v128 {
  return reversed(v128.xor(v128.load(p), v128.load64_zero(pool.NEGATIVE_ZERO)));
}

/** For each subset of four numbers, the byte offsets of its members. */
// prettier-ignore
const MEMBERS: usize = memory.data<u32>([
  0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 8, 0, 0,
  16, 0, 0, 0, 0, 16, 0, 0, 8, 16, 0, 0, 0, 8, 16, 0,
  24, 0, 0, 0, 0, 24, 0, 0, 8, 24, 0, 0, 0, 8, 24, 0,
  16, 24, 0, 0, 0, 16, 24, 0, 8, 16, 24, 0, 0, 8, 16, 24,
], 16);

/** Appends to the u32 list that ends at `to` the offsets of lanes whose highest bit is set. They are i … i + 24, of a and then of b. Returns its end; writes 16 bytes. */
/* @inline */ export function listMembers(a: v128, b: v128, i: usize, to: usize): usize {
  const set = <usize>i32x4.bitmask(i32x4.shuffle(a, b, 1, 3, 5, 7));
  v128.store(to, i32x4.add(v128.load(MEMBERS + (set << 4)), i32x4.splat(<i32>i)));
  return to + (popcnt(set) << 2);
}
