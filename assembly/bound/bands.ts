/** A run taken apart by its largest loss: a line for each band that counts, Chernoff's bound for the others (docs/proofs/contour.md 14, 16). */
import { Band, BandPhase } from '../law/band.js';
import { Phases } from '../law/directions.js';
import { Gaussian } from '../law/gaussian.js';
import { Composed, Law } from '../law/law.js';
import { SampledGaussian } from '../law/sampled-gaussian.js';
import { SampledStep } from '../law/sampled-step.js';
import { cutFor, Window } from '../law/window.js';
import { loadF64 } from '../memory.js';
import { innermost, outputOf, OUTERMOST, RATIO } from '../plan/ends.js';
import { Layout, levelFor } from '../plan/layout.js';
import { Saddle, saddleAt } from '../plan/saddle.js';
import { isSpent } from '../room.js';
import { expOf, logOf } from '../scalar.js';
import { Brackets } from './brackets.js';
import { chernoffBound, logChernoff } from './chernoff.js';
import { Contour } from './contour.js';
import { logSum } from './errors.js';

/** Widths of windows' edges in units of log loss, and in outputs at most. */
const EDGE: f64 = 0.07;
const WIDEST: f64 = 0.3;
/** Edges of a phase lie so many widths apart, or are the same: the windows of bands are those of 14 from 3 on. */
const ROOMY: f64 = 4;
/** Outputs behind which nothing is taken apart. */
const FURTHEST: f64 = 20;
/** Of the width of ε asked for, for a line. */
const HALF: f64 = 0.5;
/** Tilts, over that of the band above, at which all bands further in are looked at together. */
const STEEPER: f64 = 1.5;
const TRIES = 4;
const ROUNDS = 60;

/** A band, or all that lies within an end. */
class Part {
  line: Contour | null = null;
  saddle: Saddle | null = null;
  constructor(readonly run: Composed) {}
  /** Ensures: no less than log δ at x. */
  most(x: f64): f64 {
    const run = this.run;
    const mass = run.logMassQ + run.massError;
    const saddle = this.saddle;
    return saddle !== null && saddle.isKnown() ? Math.min(mass, chernoffBound(run, saddle.s, x)) : mass;
  }
}

export class Bands extends Brackets {
  /** About where log δ is what was looked for, and its slope there. */
  x: f64 = 0;
  s: f64 = 1;
  /** Plans: bands whose bounds lie so far below δ, a logarithm, have no saddle, and those that come to no more than this share of the width asked for no line. */
  faint: f64 = 30;
  little: f64 = 1e-3;
  /** The line of the largest part. */
  largest: Contour | null = null;
  /** Steps below each end, phase by phase, and bands, from the innermost; null until they are looked at. */
  private ends: i32 = 0;
  private below: Array<SampledGaussian> = new Array<SampledGaussian>();
  private bands: Array<Part | null> = new Array<Part | null>();
  private inner: Array<Part | null> = new Array<Part | null>();
  /** All further in than the first band that counts, at one tilt. */
  private first: i32 = 0;
  private rest: Part | null = null;
  private restTilt: f64 = 0;
  private whole: Composed = new Composed();

  /** @param share log of what a truncation may take of δ = e^{target}. @param depth Digits of integrals, a logarithm. */
  constructor(
    private phases: Phases,
    private target: f64,
    share: f64,
    private depth: f64,
  ) {
    super();
    this.split(share);
  }

