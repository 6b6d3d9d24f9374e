import type { ComposedRun } from '../account/composed-run.js';
import { requireRun } from '../account/composed-run.js';
import { requireNumber, requireOneOf, requireOptions } from '../errors.js';
import { measure } from '../measure/measure.js';
import type { Measurement } from '../measure/measurement.js';
import type { Bracket } from '../numeric/bracket.js';
import { deltaGdp } from '../numeric/scalar.js';
import { roundDecimal, shortDecimal } from '../text/decimal.js';
import { niceEnd } from './axis.js';
import {
  type CurvePoint,
  evenly,
  evenlyInLog,
  gaussianPower,
  gaussianTradeoff,
  gdptByAlpha,
  gdptByEpsilon,
  powerCurve,
  profileCurve,
  tradeoffCurve,
} from './curves.js';
import type { Band, LinePlot, Series } from './lines.js';

/** What has been computed already. */
export interface CurvePlotOptions {
  /** The run's Gaussian summary; computed with `measure` unless given. */
  readonly measurement?: Measurement;
}

/** Options of `tradeoffPlot`. */
export interface TradeoffPlotOptions extends CurvePlotOptions {
  /**
   * 'linear': f(α) over all α. 'log': the power 1 − f(α) of the best attack against its false positive
   * rate, both logarithmic, down to the window's edge. Default 'linear'.
   */
  readonly scale?: 'linear' | 'log';
}

/** Options of `profilePlot`. */
export interface ProfilePlotOptions extends CurvePlotOptions {
  /** Where the plot ends below, in (0, 0.5); default 1e-12. */
  readonly deltaMin?: number;
}

/** Options of `gdptPlot`. */
export interface GdptPlotOptions extends CurvePlotOptions {
  /** Over the window's edge α, or over ε as IAM §4 has it; default 'alpha'. */
  readonly against?: 'alpha' | 'epsilon';
}

/** Points of a drawn curve. */
const POINTS = 81;
/** Windows that go below it are drawn down to here. */
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
  const measured = options.measurement ?? measure(run);
  const alphaMin = Math.max(measured.alphaMin, SMALLEST_ALPHA);
  const isLog = scale === 'log';
  const alphas = isLog ? evenlyInLog(alphaMin, 1, POINTS) : linearAlphas();
  const curve = isLog ? powerCurve(run, alphas) : tradeoffCurve(run, alphas);
  const own = drawn(isLog ? 'the run: best attack' : 'the run: f', curve, isLog ? 'upper' : 'lower');
  const series: Series[] = [...own.series];
  const bands: Band[] = [...own.bands];
  if (measured.mu.upper < Infinity) {
    const fit = fitOf(measured, alphas, isLog);
    series.push(fit.line);
    bands.push(fit.band);
  }
  series.push({
    name: 'guessing',
    style: 'dotted',
    colour: 2,
    points: isLog
      ? alphas.map((alpha) => [alpha, alpha])
      : [
          [0, 1],
          [1, 0],
        ],
  });
  const at = run.truePositiveRate(0.01).upper;
  return {
    title: isLog ? 'Power of the best attack at small false positive rates' : 'Trade-off curve',
    description: `At a false positive rate of 0.01 no attack has a true positive rate above ${up({ upper: at })}. ${fitText(measured)}${isLog ? BAND_NOTE : ''}`,
    axes: isLog
      ? {
          x: { label: 'false positive rate α', scale: 'log', min: alphaMin, max: 1 },
          y: { label: 'true positive rate 1 − f(α)', scale: 'log', max: 1 },
        }
      : {
          x: { label: 'false positive rate α', min: 0, max: 1 },
          y: { label: 'false negative rate f(α)', min: 0, max: 1 },
        },
    series,
    bands,
  };
}

