/** Unsampled Laplace noise and bounded-range mechanisms, by the closed form of M. */
import { INVERSE_PI, U } from '../../src/kernel/constants.js';
import { add, all, div, mul, pair, sub, WIDTH } from '../lane/lanes.js';
import { store, storeF64 } from '../lane/memory.js';
import { spend } from '../lane/room.js';
import { expm1Of, expOf, logOf } from '../functions/scalar.js';
import { vcosPi, vsinPi } from '../functions/trig.js';
import { ExponentialDecay, ExponentialShape } from './exponential-shape.js';
import { Cumulant, LogPhi } from './law.js';
import { FarDecay, StepLaw, TiltDecay } from './step-law.js';
import { wholeWindow } from './window.js';

/** Work for one frequency, in the units of `spend`. */
const PRICE: f64 = 90;

/** The law of unsampled steps. With b = z − ½, M(z) = 2w sinh(bε₀)/b + 2ae^{−ε₀/2} cosh(bε₀); ε₀, w and a are those of `ExponentialShape`. */
export class PlainExponential extends StepLaw {
  private spread: f64;
  private ends: f64;

  /** Sets the factors 2w and 2ae^{−ε₀/2} of both terms of M, with a few roundings. */
  constructor(
    private shape: ExponentialShape,
    count: f64,
  ) {
    super(wholeWindow(-Infinity, -Infinity), count, Infinity);
    this.spread = 2 * shape.weight;
    this.ends = 2 * shape.atom * expOf(-shape.range / 2);
  }

  /** M(b + ½)e^{−|b|ε₀}, with a few roundings. */
  private scaled(b: f64): f64 {
    const range = this.shape.range;
    const x = Math.abs(b) * range;
    const sinh = b === 0 ? range : -expm1Of(-2 * x) / (2 * Math.abs(b));
    return this.spread * sinh + (this.ends * (1 + expOf(-2 * x))) / 2;
  }
  /** log M(b + ½). */
  private logAt(b: f64): f64 {
    return Math.abs(b) * this.shape.range + logOf(this.scaled(b));
  }

  /** log M(c) by the closed form; mean and variance by differences of log M. Ensures: log M(c) lies within the error, of roundings. */
  moments(c: f64): Cumulant {
    const range = this.shape.range;
    const b = c - 0.5;
    const value = this.logAt(b);
    // mean and variance by numerical differences: approximate
    const h = 1e-3 / (range + 1e-3);
    const up = this.logAt(b + h);
    const down = this.logAt(b - h);
    const variance = Math.max((up - 2 * value + down) / (h * h), 1e-12 * range * range);
    return new Cumulant(value, U * (24 + 8 * Math.abs(b) * range), (up - down) / (2 * h), variance);
  }
  approximateMoments(c: f64): Cumulant {
    const found = this.moments(c);
    return this.about.set(found.value, 0, found.mean, found.variance);
  }

  /** φ − 1 at the nodes of a contour, φ = M(c + iτ)/M(c) by the closed form. Ensures: it lies within the errors, which are of rounding alone. */
  override phiLessOne(line: LogPhi, c: f64, own: usize): bool {
    spend(PRICE * <f64>line.n);
    const range = this.shape.range;
    const b = c - 0.5;
    const x = Math.abs(b) * range;
    const unit = 1 / this.scaled(b);
    const sinh = (-expm1Of(-2 * x) / 2) * (b < 0 ? -1 : 1);
    const cosh = (1 + expOf(-2 * x)) / 2;
    const row = line.room << 3;
    for (let k: usize = 0; k < line.n << 3; k += WIDTH) {
      const tau = mul(pair(<f64>(k >> 3), <f64>((k >> 3) + 1)), all(line.step));
      const angle = mul(tau, all(range * INVERSE_PI));
      const cos = vcosPi(angle);
      const sin = vsinPi(angle);
      // real and imaginary part of sinh((b + iτ)ε₀)/(b + iτ)·e^{−|b|ε₀}
      const norm = add(all(b * b), mul(tau, tau));
      const re = div(add(mul(cos, all(sinh * b)), mul(sin, mul(tau, all(cosh)))), norm);
      const im = div(sub(mul(sin, all(cosh * b)), mul(cos, mul(tau, all(sinh)))), norm);
      const ofAtoms = all(this.ends * unit * cosh);
      store(own + k, sub(add(mul(all(this.spread * unit), re), mul(ofAtoms, cos)), all(1)));
      const imAtoms = mul(all(this.ends * unit * sinh), sin);
      store(own + row + k, add(mul(all(this.spread * unit), im), imAtoms));
      store(own + 2 * row + k, mul(all(U), add(all(40 + 8 * x), mul(tau, all(4 * range)))));
    }
    // φ(0) = 1 exactly
    for (let r: usize = 0; r < 3; r++) storeF64(own + r * row, 0);
    return true;
  }

  decayAt(c: f64): TiltDecay | null {
    return new ExponentialDecay(this.shape, c, this.moments(c));
  }
  farAt(_c: f64): FarDecay | null {
    return null;
  }
}
