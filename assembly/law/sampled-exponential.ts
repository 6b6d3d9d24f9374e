/**
 * Laplace noise and bounded-range mechanisms on a Poisson sample, by Gauss–Legendre quadrature over the unsampled loss. Numbers after exponential.md are
 * sections of docs/proofs/exponential.md.
 */
import { hasRoom, mark, release } from '../lane/room.js';
import { expOf, logOf } from '../functions/scalar.js';
import { ExponentialDecay, ExponentialShape } from './exponential-shape.js';
import { Cumulant, LogPhi } from './law.js';
import { Nodes } from './nodes.js';
import { PanelPower, Panels } from './panels.js';
import { FarDecay, TiltDecay } from './step-law.js';
import { SumLaw } from './sum-law.js';
import { wholeWindow } from './window.js';

const MOST_PANELS: f64 = 2048;
/** Where a tilted loss c·log u exceeds this, M is summed by logarithms of terms. */
const HIGHEST: f64 = 30;
/** Error of log M above which logarithms of terms may be more accurate. Only speed and the width of the answer depend on it. */
const ROUGH: f64 = 2e-14;
/** log of the factor by which φ is less accurate than M. Only speed and the width of the answer depend on it. */
const COARSER: f64 = 6;
/** Limit of nodes times frequencies of a contour. */
const MOST_TERMS: f64 = 6e6;

/** The law of `count` steps of Laplace noise, or of a bounded-range mechanism, on a Poisson sample. */
export class SampledExponential extends SumLaw {
  private made: Array<Panels> = new Array<Panels>();
  private power: PanelPower = new PanelPower();
  /** Bound of the absolute quadrature error of the panels that `panelsFor` found last. */
  private error: f64 = 0;

  constructor(
    private shape: ExponentialShape,
    depth: f64,
    count: f64,
  ) {
    super(wholeWindow(-Infinity, -Infinity), depth, count, Infinity, Infinity);
  }

  private panelsOf(many: usize): Panels {
    for (let i = 0; i < this.made.length; i++) if (this.made[i].many === many) return this.made[i];
    const panels = new Panels(this.shape, many);
    this.made.push(panels);
    return panels;
  }

  /** The fewest panels, of the numbers tried, whose error bound (`Panels.errorOf`) is at most e^{goal}; null where too many would be needed. */
  private panelsFor(power: PanelPower, goal: f64): Panels | null {
    const enough = expOf(goal);
    for (let many: f64 = 1; many <= MOST_PANELS; many = Math.ceil(1.3 * many)) {
      const panels = this.panelsOf(<usize>many);
      this.error = panels.errorOf(power, enough);
      if (this.error <= enough) return panels;
    }
    return null;
  }

  /** Panels for M(c), or for M(c) − 1 where tilted losses are below HIGHEST. Their number is heuristic; their error bound is that of `Panels`. */
  protected nodesFor(c: f64): Nodes {
    const shape = this.shape;
    const peak = Math.max(c * shape.lossAt(-shape.range), c * shape.lossAt(shape.range));
    const isSmall = peak < HIGHEST;
    // M is about e^{peak − ε₀}/(8(1 + |c|)) or more, as the P-mass near either end is about e^{−ε₀} or more
    const goal = isSmall ? -this.depth : peak - this.depth - shape.range - logOf(8 + 8 * Math.abs(c));
    const found = this.panelsFor(this.power.set(c, 0, isSmall), goal);
    if (found === null || !(found.mesh > 0 || hasRoom(300 * <f64>found.many))) return this.unknown();
    found.lay();
    return found;
  }
  private unknown(): Nodes {
    const none = new Panels(this.shape, 1);
    none.isKnown = false;
    return none;
  }
  protected override isRough(found: Cumulant): bool {
    return found.error > ROUGH;
  }
  protected mostTerms(): f64 {
    return MOST_TERMS;
  }

  /**
   * φ − 1 by sums over the nodes of as many panels as the largest frequency needs. Errors are of quadrature and of rounding (exponential.md 1, 2).
   * False where that would cost too much, or M(c) is unknown.
   */
  override phiLessOne(line: LogPhi, c: f64, own: usize): bool {
    const one = this.moments(c);
    if (!one.isKnown()) return false;
    const power = this.power.set(c, line.step * <f64>line.n, false);
    const found = this.panelsFor(power, one.value + COARSER - this.depth);
    if (found === null || !hasRoom(400 * <f64>found.many)) return false;
    const start = mark();
    // the table of panels that serve this contour alone is freed with it
    const panels = found.mesh > 0 ? found : new Panels(this.shape, found.many);
    panels.lay();
    const truncation = this.error * expOf(-one.least());
    const isDone = this.sumsOver(line, c, panels.mesh, panels.n, truncation, own) < Infinity;
    release(start);
    return isDone;
  }

  decayAt(c: f64): TiltDecay | null {
    const one = this.moments(c);
    return one.isKnown() ? new ExponentialDecay(this.shape, c, one) : null;
  }
  farAt(_c: f64): FarDecay | null {
    return null;
  }
}
