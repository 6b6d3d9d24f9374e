import { type Bracket, bracket, ordered } from '../numeric/bracket.js';
import { logComplement, logSum } from '../numeric/log-arithmetic.js';
import { complementOf } from '../numeric/log-probability.js';
import { ROUNDING, ROUNDINGS } from '../numeric/rounding.js';
import { expm1, log, muGdpLog, normalQuantileLog } from '../numeric/scalar.js';
import { firstWhere } from '../numeric/solve.js';
import { muGdpBracket } from '../profile/gdp-inverse.js';
import { changedRun } from '../run/changed-run.js';
import type { CertifiedTest, DirectedRun } from '../run/directed-run.js';
import { TradeoffCurve } from '../run/tradeoff-curve.js';
import type { Sample } from '../tradeoff/largest-gap.js';
import type { Seen } from '../tradeoff/subject.js';
import type { RatesInWindow } from './measurement.js';
import { QUANTILE_SLACK } from './polygon.js';
import { logPowerByDeltas } from './power-by-deltas.js';

/** Largest number of times that lines are added. Only width and speed depend on it. */
const MAX_CUTS = 1000;
/** Refinement ends if this many additions have closed less than a tenth of the gap between the bounds of μ. */
const PATIENCE = 40;
/**
 * Refinement also ends after more than this many consecutive additions at the rate alphaMin with little gain. Each closed less than a hundredth of
 * the gap between the bounds of μ.
 */
const IDLE = 3;
/**
 * After every so many additions of lines, the power at the polygon's corner of largest μ is also bounded by δ alone (`logPowerByDeltas`). Tests may
 * leave a wider gap there.
 */
const BY_DELTAS = 10;
/** Largest number of losses of a lattice at each of which a line is made. */
const MAX_LINES = 100_000;
/** Width of log δ with which lines are first computed. Only speed depends on it. */
const ROUGH = 1e-3;
/** Relative width of μ at which refinement ends even if δ is known more accurately. */
const FINEST = 1e-11;
/**
 * The μ whose Gaussian trade-off function passes through a point: −Φ⁻¹(α) + Φ⁻¹(power), rounded up (side 1) or down (side −1).
 *
 * Ensures: no smaller than that difference where `side` is 1, and no larger where it is −1.
 */
function muAt(logAlpha: number, logTpr: number, side: 1 | -1): number {
  const a = -normalQuantileLog(logAlpha);
  const b = normalQuantileLog(logTpr);
  return a + b + side * QUANTILE_SLACK * (Math.abs(a) + Math.abs(b) + 1e-2);
}

/**
 * FIRST_LINES: number of lines at first. MOST_AT_ONCE: largest number of parts into which the ε between two lines are divided at once. SPARE:
 * fraction of the excess of μ allowed at a corner that such a division aims at. Only speed depends on them.
 */
const FIRST_LINES = 8;
const MOST_AT_ONCE = 24;
const SPARE = 0.8;

/** A supporting line of the trade-off function f, β = 1 − δ(ε) − e^ε α. If asked for, it has a test near its point of contact with f. */
interface Line {
  readonly epsilon: number;
  readonly logDelta: Bracket;
  test: CertifiedTest | undefined;
  /** Whether δ of the line was asked for at a coarse width. */
  readonly rough: boolean;
  /** The point where this line meets the line it was last compared with, and the μ there. */
  meeting?: { readonly next: Line; readonly logAlpha: number; readonly mu: number };
}

/** Functions that make lines and tests. */
interface Makers {
  /** Makes the line of slope −e^ε, with its test if `tested`, at a given width of log δ or the usual one. */
  readonly lineAt: (epsilon: number, tested: boolean, width?: number) => Line;
  /** The test of a line, made if it has none. */
  readonly testOf: (line: Line) => CertifiedTest;
}

/** A corner of the polygon of lines, and the μ whose Gaussian trade-off function G_μ passes through it. */
interface Corner {
  readonly mu: number;
  /** The lines that meet in the corner; the same line twice for its point at alphaMin. */
  readonly a: Line;
  readonly b: Line;
}

