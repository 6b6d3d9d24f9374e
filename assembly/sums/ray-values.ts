/** E[s^m e^{−us}], s the likelihood ratio of an epoch, at the nodes of a ray u = e^{v − iθ} (docs/proofs/balls-and-bins.md 2, 5 and 6). */
import { INVERSE_PI, U } from '../../src/kernel/constants.js';
import { vatan2, vlogModulus1p } from '../functions/atan.js';
import { vexp, vlog } from '../functions/elementary.js';
import { InnerSums, Ray } from './inner-sums.js';
import { outputsAt } from './loss-mesh.js';
import { mark, release, take } from '../lane/room.js';
import { cosPiOf, expOf, sinPiOf } from '../functions/scalar.js';
import { COEFFICIENT, raise, shifted } from './series-power.js';
import { sinCosPi } from '../functions/trig.js';
import {
  abs,
  add,
  all,
  div,
  gt,
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
} from '../lane/lanes.js';
import { load, loadF64, store } from '../lane/memory.js';

/** Upper bound of the relative rounding error of a sum of few terms. */
const FEW_ROUNDINGS: f64 = 1e-15;

/**
 * Bounds of the errors of φ_k(u) = E[(X/t)^k e^{−uX/t}], as shares of majorants of |φ_k|. A floor is added to the majorants, so that the truncation
 * error of the rule in y is a small share of them (balls-and-bins.md 5).
 */
class SumErrors {
  /**
   * Ensures: no less than the quadrature and truncation error of the rule in y; and `share`, no less than that error over the majorants with their
   * floor.
   */
  readonly truncated: f64;
  readonly share: f64;
  readonly floor: f64;
  /** Ensures: φ_0(u) − 1 has an error of no more than `slack`·|u|, up to |u| = `longest`. */
  readonly slack: f64;
  readonly longest: f64;
  /** The largest exponent |uX/t| in the sums of e^{−uX/t}; `bulk`·|u| bounds it where the terms are not negligible. */
  readonly most: f64;
  readonly bulk: f64;
  /** Errors relative to the majorants: of φ_0 if it is summed directly, and of all φ_k. */
  readonly own: f64;
  readonly common: f64;

  /**
   * Bounds errors from the rule's accuracy e^{−depth}, the rounding error of its sums, and roundings of exponents (balls-and-bins.md 5).
   * @param cosine cos(θ − s), the ratio of the real part of the exponents uX/t to their modulus.
   */
  constructor(sums: InnerSums, m: f64, cosine: f64) {
    const mu = sums.mu;
    const bins = sums.bins;
    const rule = sums.rule;
    const rounding = sums.rounding;
    const square = mu * mu;
    this.truncated = 2.2 * expOf(-rule.depth);
    this.share = Math.max(FEW_ROUNDINGS, this.truncated);
    this.floor = (this.truncated / this.share) * rule.growth;
    this.slack = ((rounding + this.truncated + 20 * U) * rule.growth * (1 + square)) / bins;
    this.longest = (2 * bins) / cosine;
    // factors T = e^{−uX/t} below e^{−depth−2} are set to 0, so larger exponents do not occur
    this.most = (rule.depth + 2) / cosine;
    this.bulk = expOf(-square / 2 + m * square + 5 * mu) / bins;
    this.own = rounding + 6 * U * this.most;
    this.common = rounding + 2 * this.share + 6 * U * 1e-6 * this.most;
  }
}

/**
 * The values h·e^{ρv}G(u) over Γ(ρ)M(c)cos(θ)^{−ρ}, G(u) = E[s^m e^{−us}], from the last node of a ray to the first. The n nodes, a multiple of 4,
 * are v = h·first, …. Six rows of n are at `table`: Re, −Im, Im, Re, a majorant of the modulus, and a bound of the error.
 *
 * Let r̂_k ≥ |r_k| be majorants of the coefficients r_k = φ_k/(k!φ_0) of a series. Coefficients that are off by κr̂_k move the m-th of a power t′ by
 * at most min(m, t′)κ of that of the majorants. m roundings of each are added (balls-and-bins.md 6).
 */
