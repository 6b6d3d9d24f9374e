/**
 * The inverse of erfc and the normal quantiles, all by Wichura's AS 241 (PPND16), in its own three regions. The argument is whichever of p, 1 − p,
 * log p is known exactly. Polynomials are summed as even part + r × odd part, which halves the chain of dependent operations.
 */
import { logInline, vexpm1, vlog } from './elementary.js';
import * as pool from '../lane/pool.js';
import * as constants from '../../src/kernel/constants.js';
import {
  abs,
  add,
  all,
  allTrue,
  andnot,
  anyTrue,
  at,
  div,
  eq,
  gather,
  gt,
  LANES,
  le,
  listMembers,
  lt,
  mul,
  neg,
  not,
  offset0,
  offset1,
  or,
  pick,
  put,
  select,
  sqrt,
  step,
  stepAt,
  sub,
  WIDTH,
} from '../lane/lanes.js';
import { load, loadU32, memory, store, storeU32 } from '../lane/memory.js';
import { borrow, giveBack } from '../lane/scratch.js';

/** Coefficients of AS 241 for centre, tails and deep tails: 8 of the numerator, then those of the denominator from the second on. */
// prettier-ignore
const COEFFICIENTS: usize = memory.data<f64>([
  constants.AS241_A0, constants.AS241_A1, constants.AS241_A2, constants.AS241_A3,
  constants.AS241_A4, constants.AS241_A5, constants.AS241_A6, constants.AS241_A7,
  constants.AS241_B1, constants.AS241_B2, constants.AS241_B3, constants.AS241_B4,
  constants.AS241_B5, constants.AS241_B6, constants.AS241_B7,
  1.4234371107496835, 4.630337846156546, 5.769497221460691, 3.6478483247632045,
  1.2704582524523684, 0.2417807251774506, 0.022723844989269184, 0.0007745450142783414,
  2.053191626637759, 1.6763848301838038, 0.6897673349851, 0.14810397642748008,
  0.015198666563616457, 0.0005475938084995345, 1.0507500716444169e-9,
  6.657904643501103, 5.463784911164114, 1.7848265399172913, 0.29656057182850487,
  0.026532189526576124, 0.0012426609473880784, 2.7115555687434876e-5, 2.0103343992922881e-7,
  0.599832206555888, 0.1369298809227358, 0.014875361290850615, 0.0007868691311456133,
  1.8463183175100548e-5, 1.421511758316446e-7, 2.0442631033899397e-15,
], 16);
/** Bytes of a row of COEFFICIENTS. */
/* @inline */ const ROW: usize = 120;

/** z with Φ(z) − ½ = q, |q| ≤ 0.425. By AS 241: errors in `ELEMENTWISE` of src/kernel/kernel.ts. */
/* @inline */ function centralQuantile(q: v128): v128 {
  const r = sub(all(constants.AS241_CENTRAL_SQUARE), mul(q, q));
  const z = mul(r, r);
  const even = stepAt(pool.AS241_A2, z, stepAt(pool.AS241_A4, z, at(pool.AS241_A6)));
  const odd = stepAt(pool.AS241_A3, z, stepAt(pool.AS241_A5, z, at(pool.AS241_A7)));
  const numerator = add(stepAt(pool.AS241_A0, z, even), mul(r, stepAt(pool.AS241_A1, z, odd)));
  const evenBelow = stepAt(pool.AS241_B2, z, stepAt(pool.AS241_B4, z, at(pool.AS241_B6)));
  const oddBelow = stepAt(pool.AS241_B3, z, stepAt(pool.AS241_B5, z, at(pool.AS241_B7)));
  const denominator = add(step(1, z, evenBelow), mul(r, stepAt(pool.AS241_B1, z, oddBelow)));
  return mul(q, div(numerator, denominator));
}

/**
 * AS 241's rational function of the two rows of COEFFICIENTS at two addresses, one per lane, at r. Its rounding errors are in `ELEMENTWISE` of
 * src/kernel/kernel.ts.
 */
/* @inline */ function tailRatio(r: v128, first: usize, second: usize): v128 {
  const z = mul(r, r);
  let even = add(gather(first + 32, second + 32), mul(z, gather(first + 48, second + 48)));
  let odd = add(gather(first + 40, second + 40), mul(z, gather(first + 56, second + 56)));
  even = add(gather(first + 16, second + 16), mul(z, even));
  odd = add(gather(first + 24, second + 24), mul(z, odd));
  even = add(gather(first, second), mul(z, even));
  odd = add(gather(first + 8, second + 8), mul(z, odd));
  const numerator = add(even, mul(r, odd));
  even = add(gather(first + 88, second + 88), mul(z, gather(first + 104, second + 104)));
  odd = add(gather(first + 96, second + 96), mul(z, gather(first + 112, second + 112)));
  even = add(gather(first + 72, second + 72), mul(z, even));
  odd = add(gather(first + 80, second + 80), mul(z, odd));
  odd = add(gather(first + 64, second + 64), mul(z, odd));
  return div(numerator, add(step(1, z, even), mul(r, odd)));
}

