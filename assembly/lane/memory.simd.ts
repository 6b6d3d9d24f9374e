/** Linear memory by the instructions of WebAssembly. memory.ts has it for JavaScript. */
export { memory } from 'memory';

/* @inline */ export function load(p: usize, offset: usize = 0): v128 {
  return v128.load(p + offset);
}
/* @inline */ export function store(p: usize, x: v128, offset: usize = 0): void {
  v128.store(p + offset, x);
}
/* @inline */ export function splat(p: usize, offset: usize = 0): v128 {
  return v128.load64_splat(p + offset);
}
/* @inline */ export function loadF64(p: usize, offset: usize = 0): f64 {
  return f64.load(p + offset);
}
/* @inline */ export function storeF64(p: usize, x: f64, offset: usize = 0): void {
  f64.store(p + offset, x);
}
/* @inline */ export function loadU32(p: usize, offset: usize = 0): usize {
  return <usize>i32.load(p + offset);
}
/* @inline */ export function storeU32(p: usize, x: usize, offset: usize = 0): void {
  i32.store(p + offset, <i32>x);
}
/** One number of each of two rows, as a vector. */
/* @inline */ export function entry(first: usize, second: usize, offset: usize): v128 {
  return v128.load64_lane(second + offset, v128.load64_zero(first + offset), 1);
}
