import { type Engine, requireEngine } from '../engine.js';
import { requireNumber, requireOptions, wrongValue } from '../errors.js';
import { type Bracket, bracket, exactly, maxBracket, ordered } from '../numeric/bracket.js';
import { logComplement, logSum, ROUNDING } from '../numeric/log-arithmetic.js';
import { exp, expm1, log, normalQuantileLog } from '../numeric/scalar.js';
import type { CertifiedTest, DirectedRun } from '../run/directed-run.js';
import { TradeoffCurve } from '../run/tradeoff-curve.js';
import { regretOf, shortfallOf } from '../tradeoff/regret.js';
import { type Seen, type Subject, seen } from '../tradeoff/subject.js';
import type { Measurement } from './measurement.js';
import { polygonMu } from './polygon.js';

export interface MeasureOptions {
  /** The window is min(α, f(α)) ≥ alphaMin, alphaMin ∈ (0, 0.5); default 1e-10. */
  readonly alphaMin?: number;
  /** Instead of `alphaMin`, its natural logarithm, in [−1e6, log 0.5): for windows below the smallest double. */
  readonly logAlphaMin?: number;
  /** Whose kernel scans a polygon's breakpoints, for many of them; the answer is the same without. */
  readonly engine?: Engine;
}

/** Slack on a quantile of a log-probability: above its measured error. */
const QUANTILE_SLACK = 1e-14;
const MAX_CUTS = 1000;
/** Cutting ends where this many cuts have closed less than a tenth of what was open. */
const PATIENCE = 40;
/** Lattice losses taken one by one. */
const MAX_LINES = 100_000;
/** Relative width at which cutting ends even where δ is known better. */
const FINEST = 1e-11;
/** Tier I ends here (REP §4.2). */
const TIER_LIMIT = 0.01;

/**
 * The Gaussian-DP summary of a run, a profile or a trade-off function: the smallest μ with f ≥ G_μ on the window, the regret over all α of publishing it
 * instead of the curve, and the tail limit it would grow to as the window opens (REP §4; IAM §3–4).
 *
 * μ from above: f lies above a polygon of supporting lines; since G_μ is convex, the polygon is above
 * G_μ as soon as its corners are, and lines are added where the worst corner is until it meets the bound
 * from below, which comes from certified tests.
 *
 * A polygon is scanned at its vertices instead (REP eq. 11).
 *
 * @throws TypeError if `subject` is none of these; TypeError | RangeError if `alphaMin` is not in (0, 0.5), or `logAlphaMin` is out of range or given beside it.
 */
export function measure(subject: Subject, options: MeasureOptions = {}): Measurement {
  const view = seen(subject);
  requireOptions('measure', options, ['alphaMin', 'logAlphaMin', 'engine']);
  if (options.engine !== undefined) requireEngine(options.engine);
  const logAlphaMin = windowOf(options);
  const alphaMin = options.alphaMin ?? (options.logAlphaMin === undefined ? 1e-10 : exp(logAlphaMin));
  const { tailMu, method } = view;
  const base = { alphaMin, logAlphaMin, tailMu, method };
  if (view.gaussian) {
    // plain Gaussians (or nothing at all): the summary is the run
    const regret = exactly(0);
    const head = -normalQuantileLog(logAlphaMin) * tailMu.upper - tailMu.upper ** 2 / 2;
    return { mu: tailMu, regret, epsilonHead: Math.max(0, head), tier: 'I', ...base };
  }
  const { mu, head, lines } = polygonOf(view, alphaMin, options.engine) ?? muOf(view, logAlphaMin);
  const { curve } = view.f;
  const regret = regretOf(curve, mu, lines);
  // where no α is in the window, or no finite μ is known, there is no Gaussian summary to recommend
  const known = (head > 0 || mu.upper === 0) && mu.upper < Infinity;
  // outside the window f is below G_μ by no more than alphaMin
  const settled = alphaMin < TIER_LIMIT || regret.lower >= TIER_LIMIT || !known;
  const apart = settled ? regret : maxBracket(regret, shortfallOf(curve, mu.upper));
  return { mu, regret, epsilonHead: head, tier: known ? tierOf(apart) : 'undecided', ...base };
}

/** By the vertices, where there are some; as `muOf` where none is in the window. */
function polygonOf(
  { directions: [{ vertices }], muCeiling }: Seen,
  alphaMin: number,
  engine: Engine | undefined,
): ReturnType<typeof muOf> | undefined {
  const found = vertices && alphaMin > 0 ? polygonMu(vertices, alphaMin, engine?.kernel) : undefined;
  if (found === undefined) return undefined;
  const upper = Math.min(found.mu.upper, muCeiling);
  return { mu: bracket(Math.min(found.mu.lower, upper), upper), head: found.head, lines: [] };
}