/**
 * centralQuantile(q) where `central` is set, else z > 0 with 1 − Φ(z) = e^{−l}. By AS 241, one rational function with coefficients of its own for each lane;
 * by `farQuantile` for l > 729. Errors are in `ELEMENTWISE` of src/kernel/kernel.ts.
 */
/* @inline */ function quantileOf(q: v128, l: v128, central: v128): v128 {
  const root = sqrt(l);
  const deep = andnot(gt(root, all(5)), central);
  const r = select(
    sub(all(constants.AS241_CENTRAL_SQUARE), mul(q, q)),
    sub(root, select(all(5), all(1.6), deep)),
    central,
  );
  const tail = not(central);
  const first = COEFFICIENTS + offset0(tail, ROW) + offset0(deep, ROW);
  const second = COEFFICIENTS + offset1(tail, ROW) + offset1(deep, ROW);
  const ratio = tailRatio(r, first, second);
  const value = select(mul(q, ratio), ratio, central);
  const far = andnot(gt(l, all(729)), central);
  return anyTrue(far) ? select(farQuantile(l), value, far) : value;
}

/** z > 0 with 1 − Φ(z) = e^{−l}, l ≥ 2.59. By AS 241: errors in `ELEMENTWISE` of src/kernel/kernel.ts. */
/* @inline */ function tailQuantile(l: v128): v128 {
  const root = sqrt(l);
  const deep = gt(root, at(pool.FIVE));
  const r = sub(root, select(at(pool.FIVE), at(pool.AS241_TAIL), deep));
  const first = COEFFICIENTS + ROW + offset0(deep, ROW);
  const second = COEFFICIENTS + ROW + offset1(deep, ROW);
  const value = tailRatio(r, first, second);
  const far = gt(l, at(pool.AS241_FAR));
  return anyTrue(far) ? select(farQuantile(l), value, far) : value;
}

/**
 * The quantile for l > 729, where AS 241 ends. v = z²/2 solves l = v + ½ log(4πv) − log(1 − s' + 3s'² − …), s' = 1/z². One
 * Newton step from a start good to 1e-5 leaves less than 1e-16.
 */
function farQuantile(l: v128): v128 {
  const a = mul(all(0.5), add(vlog(l), at(pool.LOG_4PI)));
  const v = sub(l, add(a, div(sub(all(0.5), mul(all(0.5), a)), l)));
  const s = div(all(0.5), v);
  const high = sub(all(12.333333333333334), mul(s, sub(all(88.25), mul(s, all(816.2)))));
  const mills = mul(s, sub(all(1), mul(s, sub(all(2.5), mul(s, high)))));
  const miss = add(sub(v, l), add(mul(all(0.5), add(vlog(v), at(pool.LOG_4PI))), mills));
  const root = sub(v, div(miss, add(all(1), mul(s, sub(all(1), mul(all(2), s))))));
  return select(l, mul(at(pool.SQRT2), sqrt(root)), eq(l, all(Infinity)));
}

/** Bytes of a block: 128 pairs of numbers. */
const BLOCK: usize = 2048;
// Rows of a block's working memory. Of numbers in the tails, with spare room: p, −log of the tail's probability, and offsets in the block. Of all: q.
/* @inline */ const ARGUMENT: usize = 0;
/* @inline */ const DEPTH: usize = 2064;
/* @inline */ const CENTRE: usize = 4128;
/* @inline */ const OFFSET: usize = CENTRE + BLOCK;
/** Bytes of the working memory. */
/* @inline */ const ROWS: usize = OFFSET + 1056;

export const QUANTILE: i32 = 0;
export const INVERFC: i32 = 1;

/** The argument q = Φ(z) − ½ of `centralQuantile`. */
/* @inline */ function centreOf(kind: i32, p: v128): v128 {
  return kind === INVERFC ? mul(all(0.5), sub(all(1), p)) : sub(p, all(0.5));
}

/** Mask of the lanes in the central region. */
/* @inline */ function isCentral(kind: i32, p: v128): v128 {
  if (kind === INVERFC) return le(abs(sub(all(1), p)), all(2 * constants.AS241_CENTRAL));
  return le(abs(sub(p, all(0.5))), all(constants.AS241_CENTRAL));
}

/** −log of the tail's probability. */
/* @inline */ function depthOf(kind: i32, p: v128): v128 {
  if (kind === INVERFC) {
    return sub(at(pool.LN2), logInline(select(p, sub(all(2), p), gt(sub(all(1), p), all(0)))));
  }
  return neg(logInline(select(p, sub(all(1), p), lt(sub(p, all(0.5)), all(0)))));
}

/** The result from |z|: z with its sign, or for INVERFC |z|/√2 with the sign of 1 − p. */
/* @inline */ function finish(kind: i32, z: v128, p: v128): v128 {
  if (kind === INVERFC) {
    const value = mul(at(pool.SQRT1_2), z);
    return select(value, neg(value), gt(sub(all(1), p), all(0)));
  }
  return select(neg(z), z, lt(sub(p, all(0.5)), all(0)));
}