  /** Windows between the ends. */
  private split(share: f64): void {
    const last = this.phases.at + 24 * this.phases.many;
    let steps: f64 = 0;
    for (let at = this.phases.at; at < last; at += 24) steps += loadF64(at, 16);
    const logMass = this.target + share - logOf(1 + steps);
    for (let y = innermost(this.phases.at, last); ; y *= RATIO) {
      let isLast = true;
      for (let k: usize = 0; k < this.phases.many; k++) {
        const at = this.phases.at + 24 * k;
        const mu = loadF64(at);
        const q = loadF64(at, 8);
        const width = Math.min(EDGE / mu, WIDEST);
        const cut = cutFor(mu, q, logMass);
        const inside = Math.min(FURTHEST, cut - ROOMY * width);
        const before = this.ends === 0 ? -Infinity : this.lawAt(this.ends - 1, k).step.window.cut;
        let wanted = y < OUTERMOST ? outputOf(mu, q, y) / Math.sqrt(1 + width * width) : Infinity;
        if (wanted < before + ROOMY * width) wanted = before;
        if (wanted < inside) isLast = false;
        else wanted = cut;
        const window = new Window(mu, q, wanted, width, -Infinity);
        this.below.push(new SampledGaussian(new SampledStep(mu, q, window), this.depth, loadF64(at, 16)));
      }
      this.ends++;
      this.bands.push(null);
      this.inner.push(null);
      if (isLast) break;
    }
    for (let k: usize = 0; k < this.phases.many; k++) {
      const law = this.lawAt(this.ends - 1, k);
      this.whole.lose(law.step.window.logLostP, law.step.window.logLostQ, law.count);
    }
  }

  private lawAt(end: i32, phase: usize): SampledGaussian {
    return this.below[end * <i32>this.phases.many + <i32>phase];
  }

  /** With the Gaussian that is not sampled; masses are those that M says. */
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

  /** All steps below an end. */
  private within(end: i32): Part {
    const known = this.inner[end];
    if (known !== null) return known;
    const laws = new Array<Law>();
    for (let k: usize = 0; k < this.phases.many; k++) laws.push(this.lawAt(end, k));
    const part = new Part(this.composed(laws));
    this.inner[end] = part;
    return part;
  }

  /** The band below an end: what lies beyond the end before it. */
  private bandAt(end: i32): Part {
    const known = this.bands[end];
    if (known !== null) return known;
    let part: Part;
    if (end === 0) part = this.within(0);
    else {
      const phases = new Array<BandPhase>();
      for (let k: usize = 0; k < this.phases.many; k++) {
        const below = this.lawAt(end, k);
        const from = this.lawAt(end - 1, k).step.window.to;
        phases.push(new BandPhase(below, partBetween(from, below, this.depth)));
      }
      const laws = new Array<Law>();
      laws.push(new Band(phases));
      part = new Part(this.composed(laws));
    }
    this.bands[end] = part;
    return part;
  }

  /** Ensures: no less than log of the Q-mass of paths with a loss beyond an end. */
  private beyond(end: i32): f64 {
    let sum: f64 = -Infinity;
    for (let k: usize = 0; k < this.phases.many; k++) {
      const law = this.lawAt(end, k);
      sum = logSum(sum, logOf(law.count) + law.step.window.logLostQ);
    }
    return Math.min(0, sum + 1e-12 * (1 + Math.abs(sum)));
  }

  /** About log δ at x; the saddles are those of the bands there. Further in than `first` nothing counts. */
  private near(x: f64): f64 {
    let sum: f64 = -Infinity;
    let most: f64 = -Infinity;
    this.rest = null;
    this.first = 0;
    for (let end = this.ends - 1; end >= 0 && !isSpent(); end--) {
      if (end > 0 && this.beyond(end - 1) < this.target - this.faint) continue;
      const band = this.bandAt(end);
      const saddle = saddleAt(band.run, x);
      band.saddle = saddle;
      // the saddle may lie elsewhere
      const away = x - saddle.epsilon;
      const bend = away / saddle.scale;
      const own = saddle.logDelta - saddle.s * away - 0.5 * bend * bend;
      if (!(saddle.isKnown() && own < Infinity)) continue;
      if (own > most) {
        most = own;
        this.s = saddle.s;
      }
      sum = logSum(sum, own);
      if (end > 0 && this.isFaint(end - 1, x, saddle.s, Math.max(sum, this.target))) break;
    }
    return sum;
  }

