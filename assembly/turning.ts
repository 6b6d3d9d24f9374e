/**
 * Sums of turning terms at 32 neighbouring frequencies: of each term the powers E^b, b < 32, of what it turns by from one frequency to the next, in a table, joined with its value at the
 * first of the 32. Where terms are the `excess` of a turn over 1, so are the numbers of the table.
 */
import { CHARACTERISTIC_BLOCK } from '../src/kernel/constants.js';
import { add, all, mul, sub, WIDTH } from './lanes.js';
import { load, loadU32, memory, splat, store, storeF64 } from './memory.js';

/** Frequencies that share one anchor, and terms summed before they join the total. */
/* @inline */ export const BLOCK: usize = <usize>CHARACTERISTIC_BLOCK;
/** Bytes of the powers of one term: real parts, then imaginary parts. */
/* @inline */ export const TABLE: usize = 512;
/** The tables of a block of terms. */
export const POWERS: usize = memory.data(16384, 16);
/** Of the terms at the anchor: the real part, less the weight where it is an excess; real and imaginary part; and, where terms are chosen, the addresses of their tables. */
export const ANCHOR: usize = memory.data(256, 16);
export const REAL: usize = memory.data(272, 16);
export const IMAGINARY: usize = memory.data(272, 16);
export const TABLES: usize = memory.data(128, 16);

/** The powers of a term, of E = re + i·im, or of E = 1 + re + i·im, to `table`. */
export function fillPowers(excess: bool, re: f64, im: f64, table: usize): void {
  storeF64(table, excess ? 0 : 1);
  storeF64(table, re, 8);
  storeF64(table, 0, 256);
  storeF64(table, im, 264);
  for (let size: usize = 16; size < BLOCK << 3; size <<= 1) {
    const whole = excess ? 1 + re : re;
    const squareRe = re * whole - im * im;
    const squareIm = re * im + im * whole;
    re = excess ? re + squareRe : squareRe;
    im = excess ? im + squareIm : squareIm;
    const A = all(re);
    const T = all(im);
    const W = all(excess ? 1 + re : re);
    for (let b: usize = 0; b < size; b += WIDTH) {
      const c = load(table + b);
      const s = load(table + b, 256);
      store(table + size + b, turnedRe(excess, A, c, s, W, T));
      store(table + size + b, turnedIm(excess, c, s, W, T), 256);
    }
  }
}

/* @inline */ function turnedRe(excess: bool, anchor: v128, c: v128, s: v128, x: v128, y: v128): v128 {
  return excess ? add(anchor, sub(mul(c, x), mul(s, y))) : sub(mul(c, x), mul(s, y));
}
/* @inline */ function turnedIm(excess: bool, c: v128, s: v128, x: v128, y: v128): v128 {
  return excess ? add(y, add(mul(c, y), mul(s, x))) : add(mul(c, y), mul(s, x));
}

/** The sums over `size` bytes of terms at the four vectors of frequencies from byte `b` of their block on, added to re and im. */
/* @inline */ function addFour(excess: bool, b: usize, size: usize, re: usize, im: usize): void {
  let re0 = all(0);
  let re1 = all(0);
  let re2 = all(0);
  let re3 = all(0);
  let im0 = all(0);
  let im1 = all(0);
  let im2 = all(0);
  let im3 = all(0);
  for (let j: usize = 0; j < size; j += 8) {
    const table = b + (excess ? POWERS + (j << 6) : loadU32(TABLES + (j >> 1)));
    const x = splat(REAL + j);
    const y = splat(IMAGINARY + j);
    const anchor = excess ? splat(ANCHOR + j) : x;
    let c = load(table);
    let s = load(table, 256);
    re0 = add(re0, turnedRe(excess, anchor, c, s, x, y));
    im0 = add(im0, turnedIm(excess, c, s, x, y));
    c = load(table, WIDTH);
    s = load(table, 256 + WIDTH);
    re1 = add(re1, turnedRe(excess, anchor, c, s, x, y));
    im1 = add(im1, turnedIm(excess, c, s, x, y));
    c = load(table, 2 * WIDTH);
    s = load(table, 256 + 2 * WIDTH);
    re2 = add(re2, turnedRe(excess, anchor, c, s, x, y));
    im2 = add(im2, turnedIm(excess, c, s, x, y));
    c = load(table, 3 * WIDTH);
    s = load(table, 256 + 3 * WIDTH);
    re3 = add(re3, turnedRe(excess, anchor, c, s, x, y));
    im3 = add(im3, turnedIm(excess, c, s, x, y));
  }
  store(re, add(load(re), re0));
  store(re, add(load(re, WIDTH), re1), WIDTH);
  store(re, add(load(re, 2 * WIDTH), re2), 2 * WIDTH);
  store(re, add(load(re, 3 * WIDTH), re3), 3 * WIDTH);
  store(im, add(load(im), im0));
  store(im, add(load(im, WIDTH), im1), WIDTH);
  store(im, add(load(im, 2 * WIDTH), im2), 2 * WIDTH);
  store(im, add(load(im, 3 * WIDTH), im3), 3 * WIDTH);
}

/** The sums over excesses. */
export function addExcess(b: usize, size: usize, re: usize, im: usize): void {
  addFour(true, b, size, re, im);
}

/** The sums over the terms that are chosen. */
export function addChosen(b: usize, size: usize, re: usize, im: usize): void {
  addFour(false, b, size, re, im);
}
