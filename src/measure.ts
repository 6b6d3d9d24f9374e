import { type Bracket, bracket, exactly } from './bracket.js';
import { requireNumber } from './errors.js';
import type { Measurement } from './report-types.js';
import type { ComposedRun } from './run/composed-run.js';
import { expm1, log, normalQuantileLog } from './scalar.js';
import { regretOf } from './tradeoff/regret.js';

export interface MeasureOptions {
  /** The window is min(α, f(α)) ≥ alphaMin, alphaMin ∈ (0, 0.5); default 1e-10. */
  readonly alphaMin?: number;
}

/** Slack on a quantile of a log-probability: above its measured error. */
const QUANTILE_SLACK = 1e-14;
const MAX_CUTS = 2000;

/**
 * The Gaussian-DP summary of a run: the smallest μ with f ≥ G_μ on the window, the regret of publishing it
 * instead of the curve, and the tail limit it would grow to as the window opens (REP §4; IAM §3–4).
 *
 * μ from above: f lies above a polygon of supporting lines; since G_μ is convex, the polygon is above
 * G_μ as soon as its corners are, and lines are added where the worst corner is until it meets the bound
 * from below, which comes from certified tests.
 *
 * @throws TypeError | RangeError if `alphaMin` is not in (0, 0.5).
 */
export function measure(run: ComposedRun, options: MeasureOptions = {}): Measurement {
  const alphaMin = requireNumber(
    'alphaMin',
    options.alphaMin ?? 1e-10,
    'a number in (0, 0.5)',
    (x) => x > 0 && x < 0.5,
  );
  const { tailMu, tolerance } = run.settings;
  const base = { alphaMin, tailMu, method: run.method };
  if (run.settings.gaussian) {
    // plain Gaussians (or nothing at all): the summary is the run
    const regret = exactly(0);
    const head = -normalQuantileLog(log(alphaMin)) * tailMu.upper - tailMu.upper ** 2 / 2;
    return { mu: tailMu, regret, epsilonHead: Math.max(0, head), tier: 'I', ...base };
  }
  const { mu, head, omegas } = muOf(run, log(alphaMin), tolerance);
  const regret = mu.upper < Infinity ? regretOf(run.curve, mu, alphaMin, omegas) : bracket(0, 1);
  // where no α is in the window there is no Gaussian summary to recommend
  const tier = head > 0 || mu.upper === 0 ? tierOf(regret) : 'undecided';
  return { mu, regret, epsilonHead: head, tier, ...base };
}

function tierOf(regret: Bracket): Measurement['tier'] {
  if (regret.upper < 0.01) return 'I';
  return regret.lower >= 0.01 ? 'II' : 'undecided';
}

/** z_{1−α} − z_β = −Φ⁻¹(α) + Φ⁻¹(power), rounded up (+1) or down (−1). */
function muAt(logAlpha: number, logTpr: number, side: 1 | -1): number {
  const a = -normalQuantileLog(logAlpha);
  const b = normalQuantileLog(logTpr);
  return a + b + side * QUANTILE_SLACK * (Math.abs(a) + Math.abs(b) + 1e-2);
}

interface Line {
  readonly epsilon: number;
  readonly logDelta: number;
}

interface Corner {
  readonly mu: number;
  /** The corner lies between line `index` and the next one. */
  readonly index: number;
}

