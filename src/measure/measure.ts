import { type Engine, requireEngine } from '../engine.js';
import { requireNumber, requireOptions, wrongValue } from '../errors.js';
import type { Kernel } from '../kernel/kernel.js';
import { steepHalf } from '../law/polygon.js';
import { enoughOf } from '../methods/contour/answered.js';
import {
  type Bracket,
  bracket,
  exactly,
  maxBracket,
  ordered,
  overlap,
  relativeWidth,
} from '../numeric/bracket.js';
import { judged } from '../numeric/judged.js';
import { LONG_SUM } from '../numeric/rounding.js';
import { exp, log, logNormalCdf, normalQuantileLog } from '../numeric/scalar.js';
import type { TradeoffCurve } from '../run/tradeoff-curve.js';
import { USUAL_ALPHA_MIN } from '../run/window.js';
import { regretOf, shortfallOf } from '../tradeoff/largest-gap.js';
import { type Seen, type Subject, seen } from '../tradeoff/subject.js';
import type { Measurement, RatesInWindow } from './measurement.js';
import { muOfCurve } from './mu-of-curve.js';
import { polygonMu, polygonRegret } from './polygon.js';
import { type FoundMu, muByLines } from './supporting-lines.js';

/** The window on which μ has to hold. */
export interface MeasureOptions {
  /** The window is min(α, f(α)) ≥ alphaMin, alphaMin ∈ (0, 0.5); default 1e-10. */
  readonly alphaMin?: number;
  /** The natural logarithm of alphaMin, in its place, in [−1e6, log 0.5): for windows below the smallest double. */
  readonly logAlphaMin?: number;
  /** The engine whose kernel computes the breakpoints of a polygon at once; the answer is the same without. */
  readonly engine?: Engine;
}

/** Least regret that is not tier I (REP §4.2). */
const TIER_LIMIT = 0.01;
/** Width of a bracket of the regret that is narrow enough. */
const REGRET_WIDTH = 1e-5;
/** Regret of a run without rates in the window below which it is not narrowed. */
const TINY_REGRET = 1e-6;

/**
 * The Gaussian-DP summary of a run, a profile or a trade-off function f. It has the smallest μ with f ≥ G_μ on the window, and the regret over all α
 * of publishing it instead of f. It also has the tail limit, to which μ grows as the window grows to all rates (REP §4; IAM §3–4).
 *
 * μ is bounded from above by a polygon of supporting lines of f. As G_μ is convex, the polygon is above G_μ where its corners are. Lines are added at
 * the worst corner until its μ meets the lower bound, which certified tests give. If f is itself a polygon, its vertices are scanned instead (REP eq.
 * 11).
 *
 * Ensures: the least μ lies in `mu`, and the regret of each μ in it lies in `regret`.
 *
 * @throws TypeError if `subject` is none of these. TypeError | RangeError if `alphaMin` is not in (0, 0.5), or `logAlphaMin` is out of range or given
 * beside it.
 * @example
 * measure(run).mu.upper; // 1.56695
 */
export function measure(subject: Subject, options: MeasureOptions = {}): Measurement {
  const view = seen(subject);
  const window = checkedWindow(options);
  return view.allowance.ask(() => {
    const { most, told } = byTheorems(window.logAlphaMin);
    const ask = (at: Seen): Found => measured(at, window, options.engine?.kernel);
    // a coarse polygon of supporting lines gives a coarse regret, so the widths of μ and of the regret count
    const open = ({ mu, regret }: Found, finest: boolean): number =>
      finest || regret.upper - regret.lower <= REGRET_WIDTH
        ? relativeWidth(most(mu))
        : Math.max(relativeWidth(most(mu)), regret.upper - regret.lower);
    const whole = wholly(view, window);
    if (whole !== undefined && open(whole, false) <= enoughOf(view.run?.settings.whole, view.tolerance))
      return { ...whole, limitedBy: relativeWidth(whole.mu) <= view.tolerance ? 'tolerance' : 'theory' };
    const { found, limitedBy } = judged(
      () => {
        const known = view.run?.climbed({ ask: (run) => ask(seen(run)), told, join: together, open });
        const own = known ?? ask(view);
        const asked = whole === undefined ? own : together(whole, own);
        return { ...asked, mu: most(asked.mu) };
      },
      view.run?.asked ?? view.tolerance,
      ({ mu }) => relativeWidth(mu),
    );
    return { ...found, limitedBy };
  });
}

