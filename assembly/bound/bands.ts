/**
 * A run split into bands by the largest loss of its steps. A band has the paths (losses of all steps) whose largest loss lies between two thresholds
 * (docs/proofs/contour.md 14, 16). Bands that are not negligible have a contour each, the others Chernoff's bound.
 */
import { Band, BandPhase } from '../law/band.js';
import { Phases, SPARE } from '../law/directions.js';
import { Gaussian } from '../law/gaussian.js';
import { Composed, Law } from '../law/law.js';
import { PhaseStep } from '../law/phase-step.js';
import { QuadratureLaw } from '../law/quadrature-law.js';
import { loadF64 } from '../lane/memory.js';
import { innermost, OUTERMOST, RATIO } from '../plan/ends.js';
import { Layout, levelFor } from '../plan/layout.js';
import { Place, Saddle, saddleAt, saddleBetween } from '../plan/saddle.js';
import { isSpent } from '../lane/room.js';
import { expOf, logOf } from '../functions/scalar.js';
import { Brackets } from './brackets.js';
import { Chernoff, logChernoff } from '../law/chernoff.js';
import { Contour } from './contour.js';
import { logSum } from '../sums/errors.js';

/** With more phases than this, the bands of a search for ε are freed, and computed anew before contours are laid, to save memory. */
export const FEW_PHASES: usize = 4;

/**
 * Width of the smooth edge of a truncation, in outputs times the step's largest shift `widest`. The log of a small loss changes by this much over the
 * edge.
 */
const EDGE: f64 = 0.09;
/** As EDGE, where log δ is below DEEP: sharper edges allow larger tilts. */
const DEEP_EDGE: f64 = 0.07;
const DEEP: f64 = -50;
/** Largest width of an edge, in outputs. */
const WIDEST: f64 = 0.3;
/** Two thresholds of a phase are equal, or at least this many widths of an edge apart. Edges of one band must not overlap (contour.md 14). */
const ROOMY: f64 = 4;
/**
 * For small noise (μ above this) the loss is bimodal: near 0 if the record is not drawn, else near μ²/2 + log q. This choice changes only the speed
 * and the width of brackets.
 */
const SMALL_NOISE_MU: f64 = 3;
/** A run of small noise is split only if the distance of its two modes over μ, μ/2 + log(q)/μ, is at least this. q is the sampling rate. */
const LEAST_GAP: f64 = 0.5;
/** A run of small noise is split at the loss BETWEEN·μ, μ its largest, between the two modes of the loss. */
const BETWEEN: f64 = 0.7;
/** Width of the truncation's edge, in outputs, for runs split at one threshold. */
const SPLIT_EDGE: f64 = 0.15;
/** Largest output at which a step is split. */
const FURTHEST: f64 = 20;
/** The share of the wanted width of log δ that the contour of one band aims at. */
const HALF: f64 = 0.5;
/**
 * Chernoff's bound is to show that all bands of smaller losses are negligible. STEEPER is the ratio of the tilts tried, TRIES and SHALLOWER are the
 * numbers of larger and smaller ones.
 */
const STEEPER: f64 = 1.7;
const TRIES = 6;
const SHALLOWER = 3;
const ROUNDS = 60;
/** Tolerance of searches for an ε, in log δ or the log of the false positive rate. */
const NEAR: f64 = 0.3;
/** Limit of the number of nodes of a contour. */
const LONGEST: f64 = 65536;
/** Ratio of consecutive ε at which a band is tested for being negligible. */
const WIDER: f64 = 1.4;

/** The law of a band, or of a run truncated at a threshold, with its contour and Chernoff bounds. */
class Part {
  /** A band's saddle point at the ε last looked at, its contour, and Chernoff's bound at the contour's tilt. */
  saddle: Saddle | null = null;
  line: Contour | null = null;
  bound: Chernoff | null = null;
  /** For a run truncated at a threshold: from the ε `reach` on, its Chernoff bound `rest` replaces the contours of all its bands. */
  reach: f64 = Infinity;
  rest: Chernoff | null = null;
  constructor(readonly run: Composed) {}
  /** Upper bound of log δ(x) of the band, x an ε: the smaller of Chernoff's bound and the band's Q-mass. Ensures: no less than it. */
  most(x: f64): f64 {
    return this.least(this.bound, x);
  }
  /** Upper bound of log δ(x) of the run truncated at the threshold: the smaller of the Chernoff bound `rest` and its Q-mass. Ensures: no less than it. */
  mostBeyond(x: f64): f64 {
    return this.least(this.rest, x);
  }
  private least(bound: Chernoff | null, x: f64): f64 {
    const mass = this.run.logMassQ + this.run.massError;
    return bound !== null ? Math.min(mass, bound.at(x)) : mass;
  }
  /**
   * Lays the contour through a saddle point, with errors small relative to δ at both places; none where it would be too long. The layout is
   * heuristic.
   */
  lay(saddle: Saddle, from: Place, to: Place, level: f64, longest: f64): void {
    const layout = new Layout(this.run, saddle, level, from, to);
    layout.longest = longest;
    const line = new Contour(this.run, layout);
    this.line = line.isGood ? line : null;
  }
}