/** z with Φ(z) = p, or x with erfc(x) = p, by `kind`. Errors in `ELEMENTWISE` of src/kernel/kernel.ts. */
export function vquantile(kind: i32, p: v128): v128 {
  const central = isCentral(kind, p);
  if (!allTrue(central))
    return select(centre(kind, p), finish(kind, tailQuantile(depthOf(kind, p)), p), central);
  return centre(kind, p);
}

/** `vquantile` in the central region. */
/* @inline */ function centre(kind: i32, p: v128): v128 {
  const z = centralQuantile(centreOf(kind, p));
  return kind === INVERFC ? mul(at(pool.SQRT1_2), z) : z;
}

/**
 * `vquantile` of the numbers from x to `end`, in blocks of separate passes. All numbers are computed as central; those in the tails are listed, and
 * computed again. Independent operations of a pass overlap. A single pass would wait for a logarithm, a root, a rational function and a quotient in
 * turn. The errors are those of `vquantile`.
 */
/* @inline */ export function quantileLoop(kind: i32, x: usize, out: usize, end: usize): void {
  const rows = borrow(ROWS);
  for (; x < end; x += BLOCK, out += BLOCK) {
    const size = end - x < BLOCK ? end - x : BLOCK;
    let to = rows + OFFSET;
    for (let i: usize = 0; i < size; i += 2 * WIDTH) {
      to = listMembers(not(isCentral(kind, load(x + i))), not(isCentral(kind, load(x + i, WIDTH))), i, to);
    }
    storeU32(to, loadU32(to - 4));
    for (let entry = rows + OFFSET, i: usize = 0; entry < to; entry += 4 * LANES, i += WIDTH) {
      const p = pick(x + loadU32(entry), x + loadU32(entry, 4));
      store(rows + ARGUMENT + i, p);
      store(rows + DEPTH + i, depthOf(kind, p));
    }
    for (let i: usize = 0; i < size; i += WIDTH) {
      store(out + i, centre(kind, load(x + i)));
    }
    for (let entry = rows + OFFSET, i: usize = 0; entry < to; entry += 4 * LANES, i += WIDTH) {
      const value = finish(kind, tailQuantile(load(rows + DEPTH + i)), load(rows + ARGUMENT + i));
      put(out + loadU32(entry), out + loadU32(entry, 4), value);
    }
  }
  giveBack(rows);
}

/** Mask of the central region of log Φ. */
/* @inline */ function isLogCentral(logP: v128): v128 {
  const lower = lt(logP, at(pool.QUANTILE_LOG_LOWER));
  return not(or(lower, gt(logP, at(pool.QUANTILE_LOG_UPPER))));
}

/**
 * Φ − ½ in the central region of log Φ: ½ expm1(logP + log 2). The sum is in two doubles, so that z keeps its relative accuracy near logP = −log 2.
 */
/* @inline */ function logCentre(logP: v128): v128 {
  if (!anyTrue(isLogCentral(logP))) return all(0);
  const sum = add(logP, at(pool.LN2));
  const lost = add(sub(at(pool.LN2), sub(sum, logP)), at(pool.LN2_LOW));
  const m = vexpm1(sum);
  return mul(all(0.5), add(m, mul(add(m, all(1)), lost)));
}

/** −log of the tail's probability: the upper tail is −expm1(logP), the lower tail logP itself. */
/* @inline */ function logDepth(logP: v128): v128 {
  const upper = gt(logP, at(pool.QUANTILE_LOG_UPPER));
  const l = neg(logP);
  return anyTrue(upper) ? select(neg(vlog(neg(vexpm1(logP)))), l, upper) : l;
}

/** The quantile from Φ − ½ in the centre, or −log of the tail's probability. */
/* @inline */ function logQuantile(logP: v128, q: v128, l: v128): v128 {
  const z = quantileOf(q, l, isLogCentral(logP));
  return select(neg(z), z, lt(logP, at(pool.QUANTILE_LOG_LOWER)));
}

/** z with log Φ(z) = logP, −∞ ≤ logP ≤ 0; above 0 NaN. */
export function vquantileLog(logP: v128): v128 {
  return logQuantile(logP, logCentre(logP), logDepth(logP));
}

/** `vquantileLog` of the numbers from x to `end`. Errors in `ELEMENTWISE` of src/kernel/kernel.ts. */
export function quantileLogLoop(x: usize, out: usize, end: usize): void {
  const rows = borrow(ROWS);
  for (; x < end; x += BLOCK, out += BLOCK) {
    const size = end - x < BLOCK ? end - x : BLOCK;
    for (let i: usize = 0; i < size; i += WIDTH) {
      const logP = load(x + i);
      store(rows + CENTRE + i, logCentre(logP));
      store(rows + DEPTH + i, logDepth(logP));
    }
    for (let i: usize = 0; i < size; i += WIDTH)
      store(out + i, logQuantile(load(x + i), load(rows + CENTRE + i), load(rows + DEPTH + i)));
  }
  giveBack(rows);
}
