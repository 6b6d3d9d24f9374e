import { type ComposedRun, requireRun } from '../account/composed-run.js';
import type { Audit } from '../audit/audit.js';
import { type AuditClaim, claimedCurve } from '../audit/claim.js';
import { axisEnd } from '../chart/scale.js';
import { requireNumber, requireOneOf, requireOptions, wrongType } from '../errors.js';
import { gdpTransform } from '../measure/head.js';
import { measure } from '../measure/measure.js';
import type { Measurement } from '../measure/measurement.js';
import type { Bracket } from '../numeric/bracket.js';
import { deltaGdp } from '../numeric/scalar.js';
import { roundDecimal, shortDecimal } from '../text/decimal.js';
import { type CurvePoint, curveOf, evenly, evenlyInLog, gaussianPower, muByAlpha } from './curves.js';
import type { Band, LinePlot, Series } from './lines.js';

/** Results that need not be computed again. */
export interface CurvePlotOptions {
  /** The run's Gaussian summary; computed with `measure` unless given. */
  readonly measurement?: Measurement;
}

/** Options of `tradeoffPlot`. */
export interface TradeoffPlotOptions extends CurvePlotOptions {
  /**
   * 'linear': f(α) over all α. 'log': the power 1 − f(α) of the best attack against its false positive
   * rate, both logarithmic, down to the `alphaMin` of the measurement. Default 'linear'.
   */
  readonly scale?: 'linear' | 'log';
}

/** Options of `profilePlot`. */
export interface ProfilePlotOptions extends CurvePlotOptions {
  /** The least δ of the plot, in (0, 0.5); default 1e-12. */
  readonly deltaMin?: number;
}

/** Options of `gdptPlot`. */
export interface GdptPlotOptions extends CurvePlotOptions {
  /** The horizontal axis: the false positive rate α, or ε; default 'alpha'. */
  readonly against?: 'alpha' | 'epsilon';
}

/** Numbers of points of a run's curve, and of a curve in the plot of an audit. */
const [POINTS, BESIDE] = [81, 61];
/** The least α that is drawn, however small the `alphaMin` of the measurement. */
const SMALLEST_ALPHA = 1e-300;

/**
 * The run's trade-off curve with its Gaussian fit G_μ* and the band within regret of it. For `linePlot`.
 *
 * @throws TypeError | RangeError if `run` is not a composed run, or for a wrong option.
 * @example
 * await linePlot(tradeoffPlot(account(engine, gaussian({ noiseMultiplier: 2 }), { adjacency: 'add-remove' })));
 */
export function tradeoffPlot(run: ComposedRun, options: TradeoffPlotOptions = {}): LinePlot {
  requireRun(run);
  requireOptions('tradeoffPlot', options, ['scale', 'measurement']);
  const scale = requireOneOf('scale', options.scale ?? 'linear', ['linear', 'log'] as const);
  const measured = measurementOf(run, options);
  const alphaMin = Math.max(measured.alphaMin, SMALLEST_ALPHA);
  const isLog = scale === 'log';
  const alphas = isLog ? evenlyInLog(alphaMin, 1, POINTS) : linearAlphas();
  const curve = curveOf(run, alphas, (alpha) => (isLog ? run.truePositiveRate(alpha) : run.tradeoff(alpha)));
  const { series, bands } = drawn(
    isLog ? 'the run: best attack' : 'the run: f',
    curve,
    isLog ? 'upper' : 'lower',
  );
  if (measured.mu.upper < Infinity) {
    const drawnAs = (power: number): number => (isLog ? power : 1 - power);
    series.push(fitLine(measured, alphas, (alpha) => drawnAs(gaussianPower(measured.mu.upper, alpha))));
    bands.push(fitBand(measured, alphas, isLog));
  }
  const diagonal = isLog ? alphas : [0, 1];
  series.push(guessing(diagonal.map((alpha) => [alpha, isLog ? alpha : 1 - alpha])));
  const at = run.truePositiveRate(0.01).upper;
  const x = { label: 'false positive rate α', max: 1 };
  return {
    title: isLog ? 'Power of the best attack at small false positive rates' : 'Trade-off curve',
    description: `At a false positive rate of 0.01 no attack has a true positive rate above ${up({ upper: at })}. ${fitText(measured)}${isLog ? BAND_NOTE : ''}`,
    axes: isLog
      ? {
          x: { ...x, scale: 'log', min: alphaMin },
          y: { label: 'true positive rate 1 − f(α)', scale: 'log', max: 1 },
        }
      : { x: { ...x, min: 0 }, y: { label: 'false negative rate f(α)', min: 0, max: 1 } },
    series,
    bands,
  };
}

/** The line of guessing: true positive rate = false positive rate. */
function guessing(points: Series['points']): Series {
  return { name: 'guessing', style: 'dotted', colour: 2, points };
}