/** A measurement without the field `limitedBy`. */
type Found = Omit<Measurement, 'limitedBy'>;

/**
 * The summary of a run by one kernel call (`WholeRun.measure`); undefined if the kernel takes no such run or has no answer. Ensures: brackets of μ
 * and of the regret hold.
 */
function wholly(
  { run, gaussian, tolerance, tailMu, muCeiling, method }: Seen,
  window: Window,
): Found | undefined {
  const { alphaMin, logAlphaMin } = window;
  // for larger alphaMin the tier also depends on how far f is below G_μ outside the window
  if (gaussian || !(alphaMin < TIER_LIMIT)) return undefined;
  const found = run?.settings.whole?.measure(logAlphaMin, tolerance, true);
  if (found === undefined) return undefined;
  const { regret, head } = found;
  const mu = ordered(found.mu.lower, Math.min(found.mu.upper, muCeiling));
  const least = Math.max(mu.lower, tailMu.lower);
  const muAllRates = bracket(least, Math.max(least, muCeiling));
  return {
    mu,
    muAllRates,
    rates: 'some',
    regret,
    epsilonHead: head,
    tier: tierOf(regret),
    ...window,
    method,
  };
}

/** Combines two answers: brackets are intersected, other fields are those of the narrower μ. */
function together(a: Found, b: Found): Found {
  const better = relativeWidth(b.mu) <= relativeWidth(a.mu) ? b : a;
  const regret = overlap(a.regret, b.regret);
  return {
    ...better,
    mu: overlap(a.mu, b.mu),
    muAllRates: overlap(a.muAllRates, b.muAllRates),
    regret,
  };
}

/** The summary of a subject at one tolerance: μ by vertices or supporting lines, the regret, the tier, and μ at all rates. Ensures: each bracket holds its value. */
function measured(view: Seen, { logAlphaMin, alphaMin }: Window, kernel: Kernel | undefined): Found {
  const { tailMu, muCeiling, method } = view;
  const base = { alphaMin, logAlphaMin, method };
  if (view.gaussian) {
    // one Gaussian, or nothing at all: the summary is exact
    const regret = exactly(0);
    const head = -normalQuantileLog(logAlphaMin) * tailMu.upper - tailMu.upper ** 2 / 2;
    const rates = gaussianRates(tailMu, logAlphaMin);
    const epsilonHead = Math.max(0, head);
    return { mu: tailMu, muAllRates: tailMu, rates, regret, epsilonHead, tier: 'I', ...base };
  }
  const { curve } = view.f;
  const { mu, rates, head, regret } =
    polygonOf(view, alphaMin, kernel) ?? byLines(curve, muByLines(view, logAlphaMin));
  // where no finite upper bound of μ is known, the tier is undecided
  const known = mu.upper < Infinity;
  // outside the window f falls below G_μ by at most alphaMin (docs/proofs/regret.md)
  const settled = alphaMin < TIER_LIMIT || regret.lower >= TIER_LIMIT || !known;
  const apart = settled ? regret : maxBracket(regret, shortfallOf(curve, mu.upper));
  const tier = known ? tierOf(apart) : 'undecided';
  const least = Math.max(mu.lower, tailMu.lower);
  const muAllRates = bracket(least, Math.max(least, muCeiling));
  return { mu, muAllRates, rates, regret, epsilonHead: head, tier, ...base };
}

/**
 * The μ of `measure`, without the regret, which may cost as much again.
 *
 * Ensures: the least μ lies in the bracket.
 *
 * @param target If given, the search ends once it is decided on which side of this number μ lies.
 */
export function muOf(subject: Subject, options: MeasureOptions, target?: number): Bracket {
  const view = seen(subject);
  const { logAlphaMin, alphaMin } = checkedWindow(options);
  if (view.gaussian) return view.tailMu;
  const ask = (at: Seen): Bracket =>
    (polygonOf(at, alphaMin, options.engine?.kernel) ?? muByLines(at, logAlphaMin, target)).mu;
  const { most, told } = byTheorems(logAlphaMin);
  const open = (found: Bracket): number => {
    const mu = most(found);
    return target !== undefined && (mu.upper <= target || mu.lower > target) ? 0 : relativeWidth(mu);
  };
  return view.allowance.ask(() => {
    const whole = view.run?.settings.whole?.measure(logAlphaMin, view.tolerance, false)?.mu;
    const known = whole && ordered(whole.lower, Math.min(whole.upper, view.muCeiling));
    if (known !== undefined && open(known) <= enoughOf(view.run?.settings.whole, view.tolerance))
      return known;
    return judged(
      () => {
        const run = view.run?.climbed({ ask: (at) => ask(seen(at)), told, join: overlap, open });
        const own = run ?? ask(view);
        return most(known === undefined ? own : overlap(known, own));
      },
      view.run?.asked ?? view.tolerance,
      open,
    ).found;
  });
}

