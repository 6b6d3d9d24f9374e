/** E[s^m e^{−us}], s the likelihood ratio of an epoch, at the nodes of a ray u = e^{v − iθ} (docs/proofs/balls-and-bins.md 2, 5 and 6). */
import { INVERSE_PI, U } from '../src/kernel/constants.js';
import { vatan2, vlogModulus1p } from './atan.js';
import { vexp, vlog } from './elementary.js';
import { outputsAt } from './loss-mesh.js';
import { COEFFICIENT, raise, shifted } from './series-power.js';
import { sinCosPi } from './trig.js';
import {
  abs,
  add,
  all,
  div,
  gt,
  lane0,
  LANES,
  lt,
  mul,
  neg,
  pmax,
  pmin,
  reversed,
  select,
  sqrt,
  sub,
  WIDTH,
} from './lanes.js';
import { load, loadF64, memory, store, storeF64 } from './memory.js';

/** φ_0 at a vector of nodes: real and imaginary part, log|φ_0|, and the error of φ_0. */
const START: usize = memory.data(64, 16);
/** A coefficient of a power series, and a sine and a cosine. */
const POWER: usize = memory.data(48, 16);
const TURN: usize = memory.data(32, 16);

/**
 * φ_0 at nodes of modulus `size` to `START`. It is taken from φ_0 − 1, which has small relative error, or from φ_0 itself where that is nearer to 0.
 */
function startAt(
  sums: usize,
  row: usize,
  size: v128,
  slack: f64,
  steepest: f64,
  own: f64,
  truncated: f64,
): void {
  const rest = load(sums);
  const x = add(all(1), rest);
  const y = load(sums + row);
  const a = load(sums + 2 * row);
  const b = load(sums + 3 * row);
  const near = lt(add(mul(x, x), mul(y, y)), all(0.25));
  const logSize = select(mul(all(0.5), vlog(add(mul(a, a), mul(b, b)))), vlogModulus1p(rest, y), near);
  const errorBound = mul(all(slack), pmin(all(steepest), size));
  const gross = add(mul(all(own), load(sums + 4 * row)), all(2 * truncated));
  store(START, select(a, x, near));
  store(START, select(b, y, near), 16);
  store(START, logSize, 32);
  store(START, select(gross, errorBound, near), 48);
}

/**
 * The Taylor coefficients φ_k/(k! φ_0), and majorants of their moduli, k = 1 … m, to `series`. φ_k(u) = E[(X/t)^k e^{−uX/t}], X the likelihood ratio of one of t bins. Each has a few roundings of its majorant. φ_k lies
 * `apart` bytes behind φ_{k−1}, divided by E[(X/t)^k] if `shared`.
 */
function seriesAt(
  sums: usize,
  row: usize,
  apart: usize,
  shared: bool,
  m: usize,
  moments: usize,
  floor: f64,
  series: usize,
): void {
  const x = load(START);
  const y = load(START, 16);
  const square = add(mul(x, x), mul(y, y));
  const modulus = sqrt(square);
  let factorial: f64 = 1;
  for (let k: usize = 1; k <= m; k++) {
    factorial *= <f64>k;
    sums += apart;
    series += COEFFICIENT;
    const moment = loadF64(moments + 8 * k);
    const unit = all(shared ? moment : 1);
    const a = mul(unit, load(sums));
    const b = mul(unit, load(sums + row));
    const gross = add(mul(unit, load(sums + 2 * row)), all(floor * moment));
    const norm = mul(square, all(factorial));
    store(series, div(add(mul(a, x), mul(b, y)), norm));
    store(series, div(sub(mul(b, x), mul(a, y)), norm), 16);
    store(series, div(gross, mul(modulus, all(factorial))), 32);
  }
}

/** Lower bound of the decay rate in v of the majorant of φ_0, at nodes and beyond; `steepest` where the majorant is 0. */
function fallAt(sizes: usize, h: f64, steepest: f64): v128 {
  const next = load(sizes + 8);
  const fall = div(vlog(div(load(sizes), next)), all(h));
  const known = select(fall, all(steepest), gt(next, all(0)));
  return pmax(all(0), known);
}

