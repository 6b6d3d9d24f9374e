/** Laws of `count` identical steps, from the cumulant and the bounds of |φ| of one step. φ is the characteristic function of the tilted loss. */
import { loadF64, storeF64 } from '../lane/memory.js';
import { countCumulant, take } from '../lane/room.js';
import { logOf } from '../functions/scalar.js';
import { Cumulant, Law } from './law.js';
import { Window } from './window.js';

/** A bound of |φ| of one step at a tilt, from the masses and the density of its losses. φ(τ) = M(c + iτ)/M(c). */
export abstract class TiltDecay {
  /** |φ(τ)| ≤ atoms + variation/|τ|: upper bounds of the tilted mass of atoms and of the total variation of the tilted density of losses. */
  variation: f64 = Infinity;
  atoms: f64 = 0;
  /**
   * Stores the first three numbers of `work` for `decayBounds`.
   * @param enough Bounds below this are not improved.
   */
  protected limit(work: usize, enough: f64): void {
    storeF64(work, this.atoms);
    storeF64(work, this.variation, 8);
    storeF64(work, enough, 16);
  }
  /** Writes bounds of log|φ| on the m − 1 intervals between ascending frequencies to `out`. Ensures: no less than log|φ| on each. */
  abstract bounds(taus: usize, m: usize, enough: f64, out: usize): void;
  /** Bound t of log|φ(from)|, by atoms and variation, or 0. Ensures: log|φ(τ)| ≤ t − tailPower·log(τ/from) for τ ≥ from. */
  tailLog(from: f64): f64 {
    const most = this.atoms + this.variation / from;
    return most < 1 ? Math.min(0, logOf(most)) + 1e-12 : 0;
  }
  tailPower(from: f64): f64 {
    return this.atoms === 0 && this.variation < from ? 1 : 0;
  }
}

/** A tighter, slower bound of |φ| at a tilt, by sums along paths off the axis. */
export abstract class FarDecay {
  /** Ensures: no less than log|φ| at τ and at larger frequencies. */
  abstract logBound(tau: f64): f64;
}

/** `count` identical steps, whose outputs may be truncated by a window. */
export abstract class StepLaw extends Law {
  protected about: Cumulant = new Cumulant(0, 0, 0, 0);
  private near: TiltDecay | null = null;
  private far: FarDecay | null = null;
  /** Ensures: no less than log|φ| of one step at all frequencies beyond those that `addDecay` was called with, which ascend. */
  private least: f64 = 0;

  /** @param steepest Heuristic: the largest tilt at which contours are worth trying. */
  constructor(
    readonly window: Window,
    count: f64,
    readonly steepest: f64,
  ) {
    super(count);
    // memory of objects is counted in cumulants: this with step and window is about as large as four
    for (let i = 0; i < 4; i++) countCumulant();
  }

  /** log M(c) of one step, its error bound, mean and variance of the tilted loss. */
  abstract moments(c: f64): Cumulant;
  /** Heuristic: log M(c) of one step to a few digits. */
  abstract approximateMoments(c: f64): Cumulant;
  /**
   * Bounds of |φ| at a tilt, from losses on the real axis (`decayAt`) and along paths off it (`farAt`). Null where M is unknown, or there are none.
   */
  abstract decayAt(c: f64): TiltDecay | null;
  abstract farAt(c: f64): FarDecay | null;

  cumulant(c: f64): Cumulant {
    return this.told.setTimes(this.moments(c), this.count);
  }

  approximate(c: f64): Cumulant {
    return this.told.setTimes(this.approximateMoments(c), this.count);
  }

  openDecay(c: f64): void {
    this.least = 0;
    this.near = this.decayAt(c);
    this.far = this.near === null ? null : this.farAt(c);
  }

  /**
   * Adds upper bounds of count·log|φ| on the m − 1 intervals between frequencies to `out`. They come from losses on the real axis and, if `sharp`,
   * from paths off it. Ensures: each addend is no less than count·log|φ| on its interval.
   */
  addDecay(taus: usize, m: usize, enough: f64, sharp: bool, out: usize): void {
    const decay = this.near;
    if (decay === null) return;
    const paths = this.far;
    const own = take(m);
    const count = this.count;
    decay.bounds(taus, m, enough / count, own);
    for (let i: usize = 0; i + 1 < m; i++) {
      const at = i << 3;
      // a bound along a path holds for all larger frequencies too; it is improved while the last one exceeds enough/12
      if (sharp && paths !== null && count * this.least > enough / 12)
        this.least = Math.min(this.least, paths.logBound(loadF64(taus + at)));
      storeF64(out + at, loadF64(out + at) + count * Math.min(this.least, loadF64(own + at)));
    }
  }

  tailLog(from: f64): f64 {
    const decay = this.near;
    return decay === null ? 0 : this.count * decay.tailLog(from);
  }
  tailPower(from: f64): f64 {
    const decay = this.near;
    return decay === null ? 0 : this.count * decay.tailPower(from);
  }
}
