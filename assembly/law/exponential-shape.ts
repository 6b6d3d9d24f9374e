/** Dominating pairs of Laplace noise and of bounded-range mechanisms. Numbers after exponential.md are sections of docs/proofs/exponential.md. */
import { U } from '../../src/kernel/constants.js';
import { decayBounds } from '../sums/decay.js';
import { all, WIDTH } from '../lane/lanes.js';
import { LOSSES, lossesOf } from '../sums/loss-mesh.js';
import { load, loadF64, store, storeF64 } from '../lane/memory.js';
import { borrow, giveBack } from '../lane/scratch.js';
import { countCumulant, mark, release, spend, take } from '../lane/room.js';
import { expOf } from '../functions/scalar.js';
import { Cumulant } from './law.js';
import { TiltDecay } from './step-law.js';

/**
 * A dominating pair on a Poisson sample of sampling rate `rate`; without sampling it is 1. The unsampled loss y has the P-density we^{−y/2} on (−ε₀,
 * ε₀), and the P-masses a at −ε₀ and ae^{−ε₀} at ε₀. The loss is log u, u = 1 − rate + rate·e^y.
 */
export class ExponentialShape {
  readonly rate: f64;
  /** The largest unsampled loss ε₀, the factor w of its density, and the P-mass a of its atom at −ε₀. */
  readonly range: f64;
  readonly weight: f64;
  readonly atom: f64;

  /** @param at Address of the rate, ε₀, w and a. */
  constructor(at: usize) {
    countCumulant();
    this.rate = loadF64(at);
    this.range = loadF64(at, 8);
    this.weight = loadF64(at, 16);
    this.atom = loadF64(at, 24);
  }

  /** The loss log u at the unsampled loss y. */
  lossAt(y: f64): f64 {
    const losses = borrow(LOSSES);
    lossesOf(this.rate, all(y), losses);
    giveBack(losses);
    return loadF64(losses);
  }

  /** Ensures: no less than the error of `lossAt` where y has an error of a few roundings of itself. */
  slackAt(y: f64, loss: f64): f64 {
    return 16 * U * (Math.abs(y) + Math.abs(loss) + this.rate);
  }
}

/** Number of cells on which the tilted density is bounded, even. Only the tightness of bounds depends on it. */
const CELLS: usize = 96;
/** log of a factor by which bounds are widened. It exceeds the errors of log M and of the log densities. */
const SPARE: f64 = 1e-8;

/**
 * Bounds of |φ| from the two tilted atoms and the tilted density of losses.
 *
 * The density of the loss log u tilted by c is (w/q)e^{−3y/2}u^{c+1}/M(c), q the rate, y the unsampled loss, w its density's factor. Its logarithm
 * has the derivative −3/2 + (c + 1)qe^y/u in y. This is increasing for c ≥ −1, and negative for c < −1. So the density has no maximum inside: its
 * total variation, both jumps included, is at most twice the sum of its two ends (exponential.md 3).
 */
export class ExponentialDecay extends TiltDecay {
  private stride: usize = CELLS + 2;
  private cells: usize = take(5 * (CELLS + 2));
  private n: i32 = 0;
  private scratch: usize = take(4 * (CELLS + 2) + 8);

  /** @param one The cumulant of one step at c. */
  constructor(
    private shape: ExponentialShape,
    private c: f64,
    one: Cumulant,
  ) {
    super();
    countCumulant();
    const range = shape.range;
    const unit = expOf(SPARE);
    const low = this.shareOf(shape.atom, -range, one);
    const high = this.shareOf(shape.atom * expOf(-range), range, one);
    this.atoms = (low + high) * unit;
    this.variation = 2 * (this.densityAt(-range, one) + this.densityAt(range, one)) * unit;
    this.addAtom(-range, low / unit);
    this.fill(one);
    this.addAtom(range, high / unit);
  }

  /** The share of M(c) that a P-mass at the unsampled loss y has: mass·u^c/M(c), log u the loss. */
  private shareOf(mass: f64, y: f64, one: Cumulant): f64 {
    return mass * expOf(this.c * this.shape.lossAt(y) - one.value);
  }
  /** The tilted density of losses at the unsampled loss y, (w/q)e^{−3y/2}u^{c+1}/M(c). log u is the loss, w the density's factor, q the rate. */
  private densityAt(y: f64, one: Cumulant): f64 {
    const shape = this.shape;
    const log = -1.5 * y + (this.c + 1) * shape.lossAt(y) - one.value;
    return (shape.weight / shape.rate) * expOf(log);
  }

  /** Adds a cell: an interval of losses with a lower bound of its tilted mass. The mean loss is its middle, up to half its length. */
  private add(low: f64, high: f64, mass: f64): void {
    const at = this.cells + ((<usize>this.n) << 3);
    const row = this.stride << 3;
    storeF64(at, low);
    storeF64(at + row, high);
    storeF64(at + 2 * row, mass);
    storeF64(at + 3 * row, (low + high) / 2);
    storeF64(at + 4 * row, (high - low) / 2);
    this.n++;
  }
  private addAtom(y: f64, share: f64): void {
    const loss = this.shape.lossAt(y);
    const off = this.shape.slackAt(y, loss);
    this.add(loss - off, loss + off, share);
  }

  /**
   * Adds cells of equal length h in y. By Jensen's inequality the tilted mass of a cell is at least h·exp(mean of its log density). That mean is at
   * least the value in the middle, less h²/24 times the largest second derivative, |c|/4 (exponential.md 3). Ensures: masses are lower bounds, up to
   * SPARE.
   */
  private fill(one: Cumulant): void {
    const shape = this.shape;
    const c = this.c;
    spend(40 * <f64>CELLS);
    const h = (2 * shape.range) / <f64>CELLS;
    const sag = (Math.abs(c) * (shape.rate === 1 ? 0 : h * h)) / 96;
    const start = mark();
    const losses = take(2 * CELLS + 2);
    for (let k: usize = 0; k < 2 * CELLS + 2; k++)
      storeF64(losses + (k << 3), 0.5 * h * <f64>k - shape.range);
    const own = borrow(LOSSES);
    for (let at = losses; at < losses + ((2 * CELLS + 2) << 3); at += WIDTH) {
      lossesOf(shape.rate, load(at), own);
      store(at, load(own));
    }
    giveBack(own);
    const base = -sag - one.value - SPARE;
    for (let i: usize = 0; i < CELLS; i++) {
      const left = h * <f64>i - shape.range;
      const at = losses + (i << 4);
      const low = loadF64(at);
      const high = loadF64(at, 16);
      const mass = h * shape.weight * expOf(c * loadF64(at, 8) - (left + 0.5 * h) / 2 + base);
      this.add(low - shape.slackAt(left, low), high + shape.slackAt(left + h, high), mass);
    }
    release(start);
  }

  /**
   * Bounds of log|φ| on intervals of frequencies, by `decayBounds` from the cells, the atoms and the total variation. Ensures: no less than log|φ|.
   */
  bounds(taus: usize, m: usize, enough: f64, out: usize): void {
    spend(2 * (<f64>this.n + 30) * <f64>m);
    this.limit(this.scratch, enough);
    decayBounds(this.cells, this.stride, this.n, taus, m, this.scratch, out);
  }
}