/**
 * The answer of `muByLines`. `mu`: a bracket of the least μ. `rates`: whether the window has rates. `head`: the ε of the line that touches f at
 * alphaMin, 0 if the window may be empty. `samples`: lines with tests, for the regret. `mostRegret`: a bound of the regret of any μ, κ = 1 − δ(0) =
 * min α + f(α); for f(κ) ≤ κ, so f moved by κ along the diagonal is at most 0.
 */
export interface FoundMu {
  readonly mu: Bracket;
  readonly rates: RatesInWindow;
  readonly head: number;
  readonly samples: readonly Sample[];
  readonly mostRegret: number;
}

/**
 * The smallest μ with f ≥ G_μ wherever α, f(α) ≥ e^{logAlphaMin}: from below by certified tests, from above by a polygon of supporting lines. The
 * window is the set of these α. Every μ would hold on an empty window; the answer is then the μ of the fixed point α = f(α), which every window with
 * rates contains.
 *
 * Ensures: the least μ lies in `mu`.
 *
 * @param target If given, the search ends once it is decided on which side of this number μ lies.
 */
export function muByLines(view: Seen, logAlphaMin: number, target: number = Number.NaN): FoundMu {
  const { directions, f, muCeiling, tolerance } = view;
  const [{ lattice }] = directions;
  const curve = lattice === undefined ? f.curve : TradeoffCurve.symmetric(directions.map(atItsBest));
  const fixed = fixedPoint(curve);
  const { mostRegret } = fixed;
  if (!(fixed.logAlpha > logAlphaMin)) {
    const isEmpty = fixed.logAlphaMost < logAlphaMin;
    // a μ with f ≥ G_μ for a smaller alphaMin also has it for this one
    const wider =
      !isEmpty && fixed.logAlpha > -Infinity ? muByLines(view, fixed.logAlpha - 0.01).mu.upper : Infinity;
    const most = Math.min(isEmpty ? fixed.mu.upper : wider, muCeiling);
    const rates = isEmpty ? 'none' : 'unknown';
    return { mu: ordered(fixed.mu.lower, most), rates, head: 0, samples: [], mostRegret };
  }
  const omega = curve.omegaAtFpr(logAlphaMin);
  const head = Math.max(0, omega.high < Infinity ? omega.high : omega.low);
  const known: Known = {
    lower: Math.max(fixed.mu.lower, muAt(logAlphaMin, curve.logTpr(logAlphaMin).lower, -1)),
    // only up to the fixed point α = f(α): there f(α) ≥ α
    sharpen: (logAlpha, near) => {
      if (logAlpha > fixed.logAlpha) return;
      const power = logPowerByDeltas((epsilon) => curve.logDelta(epsilon), logAlpha, near);
      if (power > -Infinity) known.lower = Math.max(known.lower, muAt(logAlpha, power, -1));
    },
  };
  const makers = makersOf(curve, logAlphaMin, known);
  const { lineAt } = makers;
  const lines: Line[] = [];
  // lines at the losses of a lattice are the segments of f itself: nothing is left to refine
  const losses = lattice === undefined ? Infinity : Math.ceil(head / lattice) + 1;
  const whole = directions.length === 1 && losses <= MAX_LINES;
  const [initial, stride] =
    whole && lattice !== undefined ? [losses, lattice] : [FIRST_LINES, head / FIRST_LINES];
  const width = whole ? undefined : Math.max(ROUGH, tolerance);
  for (let i = 0; i < initial; i++) lines.push(lineAt(stride * i, true, width));
  // lines on both sides of a jump of the false positive rate at alphaMin
  for (const epsilon of [omega.low, omega.high, head * 1.01 + 1e-6])
    if (epsilon > lines[lines.length - 1].epsilon && epsilon < Infinity) lines.push(lineAt(epsilon, true));
  const upper = cutDown(lines, makers, known, {
    logAlphaMin,
    tolerance,
    least: fixed.mu.upper,
    target,
  });
  const samples = lines.flatMap(({ epsilon, logDelta, test }) =>
    test === undefined ? [] : [{ epsilon, logDelta, ...test }],
  );
  // some four hundred lines suffice for the regret
  const every = Math.ceil(samples.length / 400);
  return {
    mu: ordered(known.lower, Math.min(upper, muCeiling)),
    rates: 'some',
    head,
    samples: samples.filter((_, i) => i % every === 0),
    mostRegret,
  };
}