function windowOf({ alphaMin, logAlphaMin }: MeasureOptions): number {
  if (logAlphaMin === undefined) {
    const within = (x: number): boolean => x > 0 && x < 0.5;
    return log(requireNumber('alphaMin', alphaMin ?? 1e-10, 'a number in (0, 0.5)', within));
  }
  if (alphaMin !== undefined) throw wrongValue('logAlphaMin', 'absent where alphaMin is given', logAlphaMin);
  const within = (x: number): boolean => x >= -1e6 && x < -Math.LN2;
  return requireNumber('logAlphaMin', logAlphaMin, 'a number in [-1e6, log 0.5)', within);
}

function tierOf(apart: Bracket): Measurement['tier'] {
  if (apart.upper < TIER_LIMIT) return 'I';
  return apart.lower >= TIER_LIMIT ? 'II' : 'undecided';
}

/** z_{1−α} − z_β = −Φ⁻¹(α) + Φ⁻¹(power), rounded up (+1) or down (−1). */
function muAt(logAlpha: number, logTpr: number, side: 1 | -1): number {
  const a = -normalQuantileLog(logAlpha);
  const b = normalQuantileLog(logTpr);
  return a + b + side * QUANTILE_SLACK * (Math.abs(a) + Math.abs(b) + 1e-2);
}

/** A supporting line below f, 1 − δ(ε) − e^ε α, with the test near where it touches. */
interface Line extends CertifiedTest {
  readonly epsilon: number;
  readonly logDelta: Bracket;
  /** Where it meets the line last asked about. */
  meeting?: { readonly next: Line; readonly logAlpha: number; readonly mu: number };
}

interface Corner {
  readonly mu: number;
  /** The line that ends there, and the one that begins; the same line twice at the window's edge. */
  readonly a: Line;
  readonly b: Line;
}

function muOf(
  { directions, f, muCeiling, tolerance }: Seen,
  logAlphaMin: number,
): { mu: Bracket; head: number; lines: readonly Line[] } {
  const [{ lattice }] = directions;
  const curve = lattice === undefined ? f.curve : TradeoffCurve.symmetric(directions.map(atItsBest));
  const hidden = complement(curve.logDelta(0));
  // at the fixed point α = f(α) = (1 − δ(0))/2
  const fixedUpper =
    hidden.lower > 0 ? -2 * normalQuantileLog(log(hidden.lower / 2)) * (1 + QUANTILE_SLACK) : Infinity;
  const fixedLower =
    hidden.upper > 0
      ? Math.max(0, -2 * normalQuantileLog(log(hidden.upper / 2)) * (1 - QUANTILE_SLACK))
      : Infinity;
  if (!(log(hidden.lower / 2) > logAlphaMin)) {
    // the window may be empty: only the fixed point and the tail limit are left to say
    return { mu: bracket(Math.min(fixedLower, muCeiling), muCeiling), head: 0, lines: [] };
  }
  const omega = curve.omegaAtFpr(logAlphaMin);
  const head = Math.max(0, omega.high < Infinity ? omega.high : omega.low);
  let lower = Math.max(fixedLower, muAt(logAlphaMin, curve.logTpr(logAlphaMin).lower, -1));
  const lineAt = (epsilon: number): Line => {
    const test = curve.test(epsilon);
    if (test.logFpr >= logAlphaMin && test.logTpr < logComplement(test.logFpr))
      lower = Math.max(lower, muAt(test.logFpr, test.logTpr, -1));
    return { epsilon, logDelta: curve.logDelta(epsilon), ...test };
  };
  const lines: Line[] = [];
  // at the losses themselves the lines are the segments of f, and no cut is left to make
  const losses = lattice === undefined ? Infinity : Math.ceil(head / lattice) + 1;
  const whole = directions.length === 1 && losses <= MAX_LINES;
  const [initial, stride] = whole && lattice !== undefined ? [losses, lattice] : [24, head / 24];
  for (let i = 0; i < initial; i++) lines.push(lineAt(stride * i));
  // both sides of the edge: the line before a jump of the false positive rate there, and after it
  for (const epsilon of [omega.low, omega.high, head * 1.01 + 1e-6])
    if (epsilon > lines[lines.length - 1].epsilon && epsilon < Infinity) lines.push(lineAt(epsilon));
  // how well δ is known at most ε's
  const widths = lines.map(({ logDelta }) => logDelta.upper - logDelta.lower).sort((a, b) => a - b);
  const aim = Math.min(0.25 * tolerance, Math.max(FINEST, widths[lines.length >> 1]));
  let upper = Infinity;
  let open = Infinity;
  for (let cut = 0; cut < MAX_CUTS; cut++) {
    const worst = worstCorner(lines, logAlphaMin);
    upper = Math.max(worst.mu, fixedUpper, lower);
    if (cut % PATIENCE === 0) {
      if (upper - lower > 0.9 * open) break;
      open = upper - lower;
    }
    if (upper - lower <= aim * upper || worst.mu < upper) break;
    // what is open is the width of δ, not the distance of the lines
    if (worst.mu - muIfExact(worst, logAlphaMin) > 0.9 * (upper - lower)) break;
    const added = cutsFor(lines, worst);
    if (added.length === 0) break;
    for (const epsilon of added) {
      const at = lines.findIndex((line) => line.epsilon > epsilon);
      lines.splice(at, 0, lineAt(epsilon));
    }
  }
  upper = Math.min(upper, muCeiling);
  // a few hundred are enough for the regret
  const every = Math.ceil(lines.length / 400);
  return {
    mu: ordered(lower, upper),
    head,
    lines: lines.filter((_, i) => i % every === 0),
  };
}

