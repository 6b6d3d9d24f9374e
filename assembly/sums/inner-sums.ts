/**
 * φ_k(u) = E[(X/t)^k e^{−uX/t}], X = e^Y, Y ~ N(−μ²/2, μ²), of one of t bins of an epoch, by the trapezoidal rule (docs/proofs/balls-and-bins.md 5).
 */
import { INVERSE_PI, INVERSE_SQRT_2PI, U } from '../../src/kernel/constants.js';
import { vexp, vexpm1 } from '../functions/elementary.js';
import { even, outputsAt } from './loss-mesh.js';
import { mark, release, take } from '../lane/room.js';
import { logOf } from '../functions/scalar.js';
import { sinCosPi } from '../functions/trig.js';
import {
  abs,
  add,
  all,
  allTrue,
  and,
  anyTrue,
  div,
  drop,
  eq,
  gt,
  LANES,
  lt,
  mul,
  neg,
  pmin,
  select,
  sub,
  WIDTH,
} from '../lane/lanes.js';
import { load, loadF64, splat, store } from '../lane/memory.js';

/** Bytes of the weights that one partial sum covers. */
const CHUNK: usize = 128;
/** Largest argument of an exponential: beyond, it overflows. */
const LARGEST: f64 = 700;

/** Nodes u = e^{v − iθ} of a ray: v = h·first, h·(first + 1), …, n of them, a multiple of 4. */
export class Ray {
  /** The index i of the table value log G_0(e^{i/RUNGS}) that bounds the terms right of the last node (`Bins.rung`). */
  top: f64 = 0;
  /**
   * Ensures: no less than the truncation error at both ends, divided by Γ(ρ)M(c) cos(θ)^{−ρ}. Here ρ = m − c, c the contour's abscissa, and m is the
   * power of s in G(u) = E[s^m e^{−us}].
   */
  outside: f64 = Infinity;
  constructor(
    readonly theta: f64,
    readonly h: f64,
    readonly first: f64,
    readonly n: usize,
  ) {}
}

/**
 * The trapezoidal rule in y along Im y = s, for φ_k(u) = E[(X/t)^k e^{−uX/t}], k = 0 … last, X = e^y. It has n nodes from `first` on; their spacing
 * is `stride` times that of the ray in v.
 */
export class InnerRule {
  last: usize = 0;
  /**
   * If above 0, φ_k(u_j) = E[(X/t)^k]φ_0(u_{j + k·shift}) at the ray's nodes u_j. Then φ_0 is summed at `places` points, beyond these nodes. If 0,
   * each φ_k is summed at the nodes.
   */
  shift: usize = 0;
  places: usize = 0;
  /** e^{s²/2μ²}, the growth of the weights by the shift of the path. */
  growth: f64 = 1;
  /** @param depth Factors e^{−uX/t} of modulus below e^{−depth−2} are taken as 0. */
  constructor(
    readonly s: f64,
    readonly stride: usize,
    readonly first: f64,
    readonly n: usize,
    readonly depth: f64,
  ) {}

  /** Number of terms of the sums at the nodes of a ray, those of the tables included, by which work is planned and charged. */
  terms(nodes: usize): f64 {
    const n = <f64>this.n;
    const each = <f64>(this.last + 1);
    const places = <f64>this.places;
    return n * (<f64>nodes + places * each) + 15 * (places + <f64>this.stride * n + n * each);
  }
}

/**
 * Sums at the nodes of a ray: of φ_0 − 1; and, at all places of the rule, of φ_k and of Σ|weights||T|, k = 0 … last, T = e^{−uX/t}. They are 5 +
 * 3·last rows of `row` bytes at `rows`. Where φ_0 is nearer to 0 than to 1 it is summed directly. `rounding` bounds the rounding errors of the sums;
 * quadrature and truncation errors are not included.
 */
export class InnerSums {
  readonly rows: usize;
  readonly row: usize;
  /** Ensures: no less than the relative rounding error of a sum against Σ|weights||T|. */
  rounding: f64 = 0;
  /** Table of T − 1, the real and the imaginary part of T, and |T|, T = e^{−uX/t}, in rows `apart` bytes from each other. */
  private table: usize = 0;
  private apart: usize = 0;
  /** Rows of the weights: real part, imaginary part, modulus, and the modulus's error in units of U, `along` bytes apart. */
  private weights: usize = 0;
  private along: usize = 0;
  /** Room for a sine and a cosine; and for real part, imaginary part and sum of moduli of a sum. */
  private turn: usize = 0;
  private sum: usize = 0;
  private isReal: bool;