/** Functions that make lines and tests of a curve. Every test whose two error rates are at least alphaMin may raise the lower bound of μ. */
function makersOf(curve: TradeoffCurve, logAlphaMin: number, known: Known): Makers {
  const testAt = (epsilon: number, width?: number): CertifiedTest => {
    const test = curve.test(epsilon, width);
    if (test.logFpr >= logAlphaMin && test.logTpr < logComplement(test.logFpr))
      known.lower = Math.max(known.lower, muAt(test.logFpr, test.logTpr, -1));
    return test;
  };
  const lineAt: Makers['lineAt'] = (epsilon, tested, width) => {
    const test = tested ? testAt(epsilon, width) : undefined;
    const logDelta = curve.logDelta(epsilon, width);
    return { epsilon, logDelta, rough: width !== undefined, test };
  };
  const testOf = (line: Line): CertifiedTest => {
    line.test ??= testAt(line.epsilon);
    return line.test;
  };
  return { lineAt, testOf };
}

/** The lower bound of μ. `sharpen` may raise it by the power at a rate α, where f has about the slope −e^{near}. */
interface Known {
  lower: number;
  readonly sharpen: (logAlpha: number, near: number) => void;
}

/**
 * The fixed point α = f(α) = (1 − δ(0))/2 of a curve, by its μ and an upper bound of 1 − δ(0). `logAlpha` and `logAlphaMost` bound log α.
 *
 * Ensures: μ lies in its bracket, and log α between the two logarithms.
 */
function fixedPoint(curve: TradeoffCurve): {
  mu: Bracket;
  logAlpha: number;
  logAlphaMost: number;
  mostRegret: number;
} {
  const logs = curve.logDelta(0);
  const hidden = complementOf(logs);
  const muOf = (one: number, side: 1 | -1): number =>
    one > 0 ? Math.max(0, -2 * normalQuantileLog(log(one / 2)) * (1 + side * QUANTILE_SLACK)) : Infinity;
  return {
    // (1 − δ)/2 would lose the digits of a small δ
    mu:
      logs.upper < -Math.LN2 ? muGdpBracket(0, logs) : bracket(muOf(hidden.upper, -1), muOf(hidden.lower, 1)),
    logAlpha: log(hidden.lower / 2),
    logAlphaMost: log(hidden.upper / 2) * (1 - ROUNDINGS) + ROUNDINGS,
    mostRegret: hidden.upper,
  };
}

/**
 * Adds lines at the corner of the polygon with the largest μ, until that μ meets the lower bound or no progress is made. Returns the largest μ of a
 * corner. Tests raise `known.lower`.
 *
 * Ensures: f ≥ G_μ on the window for the μ returned.
 */