/** All bands of a run, with brackets of log δ. */
export class Bands extends Brackets {
  /** Set by `near`: the ε looked at, approximate log δ there, and the tilt minus 1 of the band with the largest δ. */
  x: f64 = 0;
  value: f64 = 0;
  s: f64 = 1;
  /** Heuristic: no saddle point is computed for bands whose upper bound of δ is below e^{−faint}·δ. */
  faint: f64 = 30;
  /** Heuristic: no contour is laid for a band with at most this fraction of the wanted width. */
  little: f64 = 1e-3;
  /** The contour of the band with the largest δ. */
  largest: Contour | null = null;
  /**
   * The number of thresholds; the laws of a step truncated at each, phase by phase; the bands; and the runs truncated at each threshold. They are in
   * the order of rising thresholds; bands and truncated runs are null until needed.
   */
  private ends: i32 = 0;
  private steps: Array<PhaseStep> = new Array<PhaseStep>();
  private below: Array<QuadratureLaw> = new Array<QuadratureLaw>();
  private bands: Array<Part | null> = new Array<Part | null>();
  private inner: Array<Part | null> = new Array<Part | null>();
  /** The thresholds in losses, ascending. */
  private tops: Array<f64> = new Array<f64>();
  /** Set by `near`: the first band that is not negligible, and Chernoff's bound of all bands of smaller losses. */
  private first: i32 = 0;
  private rest: Chernoff | null = null;
  private whole: Composed = new Composed();

  /**
   * Sets the thresholds of bands (`split`). They are heuristic: brackets hold for any.
   * @param target log δ at about the ε asked for.
   * @param share log of the fraction of δ that the truncation may remove.
   * @param depth −log of the relative accuracy of integrals over outputs.
   */
  constructor(
    private phases: Phases,
    private target: f64,
    share: f64,
    private depth: f64,
    /** Whether the run is split once, between the two modes of its losses. */
    private isOnce: bool,
  ) {
    super();
    for (let k: usize = 0; k < phases.many; k++) this.steps.push(phases.stepOf(k));
    this.split(share);
  }

  /** @param share log of the fraction of δ = e^{target} that the truncation may remove; integrals are more accurate than that. */
  static of(phases: Phases, target: f64, share: f64, isOnce: bool): Bands {
    return new Bands(phases, target, share, SPARE - share + logOf(1 + phases.steps()), isOnce);
  }

  /** Heuristic: whether the losses of all steps are bimodal, as for small noise. */
  static areLoud(phases: Phases): bool {
    if (!phases.areSampled) return false;
    for (let at = phases.at; at < phases.at + 24 * phases.many; at += 24) {
      const mu = loadF64(at);
      if (!(mu > SMALL_NOISE_MU && mu / 2 + logOf(loadF64(at, 8)) / mu >= LEAST_GAP)) return false;
    }
    return true;
  }

  /** Heuristic: the first threshold, as a loss. */
  private firstEnd(): f64 {
    if (!this.isOnce) return innermost(this.steps);
    let most: f64 = 0;
    for (let k = 0; k < this.steps.length; k++) most = Math.max(most, this.steps[k].widest);
    return BETWEEN * most;
  }

