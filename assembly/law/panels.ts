/** Gauss–Legendre nodes on equal panels, for Laplace noise on a Poisson sample. Numbers after exponential.md are sections of docs/proofs/exponential.md. */
import { U } from '../../src/kernel/constants.js';
import { vexp } from '../functions/elementary.js';
import { abs, add, all, mul, WIDTH } from '../lane/lanes.js';
import { LOSSES, lossesOf } from '../sums/loss-mesh.js';
import { load, store, storeF64 } from '../lane/memory.js';
import { borrow, giveBack } from '../lane/scratch.js';
import { spend, take } from '../lane/room.js';
import { expOf, logOf } from '../functions/scalar.js';
import { ExponentialShape } from './exponential-shape.js';
import { Nodes } from './nodes.js';

/** Nodes of a panel. */
const ORDER: usize = 32;
/** Nodes on either side of its middle. */
const HALF: usize = 16;
/**
 * Distances of the 16 pairs of nodes from the middle, in half lengths of the panel, then their weights, whose sum is ½. By mpmath, to half an ulp.
 */
const PLACES: f64[] = [
  0.9972638618494816, 0.9856115115452684, 0.9647622555875064, 0.9349060759377397, 0.8963211557660521,
  0.84936761373257, 0.7944837959679424, 0.7321821187402897, 0.6630442669302152, 0.5877157572407623,
  0.5068999089322294, 0.42135127613063533, 0.33186860228212767, 0.23928736225213706, 0.1444719615827965,
  0.04830766568773832, 0.003509305004735048, 0.008137197365452835, 0.01269603265463103, 0.017136931456510716,
  0.02141794901111334, 0.025499029631188087, 0.029342046739267772, 0.032911111388180925, 0.03617289705442425,
  0.039096947893535156, 0.041655962113473374, 0.043826046502201906, 0.045586939347881945, 0.04692219954040228,
  0.04781936003963743, 0.0482700442573639,
];
/**
 * The Bernstein ellipses tried have the parameters ρ from LARGEST down to SMALLEST, each 1/RATIO of the last. ρ is the sum of both semi-axes over the
 * panel's half length.
 */
const LARGEST: f64 = 100;
const SMALLEST: f64 = 1.13;
const RATIO: f64 = 1.25;
/** Limit of an ellipse's half height. It is below π, the distance from the real axis of the zeros y of the likelihood ratio 1 − q + qe^y. */
const HIGHEST: f64 = 3;

/**
 * Where log u^c exceeds this, all terms of u^c − 1 − c(u − 1) sum to at most e·u^c. This needs ε₀ ≤ 30. u is the likelihood ratio, ε₀ the largest
 * unsampled loss.
 */
const LARGE: f64 = 600;

/**
 * The integrand over a panel, without the density of outputs: u^{c+iτ}, |τ| ≤ tau, or, if `isCentred`, u^c − 1 − c(u − 1). u = 1 − q + qe^y is the
 * likelihood ratio at the unsampled loss y.
 */
export class PanelPower {
  private c: f64 = 0;
  private tau: f64 = 0;
  private isCentred: bool = false;

  set(c: f64, tau: f64, isCentred: bool): PanelPower {
    this.c = c;
    this.tau = tau;
    this.isCentred = isCentred;
    return this;
  }

  /**
   * log of a bound of the integrand in an ellipse of half height b with the real ends `bottom` and `top`. It uses |u| ≤ u(top) and |u| ≥
   * u(bottom)cos(b/2) (exponential.md 2). Also |arg u| ≤ bv/(1 − q + v cos b), v = qe^{top}, q the sampling rate. Ensures: no less than it.
   */
  sizeIn(shape: ExponentialShape, bottom: f64, top: f64, b: f64): f64 {
    const c = this.c;
    // cos(b/2) = sin((π − b)/2) ≥ (π − b)/π
    const power = c >= 0 ? c * shape.lossAt(top) : c * (shape.lossAt(bottom) + logOf(1 - b / 3.14159));
    if (!this.isCentred && this.tau === 0) return power;
    const v = shape.rate * expOf(top);
    // above LARGE the sum of all terms is at most e·u^c
    if (this.isCentred)
      return power > LARGE ? power + 1 : logOf(expOf(power) + 1 + Math.abs(c) * (shape.rate + v));
    // cos b ≥ 1 − b²/2
    const base = 1 - shape.rate + v * Math.max(-1, 1 - (b * b) / 2);
    return power + this.tau * b * (base > v ? v / base : 1);
  }
}

/** Panels of equal length from −ε₀ to ε₀. */
export class Panels extends Nodes {
  private half: f64;
  private power: PanelPower = new PanelPower();

  /**
   * @param shape The pair; its unsampled losses lie in [−ε₀, ε₀].
   * @param many The number of panels.
   */
  constructor(
    private shape: ExponentialShape,
    readonly many: usize,
  ) {
    super();
    this.half = shape.range / <f64>many;
    this.isKnown = true;
  }