/**
 * hG(u)e^{wv} over e^{unit}, w = ρ + iτ at τ = 0. There are n nodes (a multiple of 4) v = h·first, …, from the last to the first. Six rows go to `out`: Re, −Im, Im, Re,
 * a majorant of the modulus, and a bound of the error. Behind them are the sums of the last two, and that of majorants times their row's place.
 *
 * Let r̂_k ≥ |r_k| be the series' majorants. Coefficients that are off by κr̂_k move a power's m-th by at most min(m, t′)κ of that of the majorants. m roundings of each
 * come on top.
 *
 * @param angle θ/π.
 * @param sums Rows of `innerSums`, of `places` numbers or one more. @param shift φ_k(u_j) = E[(X/t)^k]φ_0(u_{j + k·shift}), or rows of its own for each k if 0.
 * @param moments E[(X/t)^k], k = 0 … m. @param series Room for 2m + 2 coefficients of 6 numbers.
 * @param slack What φ_0 − 1 is off by, for each unit of |u|, up to |u| = `longest`.
 * @param rounding Of the inner sums against their majorants; `most` the largest exponent in them, and `bulk`·|u| a bound of that where they matter.
 * @param truncated Truncation error of the inner rule; `share` and `floor` of it as a share of majorants that have a floor.
 */
export function rayValues(
  sums: usize,
  places: usize,
  shift: usize,
  moments: usize,
  m: usize,
  bins: f64,
  visited: f64,
  h: f64,
  first: f64,
  n: usize,
  rho: f64,
  angle: f64,
  unit: f64,
  slack: f64,
  longest: f64,
  rounding: f64,
  most: f64,
  bulk: f64,
  truncated: f64,
  share: f64,
  floor: f64,
  series: usize,
  out: usize,
): void {
  const row = (places + (places & 1)) << 3;
  const shared = shift > 0;
  const apart = shared ? shift << 3 : 3 * row;
  const powers = series + COEFFICIENT * (m + 1);
  const empty = 1 - visited / bins;
  const width = n << 3;
  sinCosPi(all(angle), TURN);
  const sine = lane0(load(TURN));
  const cosine = lane0(load(TURN, 16));
  const common = rounding + 2 * share + 6 * U * 1e-6 * most;
  const moved = 4 * U * <f64>m * <f64>shift * h;
  const coefficients = <f64>m + Math.min(<f64>m, visited);
  for (let j: usize = 0; j < n; j += LANES, sums += WIDTH) {
    const v = outputsAt(h, first, j);
    const size = vexp(v);
    startAt(sums, row, size, slack, longest, rounding + 6 * U * most, truncated);
    seriesAt(sums + 2 * row, row, apart, shared, m, moments, floor, series);
    raise(series, m, visited, powers);
    shifted(powers, m, empty, POWER);
    let kappa = add(all(common), mul(all(6 * U), pmin(all(most), mul(size, all(bulk)))));
    if (shared) kappa = add(kappa, mul(all(moved), add(all(1), fallAt(sums + 4 * row + m * apart, h, most))));
    const x = load(START);
    const y = load(START, 16);
    const modulus = sqrt(add(mul(x, x), mul(y, y)));
    const errorBound = div(mul(all(1.111 * visited), load(START, 48)), modulus);
    const power = mul(all(visited), load(START, 32));
    const seen = mul(all(empty), size);
    const turn = add(mul(all(visited), vatan2(y, x)), mul(all(sine), seen));
    const exponent = mul(all(rho), v);
    const factor = vexp(sub(add(add(all(unit), exponent), power), mul(all(cosine), seen)));
    sinCosPi(mul(turn, all(INVERSE_PI)), TURN);
    const s = load(TURN);
    const c = load(TURN, 16);
    const re = mul(factor, sub(mul(load(POWER), c), mul(load(POWER, 16), s)));
    const im = mul(factor, add(mul(load(POWER), s), mul(load(POWER, 16), c)));
    const own = mul(factor, load(POWER, 32));
    const terms = mul(all(coefficients), add(kappa, all(4 * U * <f64>(m + 8))));
    const parts = add(mul(all(3), abs(exponent)), mul(all(4), add(abs(power), add(abs(turn), seen))));
    const roundings = mul(all(U), add(all(20 + 2 * Math.abs(unit)), parts));
    const error = mul(own, pmin(all(2), add(add(terms, errorBound), roundings)));
    const at = out + width - WIDTH - (j << 3);
    store(at, reversed(re));
    store(at + width, reversed(neg(im)));
    store(at + 2 * width, reversed(im));
    store(at + 3 * width, reversed(re));
    store(at + 4 * width, reversed(own));
    store(at + 5 * width, reversed(error));
  }
  let gross: f64 = 0;
  let wrong: f64 = 0;
  let length: f64 = 0;
  for (let k: usize = 0; k < n; k++) {
    const own = loadF64(out + 4 * width + (k << 3));
    gross += own;
    wrong += loadF64(out + 5 * width + (k << 3));
    length += own * <f64>k;
  }
  out += 6 * width;
  storeF64(out, gross);
  storeF64(out, wrong, 8);
  storeF64(out, length, 16);
}