function cutDown(
  lines: Line[],
  { lineAt, testOf }: Makers,
  known: Known,
  {
    logAlphaMin,
    tolerance,
    least,
    target,
  }: Readonly<Record<'logAlphaMin' | 'tolerance' | 'least' | 'target', number>>,
): number {
  // width of the bracket of log δ at a line
  const widthOf = ({ logDelta }: Line): number => logDelta.upper - logDelta.lower;
  const widths = lines.map(widthOf).sort((a, b) => a - b);
  const aim = Math.min(0.25 * tolerance, Math.max(FINEST, widths[lines.length >> 1]));
  const sharpen = ({ a, b }: Corner): void => {
    const logAlpha = a === b ? logAlphaMin : meeting(a, b).logAlpha;
    known.sharpen(logAlpha, (a.epsilon + b.epsilon) / 2);
  };
  let upper = Infinity;
  let [open, last, idle] = [Infinity, Infinity, 0];
  for (let cut = 0; cut < MAX_CUTS; cut++) {
    const worst = worstCorner(lines, logAlphaMin);
    upper = Math.max(worst.mu, least, known.lower);
    if (upper <= target || known.lower > target) return upper;
    if (cut > 0 && cut % BY_DELTAS === 0 && upper - known.lower > tolerance * upper) sharpen(worst);
    const gap = upper - known.lower;
    // at alphaMin the gap may come from the test of that rate, which more lines do not improve
    idle = worst.a === worst.b && gap > 0.99 * last ? idle + 1 : 0;
    last = gap;
    if (idle > IDLE) break;
    if (cut % PATIENCE === 0) {
      if (gap > 0.9 * open) break;
      open = gap;
    }
    if (gap <= aim * upper || worst.mu < upper) break;
    const rough = [worst.a, worst.b].filter((line) => line.rough && widthOf(line) > aim);
    if (rough.length > 0) {
      for (const line of new Set(rough)) {
        const finer = lineAt(line.epsilon, !(ownMu(line) < known.lower));
        finer.test ??= line.test;
        lines[lines.indexOf(line)] = finer;
      }
      continue;
    }
    // the gap is due to the width of δ, not to the distance of the lines
    if (worst.mu - muIfExact(worst, logAlphaMin) > 0.9 * gap) break;
    const atOnce = cutsAtOnce(worst, known.lower);
    const added = atOnce.length > 0 ? atOnce : cutsFor(lines, worst, testOf);
    const before = lines.length;
    for (const epsilon of added) {
      const at = firstWhere(lines.length, (i) => lines[i].epsilon >= epsilon);
      if (lines[at]?.epsilon !== epsilon) lines.splice(at, 0, lineAt(epsilon, atOnce.length === 0));
    }
    if (lines.length === before) break;
  }
  if (upper - known.lower > tolerance * upper) sharpen(worstCorner(lines, logAlphaMin));
  return upper;
}

/** The run with all its brackets asked at the least width. Ensures: brackets hold if those of the run do. */
function atItsBest(run: DirectedRun): DirectedRun {
  return changedRun(run, {
    logDelta: (epsilon) => run.logDelta(epsilon, FINEST),
    test: (omega) => run.test(omega, FINEST),
  });
}

/** The corner of the lines' upper envelope, within the window, with the largest μ. Exact but for the rounding that `muAt` adds. */
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
    const met = b === a ? undefined : meeting(a, b);
    const inside = met !== undefined && met.logAlpha > logAlphaMin;
    const mu = inside ? met.mu : edgeMu(a, logAlphaMin);
    if (worst === undefined || mu > worst.mu) worst = { mu, a, b: inside ? b : a };
    // further lines are the envelope at rates below alphaMin only
    if (!inside) break;
  }
  return worst as Corner;
}

/** The μ at the point of a line at alphaMin, rounded up. */
function edgeMu(line: Line, logAlphaMin: number, end: 'lower' | 'upper' = 'upper'): number {
  const power = logSum(line.logDelta[end], line.epsilon + logAlphaMin);
  return muAt(logAlphaMin, Math.min(0, power + ROUNDING), 1);
}

/** The point where a line meets the next one, α = (δ_a − δ_b)/(e^{ε_b} − e^{ε_a}), and the μ there; cached. */
function meeting(a: Line, b: Line): { logAlpha: number; mu: number } {
  if (a.meeting?.next !== b) a.meeting = { next: b, ...meetingAt(a, b, 'upper') };
  return a.meeting as { logAlpha: number; mu: number };
}

/**
 * The point where two lines meet, α = (δ_a − δ_b)/(e^{ε_b} − e^{ε_a}), by upper or lower ends of δ, and the μ there. Its power is the larger of both
 * lines', so that rounding of α is safe.
 */