  /**
   * log of the error bound 8HFρ^{1−2n}/(ρ − 1) of the n-point rule on the i-th panel, least over the Bernstein ellipses tried. H is the panel's half
   * length, ρ the ellipse's parameter, and F bounds density times integrand in it (exponential.md 1, 2). Ensures: no less than the log of the panel's
   * quadrature error.
   */
  private logError(i: usize, power: PanelPower): f64 {
    const half = this.half;
    const middle = (2 * <f64>i + 1) * half - this.shape.range;
    const weight = logOf(8.001 * half * this.shape.weight);
    let best = Infinity;
    for (let rho = LARGEST; rho > SMALLEST; rho /= RATIO) {
      const b = (half * (rho - 1 / rho)) / 2;
      if (b > HIGHEST) continue;
      const reach = (half * (rho + 1 / rho)) / 2;
      const bottom = middle - reach;
      const convergence = -logOf(rho - 1) - (2 * <f64>ORDER - 1) * logOf(rho);
      const size = power.sizeIn(this.shape, bottom, middle + reach, b);
      const log = weight - bottom / 2 + convergence + size;
      if (log > best) break;
      best = log;
    }
    return best;
  }

  /** Absolute quadrature error of all panels, the sum of their bounds; ∞ once it exceeds `enough`. Ensures: no less than it (exponential.md 1, 2). */
  errorOf(power: PanelPower, enough: f64): f64 {
    const many = this.many;
    spend(200 * <f64>many);
    // the first and the last panel have the largest errors
    let sum = expOf(this.logError(many - 1, power));
    for (let i: usize = 0; i + 1 < many && sum <= enough; i++) sum += expOf(this.logError(i, power));
    return sum <= enough ? sum : Infinity;
  }

  leftOut(_c: f64, _logNorm: f64): f64 {
    return 0;
  }
  ruleError(c: f64, logNorm: f64): f64 {
    return this.errorOf(this.power.set(c, 0, true), Infinity) * expOf(-logNorm);
  }

  /**
   * Lays the table of the nodes of all panels, and of the atoms at ±ε₀ where they have mass. The rows are those of `axisMesh`; the eighth holds the
   * unsampled losses. `column` states the errors.
   */
  lay(): void {
    if (this.mesh > 0) return;
    const shape = this.shape;
    const atoms: usize = shape.atom > 0 ? 1 : 0;
    this.n = ORDER * this.many + 2 * atoms;
    spend(40 * <f64>this.n);
    this.mesh = take(8 * this.n);
    const row = this.n << 3;
    const inner = this.mesh + 7 * row;
    const logs = this.mesh + 5 * row;
    this.place(inner + (atoms << 3), logs + (atoms << 3));
    if (atoms > 0) {
      const log = logOf(shape.atom);
      this.put(inner, logs, -shape.range, log);
      this.put(inner + row - 8, logs + row - 8, shape.range, log - shape.range);
    }
    const losses = borrow(LOSSES);
    for (let k = this.mesh; k < this.mesh + row; k += WIDTH) this.column(k, row, losses);
    giveBack(losses);
    this.isNormal = true;
    this.sumErrors();
  }

  private put(inner: usize, logs: usize, y: f64, log: f64): void {
    storeF64(inner, y);
    storeF64(logs, log);
  }

  /**
   * Writes the unsampled losses y of the nodes to the row `inner`, and logs of their P-masses to the row `logs`. A P-mass is 2Hw·weight·e^{−y/2}. H
   * is a panel's half length, w a Gauss–Legendre weight, `weight` the factor of the density of y. `column` bounds the rounding errors.
   */
  private place(inner: usize, logs: usize): void {
    const half = this.half;
    const unit = logOf(2 * half * this.shape.weight);
    for (let k: usize = 0; k < HALF; k++) {
      const away = half * PLACES[<i32>k];
      const height = unit + logOf(PLACES[<i32>(HALF + k)]);
      for (let i: usize = 0; i < this.many; i++) {
        const middle = (2 * <f64>i + 1) * half - this.shape.range;
        const before = (ORDER * i + k) << 3;
        const behind = (ORDER * i + ORDER - 1 - k) << 3;
        this.put(inner + before, logs + before, middle - away, height - (middle - away) / 2);
        this.put(inner + behind, logs + behind, middle + away, height - (middle + away) / 2);
      }
    }
  }

  /**
   * Fills rows 0 to 4 and 6 of the table at two nodes (one in the JavaScript engine). The error of log mass is of roundings of the density's factor,
   * of the atoms' mass, of weights, and of y in e^{−y/2}. The error of the loss is of `lossesOf`, and of y, which is good to 6 roundings of ε₀.
   */
  private column(at: usize, row: usize, losses: usize): void {
    const shape = this.shape;
    const log = load(at + 5 * row);
    lossesOf(shape.rate, load(at + 7 * row), losses);
    const loss = load(losses);
    const share = load(losses, 32);
    const size = abs(loss);
    const off = mul(all(U), add(mul(share, all(6 * shape.range)), mul(all(12), size)));
    store(at, vexp(log));
    store(at + row, loss);
    store(at + 2 * row, load(losses, 16));
    store(at + 3 * row, mul(all(U), add(all(64 + 4 * shape.range), mul(all(2), abs(log)))));
    store(at + 4 * row, mul(off, add(size, off)));
    store(at + 6 * row, off);
  }
}