function muOf(
  run: ComposedRun,
  logAlphaMin: number,
  tolerance: number,
): { mu: Bracket; head: number; omegas: number[] } {
  const { curve } = run;
  const { muCeiling } = run.settings;
  const hidden = run.oneMinusAdvantage();
  // at the fixed point α = f(α) = (1 − δ(0))/2
  const fixedUpper =
    hidden.lower > 0 ? -2 * normalQuantileLog(log(hidden.lower / 2)) * (1 + QUANTILE_SLACK) : Infinity;
  const fixedLower =
    hidden.upper > 0
      ? Math.max(0, -2 * normalQuantileLog(log(hidden.upper / 2)) * (1 - QUANTILE_SLACK))
      : Infinity;
  if (!(log(hidden.lower / 2) > logAlphaMin)) {
    // the window may be empty: only the fixed point and the tail limit are left to say
    return { mu: bracket(Math.min(fixedLower, muCeiling), muCeiling), head: 0, omegas: [0] };
  }
  let head = 0;
  for (const direction of curve.directions) {
    const { high } = curve.omegaAtFpr(direction, logAlphaMin);
    if (high < Infinity) head = Math.max(head, high);
  }
  let lower = Math.max(fixedLower, muAt(logAlphaMin, curve.logTpr(logAlphaMin).lower, -1));
  const improve = (omega: number): void => {
    for (const direction of curve.directions) {
      const { logFpr, logTpr } = direction.test(omega);
      if (logFpr >= logAlphaMin && logTpr < log1mAlpha(logFpr))
        lower = Math.max(lower, muAt(logFpr, logTpr, -1));
    }
  };
  const lineAt = (epsilon: number): Line => ({ epsilon, logDelta: curve.upperLogDelta(epsilon) });
  const top = head * 1.01 + 1e-6;
  const lines: Line[] = [];
  const initial = 24;
  for (let i = 0; i <= initial; i++) {
    const epsilon = (top * i) / initial;
    lines.push(lineAt(epsilon));
    improve(epsilon);
  }
  let upper = Infinity;
  for (let cut = 0; cut < MAX_CUTS; cut++) {
    const worst = worstCorner(lines, logAlphaMin);
    upper = Math.max(worst.mu, fixedUpper, lower);
    if (upper - lower <= 0.25 * tolerance * upper || worst.mu < upper) break;
    const added = cutsFor(lines, worst.index, 0.3 * Math.sqrt(tolerance));
    if (added.length === 0) break;
    for (const epsilon of added) {
      const at = lines.findIndex((line) => line.epsilon > epsilon);
      lines.splice(at, 0, lineAt(epsilon));
      improve(epsilon);
    }
  }
  upper = Math.min(upper, muCeiling);
  return { mu: bracket(Math.min(lower, upper), upper), head, omegas: lines.map((line) => line.epsilon) };
}

/** log(1 − α) from log α: the power of a test must stay below it for its miss rate to be above its FPR. */
function log1mAlpha(logAlpha: number): number {
  return log(-expm1(logAlpha));
}

/** The corner of the polygon of lines, within the window, at which μ is largest. */
function worstCorner(lines: readonly Line[], logAlphaMin: number): Corner {
  // at the window's edge the active line is the one with the smallest power
  let edge = Infinity;
  let active = 0;
  for (let i = 0; i < lines.length; i++) {
    const power = logPower(lines[i], logAlphaMin);
    if (power < edge) {
      edge = power;
      active = i;
    }
  }
  let worst: Corner = { mu: muAt(logAlphaMin, Math.min(0, edge), 1), index: active };
  for (let i = 0; i < active; i++) {
    // lines i and i+1 meet at α = (δ_i − δ_{i+1})/(e^{ε_{i+1}} − e^{ε_i})
    const a = lines[i];
    const b = lines[i + 1];
    const fall = -expm1(b.logDelta - a.logDelta);
    if (!(fall > 0)) continue;
    const logAlpha = a.logDelta + log(fall) - a.epsilon - log(expm1(b.epsilon - a.epsilon));
    if (!(logAlpha > logAlphaMin && logAlpha < 0)) continue;
    const power = Math.max(logPower(a, logAlpha), logPower(b, logAlpha));
    const mu = muAt(logAlpha, Math.min(0, power), 1);
    if (mu > worst.mu) worst = { mu, index: i };
  }
  return worst;
}

function logPower(line: Line, logAlpha: number): number {
  const a = line.logDelta;
  const b = line.epsilon + logAlpha;
  const top = Math.max(a, b);
  return top + log(1 + (a === b ? 1 : expm1(Math.min(a, b) - top) + 1)) + 4e-15;
}

/** New ε's around the worst corner: the middles of neighbouring gaps. A gap g costs the bound about g²/8, so gaps below `finest` stay. */
function cutsFor(lines: readonly Line[], index: number, finest: number): number[] {
  const cuts: number[] = [];
  for (const i of [index - 1, index, index + 1]) {
    if (i < 0 || i + 1 >= lines.length) continue;
    const gap = lines[i + 1].epsilon - lines[i].epsilon;
    if (gap > finest) cuts.push(lines[i].epsilon + gap / 2);
  }
  return cuts;
}