  /**
   * Heuristic: sets the ascending thresholds of the largest loss, and the laws of steps truncated at each. At the last threshold, all steps together
   * lose a Q-mass of about e^{target + share}; `whole` bounds that mass (contour.md 1).
   */
  private split(share: f64): void {
    const edge = this.target < DEEP ? DEEP_EDGE : EDGE;
    const logMass = this.target + share - logOf(1 + this.phases.steps());
    for (let y = this.firstEnd(); ; y = this.isOnce ? Infinity : y * RATIO) {
      let isLast = true;
      for (let k = 0; k < this.steps.length; k++) {
        const step = this.steps[k];
        const width = this.isOnce ? SPLIT_EDGE : Math.min(edge / step.widest, WIDEST);
        const cut = step.cutFor(logMass, width);
        const inside = Math.min(FURTHEST, cut - ROOMY * width);
        const before = this.ends === 0 ? -Infinity : this.lawAt(this.ends - 1, k).window.cut;
        let wanted =
          y < (this.isOnce ? Infinity : OUTERMOST) ? step.cutAt(step.outputOf(y), width) : Infinity;
        if (wanted < before + ROOMY * width) wanted = before;
        if (wanted < inside) isLast = false;
        else wanted = cut;
        this.below.push(step.law(step.window(wanted, width, -Infinity), this.depth, step.count));
      }
      this.ends++;
      this.tops.push(y);
      this.bands.push(null);
      this.inner.push(null);
      if (isLast) break;
    }
    for (let k = 0; k < this.steps.length; k++) {
      const law = this.lawAt(this.ends - 1, k);
      this.whole.lose(law.window.logLostP, law.window.logLostQ, law.count);
    }
  }

  private lawAt(end: i32, phase: i32): QuadratureLaw {
    return this.below[end * this.steps.length + phase];
  }

  /**
   * The law of a step restricted to outputs between two truncation edges: the one at `from` and that of `law`. Null where the edges are equal.
   * Ensures: it is exact, up to errors of its own cumulants.
   */
  private partBetween(from: f64, phase: i32, law: QuadratureLaw): QuadratureLaw | null {
    const window = law.window;
    if (from === window.to) return null;
    const step = this.steps[phase];
    return step.law(step.window(window.cut, window.width, from), this.depth, 1);
  }

  /**
   * The composition of the laws with the unsampled Gaussian. The logs of its masses are those of M(0) and M(1). Ensures: `massError` is no less than
   * their error.
   */
  private composed(laws: Array<Law>): Composed {
    const run = new Composed();
    for (let i = 0; i < laws.length; i++) run.append(laws[i]);
    if (this.phases.square > 0) run.append(new Gaussian(this.phases.square));
    const p = run.cumulant(0);
    const q = run.cumulant(1);
    run.logMassP = p.value;
    run.logMassQ = q.value;
    run.massError = Math.max(p.error, q.error);
    return run;
  }

  /** The run with every step truncated at a threshold, made once. It is exact up to the errors of its cumulants. */
  private within(end: i32): Part {
    const known = this.inner[end];
    if (known !== null) return known;
    const laws = new Array<Law>();
    for (let k = 0; k < this.steps.length; k++) laws.push(this.lawAt(end, k));
    const part = new Part(this.composed(laws));
    this.inner[end] = part;
    return part;
  }

  /**
   * The band below a threshold, made once: paths whose largest loss lies between the threshold before and this one. It is exact up to the errors of
   * its cumulants.
   */
  private bandAt(end: i32): Part {
    const known = this.bands[end];
    if (known !== null) return known;
    let part: Part;
    if (end === 0) part = this.within(0);
    else {
      const phases = new Array<BandPhase>();
      for (let k = 0; k < this.steps.length; k++) {
        const below = this.lawAt(end, k);
        const from = this.lawAt(end - 1, k).window.to;
        phases.push(new BandPhase(below, this.partBetween(from, k, below)));
      }
      const laws = new Array<Law>();
      laws.push(new Band(phases));
      part = new Part(this.composed(laws));
    }
    this.bands[end] = part;
    return part;
  }

  /** log of the Q-mass of paths with a loss beyond a threshold, by a union bound over steps. Ensures: no less than it. */
  private beyond(end: i32): f64 {
    let sum: f64 = -Infinity;
    for (let k = 0; k < this.steps.length; k++) {
      const law = this.lawAt(end, k);
      sum = logSum(sum, logOf(law.count) + law.window.logLostQ);
    }
    return Math.min(0, sum + 1e-12 * (1 + Math.abs(sum)));
  }