  /**
   * Computes the table of T = e^{−uX/t}, and for each k the weights and all sums. Their rounding error goes to `rounding`: of weights, and of n
   * additions in chunks.
   */
  constructor(
    readonly mu: f64,
    readonly bins: f64,
    readonly rule: InnerRule,
    private ray: Ray,
  ) {
    this.isReal = ray.theta === 0 && rule.s === 0;
    const places = even(rule.places);
    const room = even(places + rule.stride * (rule.n - 1));
    this.row = places << 3;
    this.apart = room << 3;
    this.along = even(rule.n) << 3;
    this.rows = take((5 + 3 * rule.last) * places);
    const start = mark();
    this.table = take(4 * room);
    this.weights = take(4 * even(rule.n));
    this.turn = take(4);
    this.sum = take(6);
    this.damp();
    for (let k: usize = 0; k <= rule.last; k++) {
      this.weigh(<f64>k);
      this.add(k);
    }
    release(start);
    const chunk = <f64>(CHUNK >> 3);
    this.rounding += (chunk + <f64>rule.n / chunk) * U;
  }

  /**
   * The quadrature weights at y + is for the power k: the normal density of Y = log X times (X/t)^k and the spacing. Their relative rounding error,
   * additions aside, goes to `rounding`.
   */
  private weigh(k: f64): void {
    const mu = this.mu;
    const s = this.rule.s;
    const row = this.along;
    const turn = this.turn;
    const h = this.ray.h * <f64>this.rule.stride;
    const logBins = logOf(this.bins);
    const lead = (s * s) / (2 * mu * mu);
    const unit = all((h / mu) * INVERSE_SQRT_2PI);
    let at = this.weights;
    for (let i: usize = 0; i < this.rule.n; i += LANES, at += WIDTH) {
      const y = outputsAt(h, this.rule.first, i);
      const z = div(add(y, all((mu * mu) / 2)), all(mu));
      const height = add(sub(all(lead), mul(all(0.5), mul(z, z))), mul(all(k), sub(y, all(logBins))));
      const angle = mul(sub(all(k * s), mul(all(s / mu), z)), all(INVERSE_PI));
      const w = mul(unit, vexp(height));
      sinCosPi(angle, turn);
      store(at, mul(w, load(turn, 16)));
      store(at + row, mul(w, load(turn)));
      store(at + 2 * row, w);
      const parts = add(mul(all(4 * k), add(abs(y), all(logBins))), mul(all(4), abs(angle)));
      store(at + 3 * row, mul(w, add(parts, add(all(14), mul(all(3), mul(z, z))))));
    }
    let sum: f64 = 0;
    let wrong: f64 = 0;
    const moduli = this.weights + 2 * row;
    for (let at = moduli; at < moduli + (this.rule.n << 3); at += 8) {
      sum += loadF64(at);
      wrong += loadF64(at + row);
    }
    if (sum > 0) this.rounding = Math.max(this.rounding, (U * wrong) / sum);
  }

  /**
   * Fills four rows at all x = y + v: T − 1, Re T, Im T and |T|. Here T = exp(−e^{x − iα}/t), α = θ − s. A few roundings of the exponent move T by as
   * many times the exponent's modulus; `SumErrors` bounds that. T − 1 is formed without cancellation. Where |T| < e^{−depth−2} it is set to 0; the
   * truncation error includes that.
   */
  private damp(): void {
    const row = this.apart;
    const turn = this.turn;
    const rule = this.rule;
    const first = this.ray.first + <f64>rule.stride * rule.first;
    sinCosPi(all((this.ray.theta - rule.s) / Math.PI), turn);
    const sine = load(turn);
    const cosine = load(turn, 16);
    let out = this.table;
    for (let i: usize = 0; i < row >> 3; i += LANES, out += WIDTH) {
      const modulus = div(vexp(pmin(all(LARGEST), outputsAt(this.ray.h, first, i))), all(this.bins));
      const p = mul(modulus, cosine);
      const beyond = gt(p, all(rule.depth + 2));
      const angle = mul(mul(modulus, sine), all(INVERSE_PI));
      const e = drop(vexp(neg(p)), beyond);
      sinCosPi(mul(all(0.5), angle), turn);
      const half = load(turn);
      const rest = sub(vexpm1(neg(p)), mul(mul(all(2), e), mul(half, half)));
      sinCosPi(angle, turn);
      store(out, select(all(-1), rest, beyond));
      store(out + row, mul(e, load(turn, 16)));
      store(out + 2 * row, mul(e, load(turn)));
      store(out + 3 * row, e);
    }
  }