function atItsBest(run: DirectedRun): DirectedRun {
  return {
    direction: run.direction,
    method: run.method,
    logInfinity: run.logInfinity,
    logDelta: (epsilon) => run.logDelta(epsilon, FINEST),
    test: (omega) => run.test(omega, FINEST),
    guessEpsilon: (target) => run.guessEpsilon(target),
    guessOmega: (target) => run.guessOmega(target),
  };
}

function complement(logs: Bracket): Bracket {
  return bracket(-expm1(logs.upper), -expm1(logs.lower));
}

/** The corner of the lines' upper envelope, within the window, at which μ is largest. */
function worstCorner(lines: readonly Line[], logAlphaMin: number): Corner {
  const envelope: Line[] = [];
  for (const line of lines) {
    const last = envelope.at(-1);
    if (last !== undefined && !(line.logDelta.upper < last.logDelta.upper)) continue;
    while (envelope.length > 1) {
      const [a, b] = envelope.slice(-2);
      if (meeting(a, b).logAlpha > meeting(b, line).logAlpha) break;
      envelope.pop();
    }
    envelope.push(line);
  }
  let worst: Corner | undefined;
  for (let i = 0; i < envelope.length; i++) {
    const a = envelope[i];
    const b = envelope[i + 1] ?? a;
    const inside = b !== a && meeting(a, b).logAlpha > logAlphaMin;
    const corner = inside ? { mu: meeting(a, b).mu, a, b } : { mu: edgeMu(a, logAlphaMin), a, b: a };
    if (worst === undefined || corner.mu > worst.mu) worst = corner;
    // from here on the lines are active outside the window only
    if (!inside) break;
  }
  return worst as Corner;
}

function edgeMu(line: Line, logAlphaMin: number, end: 'lower' | 'upper' = 'upper'): number {
  const power = logSum(line.logDelta[end], line.epsilon + logAlphaMin);
  return muAt(logAlphaMin, Math.min(0, power + ROUNDING), 1);
}

/** Where a line meets the next one: α = (δ_a − δ_b)/(e^{ε_b} − e^{ε_a}). */
function meeting(a: Line, b: Line): { logAlpha: number; mu: number } {
  if (a.meeting?.next !== b) a.meeting = { next: b, ...meetingAt(a, b, 'upper') };
  return a.meeting as { logAlpha: number; mu: number };
}

function meetingAt(a: Line, b: Line, end: 'lower' | 'upper'): { logAlpha: number; mu: number } {
  const da = a.logDelta[end];
  const db = b.logDelta[end];
  const logAlpha = Math.min(0, da + log(-expm1(db - da)) - a.epsilon - log(expm1(b.epsilon - a.epsilon)));
  const power = Math.max(logSum(da, a.epsilon + logAlpha), logSum(db, b.epsilon + logAlpha));
  return { logAlpha, mu: muAt(logAlpha, Math.min(0, power + ROUNDING), 1) };
}

/** μ at a corner if the lower ends of δ were exact. */
function muIfExact({ a, b }: Corner, logAlphaMin: number): number {
  if (a === b) return edgeMu(a, logAlphaMin, 'lower');
  return b.logDelta.lower < a.logDelta.lower ? meetingAt(a, b, 'lower').mu : -Infinity;
}

/**
 * New ε's around the worst corner, in its gap and the neighbouring ones: the slope of the chord between
 * the tests at the ends of the gap, which is a segment of f itself where f is piecewise linear, and the middle
 * where the chord leaves most of the gap as it is. Lines in the gap that do not reach the envelope are passed
 * over: there may be many.
 */
function cutsFor(lines: readonly Line[], corner: Corner): number[] {
  const before = lines[lines.indexOf(corner.a) - 1] ?? corner.a;
  const after = lines[lines.indexOf(corner.b) + 1] ?? corner.b;
  const cuts: number[] = [];
  for (const [a, b] of [
    [before, corner.a],
    [corner.a, corner.b],
    [corner.b, after],
  ]) {
    const gap = b.epsilon - a.epsilon;
    if (!(gap > 4e-15 * (1 + b.epsilon))) continue;
    const chord = a.logTpr + log(-expm1(b.logTpr - a.logTpr)) - (a.logFpr + log(-expm1(b.logFpr - a.logFpr)));
    const share = (chord - a.epsilon) / gap;
    const middle = a.epsilon + gap / 2;
    const inside = share > 0 && share < 1;
    // over a long gap the chord takes the slope of its steeper end and cuts little off
    const found = inside && share > 0.2 && share < 0.8 ? [chord] : inside ? [chord, middle] : [middle];
    for (const epsilon of found.sort((x, y) => x - y))
      if (!lines.some((line) => line.epsilon === epsilon)) cuts.push(epsilon);
  }
  return cuts;
}