/** Keeps an upper bound of μ that an upper bound of log δ gives (`muOfCurve`). `told` computes it; `most` lowers the upper end of a bracket to it. */
function byTheorems(logAlphaMin: number) {
  let known = Infinity;
  return {
    told: (curveAbove: (epsilon: number) => number): void => {
      known = muOfCurve(curveAbove, logAlphaMin);
    },
    most: (mu: Bracket): Bracket => (known < mu.upper ? ordered(mu.lower, known) : mu),
  };
}

/** Whether a Gaussian run has error rates in the window: compares its fixed point α* = f(α*) = Φ(−μ/2) with alphaMin. */
function gaussianRates(mu: Bracket, logAlphaMin: number): RatesInWindow {
  const slack = LONG_SUM * (1 - logAlphaMin);
  if (logNormalCdf(-mu.upper / 2) >= logAlphaMin + slack) return 'some';
  return logNormalCdf(-mu.lower / 2) < logAlphaMin - slack ? 'none' : 'unknown';
}

/** μ and regret of a trade-off curve. */
interface Polygon extends Pick<FoundMu, 'mu' | 'rates' | 'head'> {
  readonly regret: Bracket;
}

/** μ and regret of a polygon by its vertices; undefined for other curves, and if no vertex is in the window. Ensures: both lie in their brackets. */
function polygonOf(
  { directions: [{ vertices }], muCeiling }: Seen,
  alphaMin: number,
  kernel: Kernel | undefined,
): Polygon | undefined {
  if (vertices === undefined || !(alphaMin > 0)) return undefined;
  const hull = steepHalf(vertices);
  const found = polygonMu(vertices, hull, alphaMin, kernel);
  if (found === undefined) return undefined;
  const mu = ordered(found.mu.lower, Math.min(found.mu.upper, muCeiling));
  return { mu, rates: 'some', head: found.head, regret: polygonRegret(hull, mu, kernel) };
}

/** Adds the regret to a μ that was found by supporting lines. Ensures: the regret lies in its bracket. */
function byLines(curve: TradeoffCurve, { mu, rates, head, samples, mostRegret }: FoundMu): Polygon {
  // a window without rates has no μ to publish, so a small regret is not narrowed
  const tiny = head === 0 && mostRegret < TINY_REGRET;
  return { mu, rates, head, regret: tiny ? bracket(0, mostRegret) : regretOf(curve, mu, samples) };
}

/** A window of error rates, by log alphaMin and alphaMin, which is 0 below the smallest double. */
interface Window {
  readonly logAlphaMin: number;
  readonly alphaMin: number;
}

/** The window that the options state. @throws TypeError | RangeError for a wrong option. */
function checkedWindow(options: MeasureOptions): Window {
  requireOptions('measure', options, ['alphaMin', 'logAlphaMin', 'engine']);
  if (options.engine !== undefined) requireEngine(options.engine);
  const { alphaMin = USUAL_ALPHA_MIN, logAlphaMin } = options;
  if (logAlphaMin === undefined) {
    requireNumber('alphaMin', alphaMin, 'a number in (0, 0.5)');
    return { alphaMin, logAlphaMin: log(alphaMin) };
  }
  if (options.alphaMin !== undefined)
    throw wrongValue('logAlphaMin', 'absent where alphaMin is given', logAlphaMin);
  const within = (x: number): boolean => x >= -1e6 && x < -Math.LN2;
  requireNumber('logAlphaMin', logAlphaMin, 'a number in [-1e6, log 0.5)', within);
  return { logAlphaMin, alphaMin: exp(logAlphaMin) };
}

/** The tier of a regret. */
function tierOf(apart: Bracket): Measurement['tier'] {
  if (apart.upper < TIER_LIMIT) return 'I';
  return apart.lower >= TIER_LIMIT ? 'II' : 'undecided';
}