export class RayValues {
  readonly table: usize;
  /** Sums over the nodes of majorants, of errors, and of majorants times the node's index. */
  gross: f64 = 0;
  errorSum: f64 = 0;
  length: f64 = 0;
  /** log of h·m! over Γ(ρ)M(c)cos(θ)^{−ρ}, the constant factor of all values (`Bins.valuesOn`). */
  unit: f64 = 0;
  /** Room for φ_0 at a vector of nodes: real and imaginary part, log|φ_0|, and the error of φ_0. */
  private start: usize = 0;
  /** Room for coefficients of the series and of its power; for one coefficient; and for a sine and a cosine. */
  private series: usize = 0;
  private powers: usize = 0;
  private power: usize = 0;
  private turn: usize = 0;
  private sine: f64;
  private cosine: f64;

  /**
   * @param rho m − c, c the contour's abscissa.
   * @param m The power of s in G(u) = E[s^m e^{−us}].
   */
  constructor(
    readonly ray: Ray,
    private rho: f64,
    private m: usize,
  ) {
    this.table = take(6 * ray.n);
    this.sine = sinPiOf(ray.theta * INVERSE_PI);
    this.cosine = cosPiOf(ray.theta * INVERSE_PI);
  }

  /**
   * Fills the table at all nodes u of the ray from φ_k(u) = E[(X/t)^k e^{−uX/t}], k = 0 … m. G(u) is m! times the coefficient of x^m in
   * e^{(x−u)a}(Σ_k φ_k x^k/k!)^{t′}, a = 1 − t′/t (balls-and-bins.md 2, 6). Ensures: each value is within its error of the exact one.
   * @param visited The number t′ of released bins.
   * @param moments E[(X/t)^k], k = 0 … m, X the likelihood ratio of one of t bins.
   */
  fill(visited: f64, sums: InnerSums, moments: usize): void {
    const ray = this.ray;
    const m = this.m;
    const rule = sums.rule;
    const start = mark();
    const each = (COEFFICIENT >> 3) * (m + 1);
    this.start = take(8);
    this.series = take(each);
    this.powers = take(each);
    this.power = take(6);
    this.turn = take(4);
    const cosine = cosPiOf((ray.theta - rule.s) * INVERSE_PI);
    const errors = new SumErrors(sums, <f64>m, cosine);
    const empty = 1 - visited / sums.bins;
    const row = sums.row;
    const isShared = rule.shift > 0;
    const apart = isShared ? rule.shift << 3 : 3 * row;
    const moved = 4 * U * <f64>m * <f64>rule.shift * ray.h;
    for (let j: usize = 0; j < ray.n; j += LANES) {
      const at = sums.rows + (j << 3);
      const size = vexp(outputsAt(ray.h, ray.first, j));
      this.begin(at, row, size, errors);
      this.expand(at + 2 * row, row, apart, isShared ? moments : 0, errors.floor, moments);
      let kappa = add(
        all(errors.common),
        mul(all(6 * U), pmin(all(errors.most), mul(size, all(errors.bulk)))),
      );
      if (isShared) {
        const fall = fallAt(at + 4 * row + m * apart, ray.h, errors.most);
        kappa = add(kappa, mul(all(moved), add(all(1), fall)));
      }
      raise(this.series, m, visited, this.powers);
      shifted(this.powers, m, empty, this.power);
      this.put(visited, mul(all(empty), size), j, kappa);
    }
    release(start);
    this.sum();
  }

  /**
   * Sets `start` to φ_0 at nodes u of modulus `size`, with the bound of its error. It is from φ_0 − 1, which has a small relative error, or from φ_0
   * itself where that is nearer to 0.
   */
  private begin(sums: usize, row: usize, size: v128, errors: SumErrors): void {
    const start = this.start;
    const rest = load(sums);
    const x = add(all(1), rest);
    const y = load(sums + row);
    const a = load(sums + 2 * row);
    const b = load(sums + 3 * row);
    const near = lt(add(mul(x, x), mul(y, y)), all(0.25));
    const logSize = select(mul(all(0.5), vlog(add(mul(a, a), mul(b, b)))), vlogModulus1p(rest, y), near);
    const errorBound = mul(all(errors.slack), pmin(all(errors.longest), size));
    const gross = add(mul(all(errors.own), load(sums + 4 * row)), all(2 * errors.truncated));
    store(start, select(a, x, near));
    store(start, select(b, y, near), 16);
    store(start, logSize, 32);
    store(start, select(gross, errorBound, near), 48);
  }