/** G_μ* and the band within regret of it. */
function fitOf(
  { mu, regret }: Measurement,
  alphas: readonly number[],
  isLog: boolean,
): { line: Series; band: Band } {
  const fitted = isLog ? gaussianPower : gaussianTradeoff;
  return {
    line: {
      name: `Gaussian fit, μ = ${up(mu)}`,
      style: 'dashed',
      colour: 1,
      points: alphas.map((alpha) => [alpha, fitted(mu.upper, alpha)]),
    },
    band: {
      name: `within regret ${up(regret)} of the fit`,
      colour: 1,
      points: alphas.map((alpha) => {
        // G_μ moved by the regret along the diagonal, and never above 1 − α
        const moved = Math.min(1 - alpha, gaussianTradeoff(mu.upper, alpha - regret.upper) + regret.upper);
        return isLog
          ? [alpha, 1 - moved, gaussianPower(mu.upper, alpha)]
          : [alpha, gaussianTradeoff(mu.upper, alpha), moved];
      }),
    },
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
  const measured = options.measurement ?? measure(run);
  const { mu } = measured;
  const end = run.epsilon(deltaMin).upper;
  const last = niceEnd(end > 0 && end < Infinity ? end : 1);
  const epsilons = evenly(0, last, POINTS);
  const { series, bands } = drawn('the run: δ(ε)', profileCurve(run, epsilons), 'upper');
  const lines = [...series];
  if (mu.upper > 0 && mu.upper < Infinity) {
    lines.push({
      name: `Gaussian fit, μ = ${up(mu)}`,
      style: 'dashed',
      colour: 1,
      points: epsilons.map((epsilon) => [epsilon, deltaGdp(mu.upper, epsilon)]),
    });
  }
  const epsilon = run.epsilon(1e-5).upper;
  return {
    title: 'Privacy profile',
    description: `δ falls from ${up(run.advantage())} at ε = 0; δ = 1e-5 is reached at ε = ${up({ upper: epsilon })}. ${fitText(measured)}`,
    axes: {
      x: { label: 'ε', min: 0, max: last },
      y: { label: 'δ(ε)', scale: 'log', min: deltaMin, max: 1 },
    },
    series: lines,
    bands,
  };
}

/**
 * The run's Gaussian-DP transform: the μ that each α (or ε) alone asks for. For `linePlot`.
 *
 * @throws TypeError | RangeError if `run` is not a composed run, or for a wrong option.
 * @example
 * await linePlot(gdptPlot(account(engine, gaussian({ noiseMultiplier: 2 }), { adjacency: 'add-remove' })));
 */
export function gdptPlot(run: ComposedRun, options: GdptPlotOptions = {}): LinePlot {
  requireRun(run);
  requireOptions('gdptPlot', options, ['against', 'measurement']);
  const against = requireOneOf('against', options.against ?? 'alpha', ['alpha', 'epsilon'] as const);
  const measured = options.measurement ?? measure(run);
  const { mu, epsilonHead } = measured;
  const alphaMin = Math.max(measured.alphaMin, SMALLEST_ALPHA);
  const fixed = run.oneMinusAdvantage().upper / 2;
  const xs =
    against === 'alpha'
      ? evenlyInLog(alphaMin, Math.max(fixed, 2 * alphaMin), POINTS)
      : evenly(0, epsilonHead || 1, POINTS);
  const curve = against === 'alpha' ? gdptByAlpha(run, xs) : gdptByEpsilon(run, xs);
  const { series, bands } = drawn(against === 'alpha' ? 'μ(α)' : 'μ(ε)', curve, 'upper');
  const lines = [...series];
  if (mu.upper < Infinity) {
    lines.push({
      name: `μ reported, ${up(mu)}`,
      style: 'dashed',
      colour: 1,
      points: [xs[0], xs[xs.length - 1]].map((x) => [x, mu.upper]),
    });
  }
  return {
    title: 'Gaussian-DP transform',
    description: `The μ needed at each ${against === 'alpha' ? 'error rate α' : 'ε'}; the reported μ is the largest within the window α ≥ ${shortDecimal(alphaMin)}.`,
    axes: {
      x:
        against === 'alpha'
          ? { label: 'false positive rate α', scale: 'log', min: alphaMin, max: 0.5 }
          : { label: 'ε', min: 0 },
      y: { label: against === 'alpha' ? 'μ(α)' : 'μ(ε)' },
    },
    series: lines,
    bands,
  };
}

/** Evenly spaced, with more of them where the curve is steep: at both ends. */
function linearAlphas(): number[] {
  const tails = evenlyInLog(1e-4, 0.02, 11);
  return [0, ...tails, ...evenly(0.03, 0.97, 48), ...tails.map((alpha) => 1 - alpha).reverse(), 1];
}

/** A bracketed curve as a line at its safe end, and as a band too where the bracket is wide enough to see. */
function drawn(
  name: string,
  curve: readonly CurvePoint[],
  safe: 'lower' | 'upper',
): { series: Series[]; bands: Band[] } {
  const finite = curve.filter((point) => Number.isFinite(point[safe]));
  const largest = Math.max(...finite.map(({ upper }) => Math.abs(upper)));
  const visible = curve.some(({ lower, upper }) => upper - lower > 0.01 * largest);
  return {
    series: [{ name, colour: 0, points: curve.map((point) => [point.x, point[safe]]) }],
    bands: visible
      ? [
          {
            name: 'certified bracket',
            colour: 0,
            points: finite
              .filter(({ lower, upper }) => Number.isFinite(lower) && Number.isFinite(upper))
              .map(({ x, lower, upper }) => [x, lower, upper]),
          },
        ]
      : [],
  };
}

function up({ upper }: Pick<Bracket, 'upper'>): string {
  return roundDecimal(upper, 'up', { digits: 4 });
}

/** Why the band is wide on logarithmic axes. */
const BAND_NOTE = ' Regret is a distance between rates, so it says little where the rates are below it.';

function fitText({ mu, regret }: Measurement): string {
  return mu.upper < Infinity
    ? `The curve of a Gaussian mechanism with μ = ${up(mu)} is within ${up(regret)} of it along the diagonal.`
    : 'No Gaussian mechanism fits it.';
}