/** A line for G_μ with the published μ; `of` gives its y at each x. */
function fitLine({ mu }: Measurement, xs: readonly number[], of: (x: number) => number): Series {
  return {
    name: `Gaussian fit, μ = ${up(mu)}`,
    style: 'dashed',
    colour: 1,
    points: xs.map((x) => [x, of(x)]),
  };
}

/** The band between G_μ and its copy moved by the regret along the diagonal: the run's curve lies in it. */
function fitBand({ mu, regret }: Measurement, alphas: readonly number[], isLog: boolean): Band {
  return {
    name: `within regret ${up(regret)} of the fit`,
    colour: 1,
    points: alphas.map((alpha) => {
      // G_μ shifted by the regret along the diagonal, and at most 1 − α
      const moved = Math.max(alpha, gaussianPower(mu.upper, alpha - regret.upper) - regret.upper);
      const power = gaussianPower(mu.upper, alpha);
      return isLog ? [alpha, moved, power] : [alpha, 1 - power, 1 - moved];
    }),
  };
}

/**
 * The run's privacy profile δ(ε) with that of its Gaussian fit. For `linePlot`.
 *
 * @throws TypeError | RangeError if `run` is not a composed run, or for a wrong option.
 * @example
 * await linePlot(profilePlot(account(engine, gaussian({ noiseMultiplier: 2 }), { adjacency: 'add-remove' })));
 */
export function profilePlot(run: ComposedRun, options: ProfilePlotOptions = {}): LinePlot {
  requireRun(run);
  requireOptions('profilePlot', options, ['deltaMin', 'measurement']);
  const deltaMin = requireNumber('deltaMin', options.deltaMin ?? 1e-12, 'a number in (0, 0.5)');
  const measured = measurementOf(run, options);
  const { mu } = measured;
  const last = axisEnd(run.epsilon(deltaMin).upper);
  const epsilons = evenly(0, last, POINTS);
  const profile = curveOf(run, epsilons, (epsilon) => run.delta(epsilon));
  const { series, bands } = drawn('the run: δ(ε)', profile, 'upper');
  if (mu.upper > 0 && mu.upper < Infinity)
    series.push(fitLine(measured, epsilons, (epsilon) => deltaGdp(mu.upper, epsilon)));
  const epsilon = run.epsilon(1e-5).upper;
  return {
    title: 'Privacy profile',
    description: `δ falls from ${up(run.advantage())} at ε = 0; δ = 1e-5 is reached at ε = ${up({ upper: epsilon })}. ${fitText(measured)}`,
    axes: {
      x: { label: 'ε', min: 0, max: last },
      y: { label: 'δ(ε)', scale: 'log', min: deltaMin, max: 1 },
    },
    series,
    bands,
  };
}

/**
 * The run's Gaussian-DP transform: for each α (or ε), the μ of the Gaussian whose curve has the same value there. For `linePlot`.
 *
 * @throws TypeError | RangeError if `run` is not a composed run, or for a wrong option.
 * @example
 * await linePlot(gdptPlot(account(engine, gaussian({ noiseMultiplier: 2 }), { adjacency: 'add-remove' })));
 */
export function gdptPlot(run: ComposedRun, options: GdptPlotOptions = {}): LinePlot {
  requireRun(run);
  requireOptions('gdptPlot', options, ['against', 'measurement']);
  const against = requireOneOf('against', options.against ?? 'alpha', ['alpha', 'epsilon'] as const);
  const measured = measurementOf(run, options);
  const { mu, epsilonHead } = measured;
  const alphaMin = Math.max(measured.alphaMin, SMALLEST_ALPHA);
  const fixed = run.oneMinusAdvantage().upper / 2;
  const byAlpha = against === 'alpha';
  const xs = byAlpha
    ? evenlyInLog(alphaMin, Math.max(fixed, 2 * alphaMin), POINTS)
    : evenly(0, epsilonHead || 1, POINTS);
  const name = byAlpha ? 'μ(α)' : 'μ(ε)';
  const curve = curveOf(run, xs, (x) => (byAlpha ? muByAlpha(run, x) : gdpTransform(run, x)));
  const { series, bands } = drawn(name, curve, 'upper');
  if (mu.upper < Infinity) {
    series.push({
      name: `μ reported, ${up(mu)}`,
      style: 'dashed',
      colour: 1,
      points: [xs[0], xs[xs.length - 1]].map((x) => [x, mu.upper]),
    });
  }
  return {
    title: 'Gaussian-DP transform',
    description: `The μ needed at each ${byAlpha ? 'error rate α' : 'ε'}; the reported μ is the largest within the window α ≥ ${shortDecimal(alphaMin)}.`,
    axes: {
      x: byAlpha
        ? { label: 'false positive rate α', scale: 'log', min: alphaMin, max: 0.5 }
        : { label: 'ε', min: 0 },
      y: { label: name },
    },
    series,
    bands,
  };
}