  /**
   * The Taylor coefficients φ_k/(k! φ_0), and majorants of their moduli, k = 1 … m, to `series`. Each has a few roundings of its majorant. φ_k lies
   * `apart` bytes behind φ_{k−1}, and is multiplied by the k-th number at `units` if that is not 0.
   */
  private expand(sums: usize, row: usize, apart: usize, units: usize, floor: f64, moments: usize): void {
    const x = load(this.start);
    const y = load(this.start, 16);
    const square = add(mul(x, x), mul(y, y));
    const modulus = sqrt(square);
    let at = this.series;
    let factorial: f64 = 1;
    for (let k: usize = 1; k <= this.m; k++) {
      factorial *= <f64>k;
      sums += apart;
      at += COEFFICIENT;
      const unit = all(units > 0 ? loadF64(units + 8 * k) : 1);
      const a = mul(unit, load(sums));
      const b = mul(unit, load(sums + row));
      const gross = add(mul(unit, load(sums + 2 * row)), all(floor * loadF64(moments + 8 * k)));
      const norm = mul(square, all(factorial));
      store(at, div(add(mul(a, x), mul(b, y)), norm));
      store(at, div(sub(mul(b, x), mul(a, y)), norm), 16);
      store(at, div(gross, mul(modulus, all(factorial))), 32);
    }
  }

  /**
   * The table's rows at a vector of nodes, from the j-th on, with the error bound of the values.
   * @param visited t′, the number of released bins of t.
   * @param seen |u|a, a = 1 − t′/t, the modulus of the exponent of e^{−ua}.
   * @param kappa The error of the series' coefficients, as a share of their majorants.
   */
  private put(visited: f64, seen: v128, j: usize, kappa: v128): void {
    const start = this.start;
    const power = this.power;
    const turns = this.turn;
    const ray = this.ray;
    const m = this.m;
    const x = load(start);
    const y = load(start, 16);
    const modulus = sqrt(add(mul(x, x), mul(y, y)));
    const errorBound = div(mul(all(1.111 * visited), load(start, 48)), modulus);
    const height = mul(all(visited), load(start, 32));
    const turn = add(mul(all(visited), vatan2(y, x)), mul(all(this.sine), seen));
    const exponent = mul(all(this.rho), outputsAt(ray.h, ray.first, j));
    const along = mul(all(this.cosine), seen);
    const factor = vexp(sub(add(add(all(this.unit), exponent), height), along));
    sinCosPi(mul(turn, all(INVERSE_PI)), turns);
    const s = load(turns);
    const c = load(turns, 16);
    const re = mul(factor, sub(mul(load(power), c), mul(load(power, 16), s)));
    const im = mul(factor, add(mul(load(power), s), mul(load(power, 16), c)));
    const own = mul(factor, load(power, 32));
    const coefficients = <f64>m + Math.min(<f64>m, visited);
    const terms = mul(all(coefficients), add(kappa, all(4 * U * <f64>(m + 8))));
    const parts = add(mul(all(3), abs(exponent)), mul(all(4), add(abs(height), add(abs(turn), seen))));
    const roundings = mul(all(U), add(all(20 + 2 * Math.abs(this.unit)), parts));
    const error = mul(own, pmin(all(2), add(add(terms, errorBound), roundings)));
    const width = ray.n << 3;
    const at = this.table + width - WIDTH - (j << 3);
    store(at, reversed(re));
    store(at + width, reversed(neg(im)));
    store(at + 2 * width, reversed(im));
    store(at + 3 * width, reversed(re));
    store(at + 4 * width, reversed(own));
    store(at + 5 * width, reversed(error));
  }

  /** Sums the rows of majorants and errors; `AtNode.take` adds their rounding. */
  private sum(): void {
    const n = this.ray.n;
    for (let k: usize = 0; k < n; k++) {
      const at = this.table + ((4 * n + k) << 3);
      const own = loadF64(at);
      this.gross += own;
      this.errorSum += loadF64(at + (n << 3));
      this.length += own * <f64>k;
    }
  }
}

/**
 * Lower bound of the decay rate in v = log|u| of the majorant of φ_0(u) at a vector of nodes and beyond. It is by the ratio to the next node, as the
 * majorant's log is concave (balls-and-bins.md 5); `steepest` where the majorant is 0.
 */
function fallAt(sizes: usize, h: f64, steepest: f64): v128 {
  const next = load(sizes + 8);
  const fall = div(vlog(div(load(sizes), next)), all(h));
  const known = select(fall, all(steepest), gt(next, all(0)));
  return pmax(all(0), known);
}
