/**
 * The law of a run restricted to paths (the losses of all steps) whose largest loss lies in a band between two thresholds (docs/proofs/contour.md
 * 16).
 */
import { U } from '../../src/kernel/constants.js';
import { even } from '../sums/loss-mesh.js';
import { logarithms } from '../sums/log-phi.js';
import { loadF64, storeF64 } from '../lane/memory.js';
import { PartLine } from '../sums/part-line.js';
import { copyNumbers, hasRoom, mark, release, spend, take, takeZeros } from '../lane/room.js';
import { expm1Of, expOf, log1pOf, logOf } from '../functions/scalar.js';
import { Cumulant, Law, LogPhi } from './law.js';
import { QuadratureLaw } from './quadrature-law.js';
import { FarDecay } from './step-law.js';

/** −log of the relative accuracy of the sums along a contour. */
const DEPTH: f64 = 44;
/** How many numbers `PartLine` takes for each phase with steps in the band. */
const NUMBERS = 5;
/** How many rows `PartLine` takes for each phase with steps in the band. */
const ROWS = 6;

/**
 * A phase's steps truncated at the band's upper threshold (`below`, M is U), and those whose loss lies in the band (`part`, M is R). `part` is null
 * if the windows of both thresholds are the same, so that no step has a loss in the band.
 */
export class BandPhase {
  /** R(c)/U(c) at the tilt c, and its relative error. It is the tilted probability that a step below the upper threshold lies in the band. */
  ratio: f64 = 0;
  ratioError: f64 = 0;
  paths: FarDecay | null = null;
  /**
   * log of T(R/U)/(1 − e^{−λ}) at the tilt c of `openDecay`. T is the number of steps, R/U is `ratio`, and λ that of `Lambda`. It weights this
   * phase's |R(z)/R(c)| in the bound of |φ|.
   */
  weight: f64 = 0;
  /**
   * @param below The law of a step below the band's upper threshold, with the number of steps.
   * @param part The law of a step within the band.
   */
  constructor(
    readonly below: QuadratureLaw,
    readonly part: QuadratureLaw | null,
  ) {}
}

/**
 * λ = −Σ T log(1 − R/U) over phases of T steps, at a tilt. U is M of a step below the band's upper threshold, R that of a step in the band. The run
 * below that threshold has M = F = ∏U^T, the band N = F(1 − e^{−λ}). `slope` and `bend` approximate the first and the second derivative of λ by the
 * tilt. Ensures: λ lies between `low` and `high`.
 */
class Lambda {
  value: f64 = 0;
  low: f64 = 0;
  high: f64 = 0;
  slope: f64 = 0;
  bend: f64 = 0;

  clear(): void {
    this.value = 0;
    this.low = 0;
    this.high = 0;
    this.slope = 0;
    this.bend = 0;
  }

  /**
   * Adds a phase's −T log(1 − R/U) to λ, to its bounds, and to its derivatives. `u` and `r` are the cumulants of a step below the upper threshold and
   * of one within the band; the bounds follow from the relative error of R/U. Ensures: `low` and `high` enclose λ.
   */
  add(phase: BandPhase, u: Cumulant, r: Cumulant): void {
    const times = phase.below.count;
    const ratio = Math.min(1, expOf(r.value - u.value));
    const error = u.error + r.error + 8 * U + U * (Math.abs(u.value) + Math.abs(r.value));
    phase.ratio = ratio;
    phase.ratioError = error;
    const off = 1.001 * ratio * error;
    this.value += times * minusLog(ratio);
    this.low += times * minusLog(ratio - off) * (1 - 8 * U);
    this.high += times * minusLog(ratio + off) * (1 + 8 * U);
    const rest = Math.max(1 - ratio, error);
    const away = r.mean - u.mean;
    const first = (ratio * away) / rest;
    const second = (ratio * (away * away + r.variance - u.variance)) / rest;
    this.slope += times * first;
    this.bend += times * (second + first * first);
  }
}

/** −log(1 − ratio), at most 1000. */
function minusLog(ratio: f64): f64 {
  return ratio < 1 - 2 * U ? Math.min(1000, -log1pOf(-ratio)) : 1000;
}

/** log(1 − e^{−λ}): the share of the band in the run below its upper threshold. */
function logHit(lambda: f64): f64 {
  return logOf(-expm1Of(-Math.min(700, lambda)));
}

/**
 * The law of paths whose largest loss lies in the band: N = ∏U^T − ∏(U − R)^T over phases of T steps. U is M of a step below the upper threshold, R
 * that of a step in the band.
 */