  /**
   * Heuristic: approximate log δ(x) to `value`, by saddle points of the bands at x. `s` is the tilt minus 1 of the band with the largest δ. Bands
   * before the index `first`, those of smaller losses, are negligible.
   */
  near(x: f64): void {
    let sum: f64 = -Infinity;
    let most: f64 = -Infinity;
    this.x = x;
    this.first = 0;
    for (let end = this.ends - 1; end >= 0 && !isSpent(); end--) {
      if (end > 0 && this.beyond(end - 1) < this.target - this.faint) continue;
      const band = this.bandAt(end);
      const saddle = saddleAt(band.run, x, band.saddle);
      band.saddle = saddle;
      // a quadratic correction, as the saddle point's own ε is not x
      const away = x - saddle.epsilon;
      const bend = away / saddle.scale;
      const own = saddle.logDelta - saddle.s * away - 0.5 * bend * bend;
      if (!(saddle.isKnown() && own < Infinity)) continue;
      if (own > most) {
        most = own;
        this.s = saddle.s;
      }
      sum = logSum(sum, own);
      if (end > 0 && this.isFaint(end - 1, x, saddle.s, Math.max(sum, this.target))) {
        this.first = end;
        break;
      }
    }
    this.value = sum;
  }

  /** Approximate log of the false positive rate −e^{−ε}dδ/dε at the ε last looked at. */
  logRate(): f64 {
    return this.value + logOf(Math.max(this.s, 1e-9)) - this.x;
  }

  /** Heuristic: whether the run truncated at a threshold is negligible at x, by Chernoff's bound at some tilts above s. */
  private isFaint(end: i32, x: f64, s: f64, target: f64): bool {
    let tilt = s;
    for (let i = 0; i < TRIES; i++) {
      tilt *= STEEPER;
      if (this.isBelow(end, x, tilt, target - this.faint)) return true;
    }
    return false;
  }

  /** Whether Chernoff's bound at a tilt, of the run truncated at a threshold, is below e^{wanted} at x. The bound is stored in `rest`. */
  private isBelow(end: i32, x: f64, tilt: f64, wanted: f64): bool {
    const run = this.within(end).run;
    const about = run.approximate(1 + tilt).value - tilt * x + logChernoff(1 + tilt);
    if (!(about < wanted)) return false;
    const bound = new Chernoff(run, tilt);
    this.rest = bound;
    return bound.at(x) < wanted;
  }

  /**
   * Heuristic: the ε x ≥ 0 where approximate log δ is about `target`, or, for ofRate = 1, the log of the false positive rate. By Newton's method
   * within a bracket.
   */
  find(guess: f64, target: f64, ofRate: f64): void {
    // −1 until ε = 0 has been tried
    let low: f64 = -1;
    let high: f64 = Infinity;
    // where δ is near 1 it changes slowly with ε
    const near = NEAR * Math.min(1, -target);
    let x = guess;
    this.near(x);
    for (let i = 0; i < ROUNDS && !isSpent(); i++) {
      const miss = (ofRate > 0 ? this.logRate() : this.value) - target;
      if (Math.abs(miss) < near || (x === 0 && miss < near)) break;
      if (miss > 0) low = x;
      else high = x;
      if (high <= 1.001 * low) break;
      let next = x + miss / (Math.max(this.s, 1e-9) + ofRate);
      if (low < 0 && next < 1e-9) next = 0;
      else if (!(next > low && next < high)) {
        if (high === Infinity) next = 2 * x + 1e-9;
        else next = low > 0 ? Math.sqrt(low * high) : high / 4;
      }
      x = next;
      this.near(x);
    }
  }

  /** Heuristic: lays contours at x, such that the bracket of log δ there is about this wide. */
  openAt(x: f64, width: f64): void {
    this.near(x);
    this.lines(width);
  }

  /**
   * Heuristic: lays contours for the last ε looked at, for a bracket of log δ of about this width. A band has a contour if its Chernoff bound is not
   * negligible beside that width.
   */
  private lines(width: f64): void {
    this.forget();
    if (this.first > 0) this.leaveOut(this.first - 1, 0);
    const here = new Place(this.x, this.value);
    let most: f64 = -Infinity;
    for (let end = this.first; end < this.ends && !isSpent(); end++) {
      const band = this.bands[end];
      if (band === null) continue;
      const saddle = band.saddle;
      if (saddle === null || !saddle.isKnown()) continue;
      band.bound = new Chernoff(band.run, saddle.s);
      const bound = band.most(this.x);
      if (expOf(bound - this.target) < this.little * width) continue;
      band.lay(saddle, here, here, levelFor(HALF * width), LONGEST);
      if (band.line === null || bound <= most) continue;
      most = bound;
      this.largest = band.line;
    }
  }