  /** Whether all below an end counts for nothing at x. */
  private isFaint(end: i32, x: f64, s: f64, target: f64): bool {
    const inner = this.within(end);
    const run = inner.run;
    let tilt = s;
    for (let i = 0; i < TRIES; i++) {
      tilt *= STEEPER;
      const about = run.approximate(1 + tilt).value - tilt * x + logChernoff(1 + tilt);
      if (!(about < target - this.faint)) continue;
      this.first = end + 1;
      this.rest = inner;
      this.restTilt = tilt;
      return true;
    }
    return false;
  }

  /** Lines at about the x where log δ is wanted, for a bracket of relative width `tolerance`, from a guess on. */
  open(guess: f64, tolerance: f64): void {
    let low: f64 = 0;
    let high: f64 = Infinity;
    let x = guess;
    let value = this.near(x);
    for (let i = 0; i < ROUNDS && !isSpent(); i++) {
      const miss = value - this.target;
      if (Math.abs(miss) < 0.3 || (x === 0 && miss < 0.3)) break;
      if (miss > 0) low = x;
      else high = x;
      if (high <= 1.001 * low) break;
      let next = x + miss / Math.max(this.s, 1e-9);
      if (low === 0 && next < 1e-9) next = 0;
      else if (!(next > low && next < high)) {
        if (high === Infinity) next = 2 * x + 1e-9;
        else next = low === 0 ? x / 4 : Math.sqrt(low * high);
      }
      x = next;
      value = this.near(x);
    }
    this.lines(x, tolerance);
  }

  /** Lines about an x. */
  openAt(x: f64, tolerance: f64): void {
    this.near(x);
    this.lines(x, tolerance);
  }

  private lines(x: f64, tolerance: f64): void {
    this.x = x;
    const wide = this.little * tolerance * Math.max(x, 1e-6) * this.s;
    let most: f64 = -Infinity;
    for (let end = this.first; end < this.ends && !isSpent(); end++) {
      const band = this.bands[end];
      if (band === null) continue;
      band.line = null;
      const saddle = band.saddle;
      if (saddle === null || !saddle.isKnown()) continue;
      const bound = band.most(x);
      if (expOf(bound - this.target) < wide) continue;
      const line = new Contour(
        band.run,
        new Layout(band.run, saddle, levelFor(HALF * tolerance * Math.max(x, 1e-6) * this.s)),
      );
      if (!line.isGood) continue;
      band.line = line;
      if (bound > most) {
        most = bound;
        this.largest = line;
      }
    }
  }

  answer(x: f64): void {
    let lower: f64 = -Infinity;
    let upper = this.whole.logLostQ;
    const rest = this.rest;
    if (rest !== null) upper = logSum(upper, chernoffBound(rest.run, this.restTilt, x));
    for (let end = this.first; end < this.ends; end++) {
      const band = this.bands[end];
      let most = end > 0 ? this.beyond(end - 1) : 0;
      if (band !== null) {
        most = Math.min(most, band.most(x));
        const line = band.line;
        if (line !== null) {
          line.answer(x);
          most = Math.min(most, line.upper);
          lower = logSum(lower, line.lower);
        }
      }
      upper = logSum(upper, most);
    }
    const slack = 1e-15 * (8 + Math.abs(upper));
    this.upper = Math.min(0, upper + slack);
    this.lower = Math.min(lower - slack, this.upper);
  }
}

/** The steps between an edge and that of a law; null where these are the same. */
function partBetween(from: f64, law: SampledGaussian, depth: f64): SampledGaussian | null {
  const step = law.step;
  const window = step.window;
  if (from === window.to) return null;
  return new SampledGaussian(
    new SampledStep(step.mu, step.q, new Window(step.mu, step.q, window.cut, window.width, from)),
    depth,
    1,
  );
}
