/** Short names for the f64x2 operations, and the bit tricks the reference engine has no need to name. */
import { requireStatic } from './checks';

// @ts-expect-error: decorator
@inline export function all(x: f64): v128 {
  return f64x2.splat(x);
}
// @ts-expect-error: decorator
@inline export function add(a: v128, b: v128): v128 {
  return f64x2.add(a, b);
}
// @ts-expect-error: decorator
@inline export function sub(a: v128, b: v128): v128 {
  return f64x2.sub(a, b);
}
// @ts-expect-error: decorator
@inline export function mul(a: v128, b: v128): v128 {
  return f64x2.mul(a, b);
}
// @ts-expect-error: decorator
@inline export function div(a: v128, b: v128): v128 {
  return f64x2.div(a, b);
}
// @ts-expect-error: decorator
@inline export function neg(a: v128): v128 {
  return f64x2.neg(a);
}
// @ts-expect-error: decorator
@inline export function abs(a: v128): v128 {
  return f64x2.abs(a);
}
/** The constant at an address of `pool.ts`, in both lanes. */
// @ts-expect-error: decorator
@inline export function at(address: usize): v128 {
  requireStatic(address);
  return v128.load64_splat(address);
}
/** c + z·p for the constant c at an address of `pool.ts`. */
// @ts-expect-error: decorator
@inline export function stepAt(address: usize, z: v128, p: v128): v128 {
  requireStatic(address);
  return f64x2.add(v128.load64_splat(address), f64x2.mul(z, p));
}
/** c + z·p: one Horner step (two roundings, never fused). */
// @ts-expect-error: decorator
@inline export function step(c: f64, z: v128, p: v128): v128 {
  return f64x2.add(f64x2.splat(c), f64x2.mul(z, p));
}
/** yes where the mask is set, else no. */
// @ts-expect-error: decorator
@inline export function select(yes: v128, no: v128, mask: v128): v128 {
  return v128.bitselect(yes, no, mask);
}
/** x > limit ? limit : x, keeping NaN. */
// @ts-expect-error: decorator
@inline export function atMost(x: v128, limit: f64): v128 {
  return f64x2.pmin(x, f64x2.splat(limit));
}
/** x < limit ? limit : x, keeping NaN. */
// @ts-expect-error: decorator
@inline export function atLeast(x: v128, limit: f64): v128 {
  return f64x2.pmax(x, f64x2.splat(limit));
}
/** x < limit ? x : limit, NaN becomes the limit: safe to index with. */
// @ts-expect-error: decorator
@inline export function below(x: v128, limit: f64): v128 {
  return f64x2.pmin(f64x2.splat(limit), x);
}
/** x > limit ? x : limit, NaN becomes the limit. */
// @ts-expect-error: decorator
@inline export function above(x: v128, limit: f64): v128 {
  return f64x2.pmax(f64x2.splat(limit), x);
}
/** Two table entries, one per lane, from byte addresses. */
// @ts-expect-error: decorator
@inline export function gather(first: usize, second: usize): v128 {
  requireStatic(first);
  requireStatic(second);
  return v128.load64_lane(second, v128.load64_splat(first), 1);
}
/** Two numbers of a block, one per lane, from byte addresses. */
// @ts-expect-error: decorator
@inline export function pick(first: usize, second: usize): v128 {
  return v128.load64_lane(second, v128.load64_splat(first), 1);
}
/** The first halves of two table pairs, one per lane: with `odds`, half the loads of two gathers. */
// @ts-expect-error: decorator
@inline export function evens(first: v128, second: v128): v128 {
  return i64x2.shuffle(first, second, 0, 2);
}
/** The second halves of two table pairs. */
// @ts-expect-error: decorator
@inline export function odds(first: v128, second: v128): v128 {
  return i64x2.shuffle(first, second, 1, 3);
}
// @ts-expect-error: decorator
@inline export function lane0(x: v128): f64 {
  return f64x2.extract_lane(x, 0);
}
// @ts-expect-error: decorator
@inline export function anyTrue(mask: v128): bool {
  return v128.any_true(mask);
}
// @ts-expect-error: decorator
@inline export function allTrue(mask: v128): bool {
  return i64x2.all_true(mask);
}
// @ts-expect-error: decorator
@inline export function sqrt(a: v128): v128 {
  return f64x2.sqrt(a);
}