function measurementOf(run: ComposedRun, { measurement }: CurvePlotOptions): Measurement {
  if (measurement === undefined) return measure(run);
  if (typeof measurement?.mu?.upper !== 'number' || typeof measurement.regret?.upper !== 'number')
    throw wrongType('measurement', 'what measure found', measurement);
  return measurement;
}

/** α on a linear axis: evenly spaced, and denser at both ends, where the curve is steep. */
function linearAlphas(): number[] {
  const tails = evenlyInLog(1e-4, 0.02, 11);
  return [0, ...tails, ...evenly(0.03, 0.97, 48), ...tails.map((alpha) => 1 - alpha).reverse(), 1];
}

/** A curve of brackets: a line at the end `safe`, and a band where the bracket is wide enough to be visible. */
function drawn(
  name: string,
  curve: readonly CurvePoint[],
  safe: 'lower' | 'upper',
): { series: Series[]; bands: Band[] } {
  const finite = curve.filter((point) => Number.isFinite(point[safe]));
  const largest = Math.max(...finite.map(({ upper }) => Math.abs(upper)));
  const visible = curve.some(({ lower, upper }) => upper - lower > 0.01 * largest);
  const band = finite
    .filter(({ lower, upper }) => Number.isFinite(lower) && Number.isFinite(upper))
    .map(({ x, lower, upper }) => [x, lower, upper] as const);
  return {
    series: [{ name, colour: 0, points: curve.map((point) => [point.x, point[safe]]) }],
    bands: visible ? [{ name: 'certified bracket', colour: 0, points: band }] : [],
  };
}

function up({ upper }: Pick<Bracket, 'upper'>): string {
  return roundDecimal(upper, 'up', { digits: 4 });
}

/** A note for logarithmic axes, where the band looks wide. */
const BAND_NOTE = ' Regret is a distance between rates, so it says little where the rates are below it.';

function fitText({ mu, regret }: Measurement): string {
  return mu.upper < Infinity
    ? `The curve of a Gaussian mechanism with μ = ${up(mu)} is within ${up(regret)} of it along the diagonal.`
    : 'No Gaussian mechanism fits it.';
}

/** What is drawn together with the evidence. */
export interface AuditPlotOptions {
  /** The claim, as it was given to `audit`: the largest power that it allows is drawn. */
  readonly claim?: AuditClaim;
}

/**
 * Claim and evidence in one ROC on logarithmic axes, for `linePlot`. It has the largest power that the claim allows, the bounds
 * of the evidence, and the least Gaussian curve that fits them. A point above the claim's line refutes it.
 *
 * @throws TypeError if `audit` is not a result of `audit`, or for a wrong option.
 * @example
 * const shown = audit({ kind: 'threshold', falsePositives: 5, nonMembers: 1000, truePositives: 100, members: 1000 });
 * auditPlot(shown).axes.y.label; // 'true positive rate'
 */
export function auditPlot(audit: Audit, options: AuditPlotOptions = {}): LinePlot {
  if (audit?.format !== 'gdp-kernel-audit/1') throw wrongType('audit', 'a result of audit', audit);
  requireOptions('auditPlot', options, ['claim']);
  const { points, muLower, confidence, verdict } = audit;
  const rates = points.map(({ fprUpper }) => fprUpper.upper).filter((rate) => rate > 0);
  const low = Math.max(1e-300, Math.min(1e-3, ...rates) / 10);
  const alphas = evenlyInLog(low, 1, BESIDE);
  const claim = options.claim === undefined ? undefined : claimedCurve(options.claim);
  const shown = points.filter(({ tprLower }) => tprLower.lower > 0);
  const claimed: Series[] =
    claim === undefined
      ? []
      : [
          {
            name: `claimed at most: ${claim.name}`,
            colour: 0,
            points: alphas.map((alpha) => [alpha, claim.curve.tpr(alpha).upper]),
          },
        ];
  const evidence: Series = {
    name: `evidence: rates bounded with confidence ${shortDecimal(confidence)}`,
    marks: true,
    colour: 3,
    points: shown
      .toSorted((a, b) => a.fprUpper.upper - b.fprUpper.upper)
      .map(({ fprUpper, tprLower }) => [fprUpper.upper, tprLower.lower]),
  };
  const series: Series[] = [
    ...claimed,
    ...(shown.length === 0 ? [] : [evidence]),
    {
      name: `shown at least: μ = ${roundDecimal(muLower.lower, 'down', { digits: 4 })}`,
      style: 'dashed',
      colour: 1,
      points: alphas.map((alpha) => [alpha, gaussianPower(muLower.lower, alpha)]),
    },
    guessing([low, 1].map((alpha) => [alpha, alpha])),
  ];
  return {
    title: 'Claim and evidence',
    description: `Verdict: ${verdict}.${claim ? ' Evidence above the claimed line refutes the claim; below it the evidence is consistent with it.' : ''}`,
    axes: {
      x: { label: 'false positive rate', scale: 'log', min: low, max: 1 },
      y: { label: 'true positive rate', scale: 'log', max: 1 },
    },
    series,
  };
}