export class Band extends Law {
  private lastTau: f64 = NaN;
  private lastBound: f64 = 0;
  /** log(1 − e^{−λ}), the band's share of the run below its upper threshold, at the last tilt. */
  private logWhole: f64 = 0;
  private lambda: Lambda = new Lambda();
  private all: Cumulant = new Cumulant(0, 0, 0, 0);

  constructor(private phases: Array<BandPhase>) {
    super(1);
  }

  cumulant(c: f64): Cumulant {
    return this.joined(c, true);
  }
  approximate(c: f64): Cumulant {
    return this.joined(c, false);
  }

  /**
   * log N(c) of the band, with mean and variance of the tilted loss. N = ∏U^T·(1 − e^{−λ}) over phases of T steps, U of a step below the upper
   * threshold (contour.md 16). If `isBounded`, log N(c) lies within the error, else it is approximate. Unknown where M of a step is.
   */
  private joined(c: f64, isBounded: bool): Cumulant {
    const total = this.told.set(0, 0, 0, 0);
    const lambda = this.lambda;
    lambda.clear();
    for (let k = 0; k < this.phases.length; k++) {
      const phase = this.phases[k];
      const part = phase.part;
      const below = phase.below;
      const u = momentsOf(below, c, isBounded);
      if (!u.isKnown()) return total.forget();
      const all = this.all.setTimes(u, below.count);
      total.value += all.value;
      total.error += all.error + U * Math.abs(total.value);
      total.mean += all.mean;
      total.variance += all.variance;
      if (part === null) continue;
      const r = momentsOf(part, c, isBounded);
      if (!r.isKnown()) return total.forget();
      lambda.add(phase, u, r);
    }
    const hit = logHit(lambda.value);
    const away = Math.max(logHit(lambda.high) - hit, hit - logHit(lambda.low));
    this.logWhole = hit;
    total.value += hit;
    total.error += away + 8 * U * (1 + Math.abs(hit)) + U * Math.abs(total.value);
    const odds = expm1Of(Math.min(700, lambda.value));
    const slope = lambda.slope / odds;
    total.mean += slope;
    total.variance = Math.max(0, total.variance + lambda.bend / odds - slope * slope * (1 + odds));
    return total.error < Infinity ? total : total.forget();
  }

  /**
   * Adds log(N(z)/N(c)) at the line's nodes, N the band's M. `PartLine` computes it, with error bounds, from M of a step below the upper threshold
   * and of one in the band, for every phase. False where that would cost too much.
   */
  override addTo(line: LogPhi, c: f64, turn: f64): bool {
    const at = this.joined(c, true);
    const logWhole = this.logWhole;
    const n = line.n;
    const row = even(n) << 3;
    let parts: usize = 0;
    for (let k = 0; k < this.phases.length; k++) if (this.phases[k].part !== null) parts++;
    if (!at.isKnown() || !hasRoom(<f64>((ROWS * parts + 40) * line.room))) return false;
    const start = mark();
    const shared = new LogPhi(c, line.step, n, line.room);
    const whole = new LogPhi(c, line.step, n, line.room);
    shared.include(takeZeros(4 * line.room), 1);
    const tables = takeZeros(12 * even(n));
    const made = tables + 8 * row;
    const rows = take(ROWS * parts * even(n));
    const ratios = take(NUMBERS * parts);
    let isDone = true;
    let i: usize = 0;
    for (let k = 0; k < this.phases.length && isDone; k++) {
      const phase = this.phases[k];
      isDone = addPhase(line, c, phase, shared, whole, rows + i * ROWS * row, ratios + i * NUMBERS * 8);
      if (phase.part !== null) i++;
    }
    if (isDone) {
      spend(100 * <f64>(n * parts));
      copyRows(shared.rows, line.room << 3, tables, row, 4, n);
      copyRows(whole.rows, line.room << 3, tables + 4 * row, row, 4, n);
      new PartLine(rows, ratios, parts, n).fill(tables, tables + 4 * row, logWhole, at.error, made);
      const own = takeZeros(4 * line.room);
      copyRows(made, row, own, line.room << 3, 4, n);
      line.include(own, turn);
    }
    release(start);
    return isDone;
  }