  /**
   * Heuristic: lays contours for all ε from `from` to the last one looked at, with relative errors of 10^level. A band's contour serves up to the ε
   * from which the band is negligible.
   */
  over(from: f64, level: f64, longest: f64): void {
    this.forget();
    let to = this.x;
    const floor = this.value;
    const deepest = this.first;
    this.near(from);
    const start = new Place(from, this.value);
    const chord = (start.logDelta - floor) / (to - from);
    if (this.first > 0) this.leaveOut(this.first - 1, from);
    for (let end = this.ends - 1; end >= this.first && !isSpent(); end--) {
      if (end < deepest) {
        to = this.leaveOutFrom(end, from, to, floor);
      }
      const band = this.bands[end];
      if (band === null) continue;
      const saddle = band.saddle;
      if (saddle === null || !saddle.isKnown() || !(to > from)) continue;
      const there = new Place(to, start.logDelta - chord * (to - from));
      const between = saddleBetween(band.run, [saddle, saddleAt(band.run, to, saddle)], start, there);
      if (!between.isKnown()) continue;
      band.bound = new Chernoff(band.run, between.s);
      band.lay(between, start, there, level, longest);
    }
  }

  /**
   * Replaces the run truncated at a threshold by Chernoff's bound from some ε on, and returns that ε. It is the first tried where the bound is
   * negligible beside e^{floor}, between `from` and `most`. The ε is heuristic: the bound holds anywhere.
   */
  private leaveOutFrom(end: i32, from: f64, most: f64, floor: f64): f64 {
    const run = this.within(end).run;
    const wanted = floor - this.faint;
    let x = Math.min(most, Math.max(from, 2 * this.tops[end]));
    let saddle = saddleAt(run, x, null);
    while (true) {
      let tilt = saddle.s;
      // at larger tilts M may be too inaccurate
      for (let i = 0; i < SHALLOWER; i++, tilt /= STEEPER)
        if (this.isBelow(end, x, tilt, wanted)) return this.leaveOut(end, x);
      if (!(x > 0 && x < most) || isSpent()) break;
      x = Math.min(most, x * WIDER);
      saddle = saddleAt(run, x, saddle);
    }
    this.rest = new Chernoff(run, saddle.s / STEEPER);
    return this.leaveOut(end, most);
  }

  /** Removes contours and Chernoff bounds of an earlier layout. Bands and their saddle points stay. */
  private forget(): void {
    for (let end = 0; end < this.ends; end++) {
      const band = this.bands[end];
      if (band !== null) {
        band.line = null;
        band.bound = null;
      }
      const inner = this.inner[end];
      if (inner !== null) {
        inner.reach = Infinity;
        inner.rest = null;
      }
    }
  }

  /** Replaces the run truncated at a threshold by the Chernoff bound last found, from the ε x on, which it returns. */
  private leaveOut(end: i32, x: f64): f64 {
    const inner = this.within(end);
    inner.rest = this.rest;
    inner.reach = x;
    return x;
  }

  /**
   * The bracket of log δ(x): the sum over bands, by contours, or by Chernoff's bound where that is less or there is no contour. Ensures: log δ(x) of
   * the run without truncation lies between `lower` and `upper`.
   */
  answer(x: f64): void {
    let lower: f64 = -Infinity;
    let upper = this.whole.logLostQ;
    this.logFpr = -Infinity;
    for (let end = this.ends - 1; end >= 0; end--) {
      const inner = this.inner[end];
      if (inner !== null && x >= inner.reach) {
        upper = logSum(upper, inner.mostBeyond(x));
        break;
      }
      let most = end > 0 ? this.beyond(end - 1) : 0;
      const band = this.bands[end];
      if (band !== null) {
        most = Math.min(most, band.most(x));
        const line = band.line;
        if (line !== null) {
          line.answer(x);
          most = Math.min(most, line.upper);
          lower = logSum(lower, line.lower);
          this.logFpr = logSum(this.logFpr, line.logFpr);
        }
      }
      upper = logSum(upper, most);
    }
    // a few roundings of each logarithm
    this.upper = Math.min(0, upper + 1e-15 * (8 + Math.abs(upper)));
    this.lower = Math.min(lower - 1e-15 * (8 + Math.abs(lower)), this.upper);
  }
}