  /**
   * Sums φ_k = Σ weights·T at all places, T = e^{−uX/t}, with the weights of the power k; for k = 0 also φ_0 − 1 = Σ weights·(T − 1) at the nodes.
   * Their errors are `rounding` times the sums of moduli.
   */
  private add(k: usize): void {
    const row = this.row;
    const rest = this.rows;
    const sums = rest + (2 + 3 * k) * row;
    const sum = this.sum;
    for (let j: usize = 0; j < row; j += WIDTH) {
      const own = k === 0 && j < this.ray.n << 3;
      let far = all(0);
      if (own) {
        this.sumsAt(this.table + j, 0);
        const x = add(all(1), load(sum));
        const y = load(sum, 16);
        store(rest + j, load(sum));
        store(rest + row + j, y);
        store(sums + j, x);
        store(sums + row + j, y);
        store(sums + 2 * row + j, load(sum, 32));
        far = add(mul(x, x), mul(y, y));
      }
      const near = lt(far, all(0.25));
      if (own && !anyTrue(near)) continue;
      this.sumsAt(this.table + j, this.apart);
      for (let part: usize = 0; part < 3; part++) {
        const at = sums + part * row + j;
        store(at, select(load(sum + 16 * part), load(at), near));
      }
    }
  }

  /**
   * Σ weights·T for `shift` = `apart`, or Σ weights·(T − 1) for 0, and Σ|weights||T|, to `sum`; T = e^{−uX/t} (`damp`). Additions in chunks: an error
   * of (16 + n/16)U relative to the third sum.
   */
  private sumsAt(place: usize, shift: usize): void {
    if (this.isReal) {
      this.realSumsAt(place, shift);
      return;
    }
    const row = this.along;
    const stride = this.rule.stride << 3;
    let weights = this.weights;
    let re = place + shift;
    let im = place + 2 * this.apart;
    let size = place + 3 * this.apart;
    let x = all(0);
    let y = all(0);
    let z = all(0);
    for (const last = weights + (this.rule.n << 3); weights < last;) {
      // T is 0 at this node and at all further ones
      if (allTrue(and(eq(load(re), all(0)), eq(load(size), all(0))))) break;
      const to = last - weights < CHUNK ? last : weights + CHUNK;
      let p = all(0);
      let q = all(0);
      let r = all(0);
      for (; weights < to; weights += 8, re += stride, im += stride, size += stride) {
        const a = splat(weights);
        const b = splat(weights + row);
        const c = load(re);
        const d = load(im);
        p = add(p, sub(mul(a, c), mul(b, d)));
        q = add(q, add(mul(a, d), mul(b, c)));
        r = add(r, mul(splat(weights + 2 * row), load(size)));
      }
      x = add(x, p);
      y = add(y, q);
      z = add(z, r);
    }
    store(this.sum, x);
    store(this.sum, y, 16);
    store(this.sum, z, 32);
  }

  /** `sumsAt` where all numbers are real, with the error stated there. */
  private realSumsAt(place: usize, shift: usize): void {
    const stride = this.rule.stride << 3;
    let weights = this.weights;
    let re = place + shift;
    let size = place + 3 * this.apart;
    let x = all(0);
    let z = all(0);
    for (const last = weights + (this.rule.n << 3); weights < last;) {
      if (allTrue(and(eq(load(re), all(0)), eq(load(size), all(0))))) break;
      const to = last - weights < CHUNK ? last : weights + CHUNK;
      let p = all(0);
      let r = all(0);
      for (; weights < to; weights += 8, re += stride, size += stride) {
        const a = splat(weights);
        p = add(p, mul(a, load(re)));
        r = add(r, mul(a, load(size)));
      }
      x = add(x, p);
      z = add(z, r);
    }
    store(this.sum, x);
    store(this.sum, all(0), 16);
    store(this.sum, z, 32);
  }
}