function meetingAt(a: Line, b: Line, end: 'lower' | 'upper'): { logAlpha: number; mu: number } {
  const da = a.logDelta[end];
  const db = b.logDelta[end];
  const logAlpha = Math.min(0, da + log(-expm1(db - da)) - a.epsilon - log(expm1(b.epsilon - a.epsilon)));
  const power = Math.max(logSum(da, a.epsilon + logAlpha), logSum(db, b.epsilon + logAlpha)) + ROUNDING;
  // lines whose δ has a wide bracket may meet below β = 0, beyond the fixed point α = f(α). Callers count the μ of the fixed point separately.
  return { logAlpha, mu: power < 0 ? muAt(logAlpha, power, 1) : -Infinity };
}

/** Heuristic: the μ at a corner if δ were equal to the lower ends of its brackets. */
function muIfExact({ a, b }: Corner, logAlphaMin: number): number {
  if (a === b) return edgeMu(a, logAlphaMin, 'lower');
  return b.logDelta.lower < a.logDelta.lower ? meetingAt(a, b, 'lower').mu : -Infinity;
}

/** Heuristic: about the μ whose Gaussian trade-off function touches a line, so that both have the same δ(ε). */
function ownMu({ epsilon, logDelta }: Line): number {
  return muGdpLog(epsilon, logDelta.upper);
}

/**
 * Heuristic: several ε that divide the interval between the two lines of a corner at once. This is done if f between them seems to have a μ below the
 * known lower bound `limit`. For a smooth f, a corner's μ exceeds that of f by about the square of the distance of its lines in ε. So distances are
 * proportional to the square root of the excess allowed. That root is taken to change linearly between the lines. None if a line has no test, as
 * those added so, or `limit` is reached.
 */
function cutsAtOnce({ mu, a, b }: Corner, limit: number): number[] {
  if (a === b || a.test === undefined || b.test === undefined) return [];
  const [from, to] = [a, b].map((line) => Math.sqrt(limit - ownMu(line)));
  const most = Math.sqrt((mu - limit) / SPARE + from * from + to * to);
  const parts = Math.min(MOST_AT_ONCE, Math.ceil((2 * most) / (from + to)));
  if (!(from + to > 0 && parts > 1) || from === to) return [];
  return Array.from({ length: parts - 1 }, (_, i) => {
    const root = from + ((i + 1) / parts) * (to - from);
    return a.epsilon + ((b.epsilon - a.epsilon) * (from * from - root * root)) / (from * from - to * to);
  });
}

/**
 * Heuristic: new ε around the worst corner, one or two between its lines and in each neighbouring interval. The first is the ε of the chord between
 * the tests of two neighbouring lines, a segment of a piecewise linear f. The second is the middle, where the chord would leave most of the interval.
 * Lines that are not on the envelope are ignored.
 */
function cutsFor(lines: readonly Line[], corner: Corner, testOf: (line: Line) => CertifiedTest): number[] {
  const before = lines[lines.indexOf(corner.a) - 1] ?? corner.a;
  const after = lines[lines.indexOf(corner.b) + 1] ?? corner.b;
  const cuts: number[] = [];
  for (const [a, b] of [
    [before, corner.a],
    [corner.a, corner.b],
    [corner.b, after],
  ]) {
    const gap = b.epsilon - a.epsilon;
    if (!(gap > ROUNDING * (1 + b.epsilon))) continue;
    const [from, to] = [testOf(a), testOf(b)];
    const chord =
      from.logTpr +
      log(-expm1(to.logTpr - from.logTpr)) -
      (from.logFpr + log(-expm1(to.logFpr - from.logFpr)));
    const share = (chord - a.epsilon) / gap;
    const middle = a.epsilon + gap / 2;
    const inside = share > 0 && share < 1;
    // over a long interval of ε the chord is about as steep as its steeper end, and divides the interval little
    const found = inside && share > 0.2 && share < 0.8 ? [chord] : inside ? [chord, middle] : [middle];
    cuts.push(...found.sort((x, y) => x - y));
  }
  return cuts;
}