  /**
   * Prepares bounds of |N(z)/N(c)| at the tilt c, N the band's M. For each phase with steps in the band they need `weight`, and bounds of
   * |R(z)/R(c)|, R being M of a step in the band. These come from sums along paths off the real axis (`FarDecay`). Ensures: the weights are rounded
   * up.
   */
  openDecay(c: f64): void {
    const at = this.joined(c, true);
    this.lastTau = NaN;
    for (let k = 0; k < this.phases.length; k++) {
      const phase = this.phases[k];
      const part = phase.part;
      phase.paths = null;
      if (part === null || !at.isKnown()) continue;
      phase.paths = part.farAt(c);
      const ratio = part.moments(c).most() - phase.below.moments(c).least();
      phase.weight =
        logOf(phase.below.count) + ratio - this.logWhole + at.error + 1e-12 * (1 + Math.abs(ratio));
    }
  }

  /**
   * log of Σ T|R(z)|/U(c)/(1 − e^{−λ}) over the phases of T steps, at most 0 (contour.md 16). U is M of a step below the upper threshold, R of one in
   * the band, N the band's M. Ensures: no less than log|N(z)/N(c)| at the frequency τ and at larger ones.
   */
  private bound(tau: f64): f64 {
    if (tau === this.lastTau) return this.lastBound;
    let sum: f64 = 0;
    for (let k = 0; k < this.phases.length; k++) {
      const phase = this.phases[k];
      if (phase.part === null) continue;
      const paths = phase.paths;
      sum += paths === null ? Infinity : expOf(Math.min(700, phase.weight + paths.logBound(tau)));
    }
    this.lastTau = tau;
    this.lastBound = sum < 1 ? logOf(sum) + 1e-12 : 0;
    return this.lastBound;
  }

  /**
   * Adds `bound` at the left end of each interval of frequencies. Once a bound is at most `enough`, it serves for all later intervals. Ensures: no
   * less than log|N(z)/N(c)|, N the band's M.
   */
  addDecay(taus: usize, m: usize, enough: f64, _sharp: bool, out: usize): void {
    let last: f64 = 0;
    for (let i: usize = 0; i + 1 < m; i++) {
      const at = i << 3;
      // this bound holds for all larger frequencies too
      if (last > enough) last = Math.min(last, this.bound(loadF64(taus + at)));
      storeF64(out + at, loadF64(out + at) + last);
    }
  }
  tailLog(from: f64): f64 {
    return this.bound(from);
  }
  tailPower(_from: f64): f64 {
    return 0;
  }
}

/** log M of one step; without error bounds if not `isBounded` and an approximation is known. */
function momentsOf(law: QuadratureLaw, c: f64, isBounded: bool): Cumulant {
  if (!isBounded) {
    const about = law.approximateMoments(c);
    if (about.isKnown()) return about;
  }
  return law.moments(c);
}

/** Copies `many` rows of n numbers, whose rows are `fromRow` and `toRow` bytes apart. */
function copyRows(from: usize, fromRow: usize, to: usize, toRow: usize, many: usize, n: usize): void {
  for (let r: usize = 0; r < many; r++) copyNumbers(from + r * fromRow, to + r * toRow, n);
}

/**
 * Adds T·log(U(z)/U(c)) of a phase of T steps to `whole`. U is M of a step below the upper threshold, R of one in the band. A phase without steps in
 * the band is added to `shared` too. For other phases it writes what `PartLine` needs. This is rows of U(z)/U(c) − 1 and R(z)/R(c) − 1 with rounding
 * errors, and five numbers. These are T, R(c)/U(c), its relative error, and the quadrature and truncation errors for U and for R. False where it
 * would cost too much.
 */
function addPhase(
  line: LogPhi,
  c: f64,
  phase: BandPhase,
  shared: LogPhi,
  whole: LogPhi,
  rows: usize,
  ratios: usize,
): bool {
  const part = phase.part;
  const times = phase.below.count;
  const depth = DEPTH + logOf(times);
  const row = even(line.n) << 3;
  const long = line.room << 3;
  const start = mark();
  const all = takeZeros(4 * line.room);
  const error = phase.below.sums(line, c, depth, all);
  let isDone = error < Infinity;
  if (isDone && part !== null) {
    const some = takeZeros(4 * line.room);
    const errorOfPart = part.sums(line, c, depth, some);
    isDone = errorOfPart < Infinity;
    copyRows(all, long, rows, row, 3, line.n);
    copyRows(some, long, rows + 3 * row, row, 3, line.n);
    storeF64(ratios, times);
    storeF64(ratios, phase.ratio, 8);
    storeF64(ratios, phase.ratioError, 16);
    storeF64(ratios, error, 24);
    storeF64(ratios, errorOfPart, 32);
  }
  if (isDone) {
    logarithms(all, line.room, line.n, times, 0);
    whole.include(all, 1);
    if (part === null) shared.include(all, 1);
  }
  release(start);
  return isDone;
}
