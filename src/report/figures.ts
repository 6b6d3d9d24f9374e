import { type ComposedRun, requireRun } from '../account/composed-run.js';
import { type ChartSpec, chartSvg, type Mark, type Point } from '../chart/chart.js';
import { advantage, area, guessing, label, line, peaked } from '../chart/marks.js';
import { axisEnd } from '../chart/scale.js';
import { probabilityOf } from '../numeric/log-probability.js';
import { roundDecimal, shortDecimal } from '../text/decimal.js';
import { type SupportLines, supportLines, withLargest } from '../tradeoff/support-lines.js';
import { curvePoints, gapPoints, peakOf, profilePoints } from './curve-points.js';
import type { Figure } from './document.js';
import { type Report, requireReport } from './report-types.js';

/** Number of supporting lines from which each chart is drawn. */
const LINES = 240;
/** The least δ that a chart shows. */
const DEEPEST = 1e-12;
/** The least false positive rate that a chart shows. */
const LEAST_RATE = 1e-8;
/** Wanted width of brackets of log δ: a difference of this size is not visible in a chart. */
const WIDTH = 1e-4;
const SIZE = { width: 440, height: 320 } as const;

/**
 * The drawings of a report, for `reportHtml`: the most that an attack finds, on linear and logarithmic axes; the privacy
 * profile; and what the Gaussian of μ hides. They show upper bounds of attack rates and of δ, as SVG without scripts.
 *
 * @throws TypeError if `run` is no composed run, or `report` not a result of `report`.
 * @example
 * reportFigures(run, report(run)).map(({ title }) => title).length; // 4
 */
export function reportFigures(run: ComposedRun, report: Report): Figure[] {
  requireRun(run);
  requireReport(report);
  const lines = run.question(() => linesOf(run, report));
  const figures: ChartSpec[] = [
    tradeoff(lines, report),
    smallRates(lines),
    profile(lines, report),
    hidden(lines, report),
  ];
  return figures.map((spec) => ({ title: spec.title, description: spec.description, svg: chartSvg(spec) }));
}

/**
 * Supporting lines of the trade-off curve, at values of ε over the range of the charts. If the allowed work is used up, their δ are larger upper bounds.
 */
function linesOf(run: ComposedRun, { epsilonAtDelta }: Report): SupportLines {
  const far = run.epsilon(DEEPEST).upper;
  const first = epsilonAtDelta[0]?.epsilon.upper ?? 1;
  const reach = [far, 1.5 * first, 1].find((e) => e > 0 && e < Infinity) as number;
  const epsilons = Array.from({ length: LINES }, (_, i) => reach * (i / (LINES - 1)) ** 2);
  const drawn = { delta: (epsilon: number) => probabilityOf(run.logDelta(epsilon, WIDTH)) };
  return supportLines(drawn, withLargest(epsilons, run.epsilon(0).upper));
}

const percent = (v: number): string => `${Math.round(v * 100)}%`;

function tradeoff(lines: SupportLines, report: Report): ChartSpec {
  const points = curvePoints(lines, 'linear');
  const axis = { type: 'linear', domain: [0, 1], format: percent } as const;
  return {
    ...SIZE,
    id: 'figure-tradeoff',
    title: 'The best attack',
    description: 'The most records that any attack finds, against the false alarms it is allowed.',
    x: { ...axis, label: 'false positive rate' },
    y: { ...axis, label: 'records found, at most', ticks: [0, 0.25, 0.5, 0.75, 1] },
    marks: [
      area(points, ([a]) => [a, a]),
      ...guessing(0, 0.8, 4),
      line(points),
      ...advantage(points, `advantage ${roundDecimal(report.advantage.upper, 'up', { digits: 3 })}`),
    ],
  };
}

function smallRates(lines: SupportLines): ChartSpec {
  const points = curvePoints(lines, 'log', LEAST_RATE);
  const axis = { type: 'log', domain: [LEAST_RATE, 1], ticks: 4 } as const;
  return {
    ...SIZE,
    id: 'figure-rates',
    title: 'Small error rates',
    description: 'The same where few false alarms are allowed, down to one in 100 million.',
    x: { ...axis, label: 'false positive rate' },
    y: { ...axis, label: 'records found, at most' },
    marks: [area(points, ([a]) => [a, a]), ...guessing(LEAST_RATE, 1e-5, 8), line(points)],
  };
}

function profile(lines: SupportLines, { epsilonAtDelta }: Report): ChartSpec {
  const end = axisEnd(Math.max(...lines.epsilon));
  const shown = epsilonAtDelta.filter(({ delta, epsilon }) => delta >= DEEPEST && epsilon.upper <= end);
  return {
    ...SIZE,
    id: 'figure-profile',
    title: 'Privacy profile',
    description: 'Every point of the curve is an (epsilon, delta) guarantee of this run.',
    x: { type: 'linear', domain: [0, end], label: 'ε' },
    y: { type: 'log', domain: [DEEPEST, 1], label: 'δ', ticks: 4 },
    marks: [
      line(profilePoints(lines, end, DEEPEST)),
      ...shown.flatMap(({ delta, epsilon: { upper } }): Mark[] => {
        const words = `${roundDecimal(upper, 'up', { digits: 3 })} at ${shortDecimal(delta)}`;
        const far = upper > 0.7 * end;
        const at: Point = [upper, delta];
        return [{ type: 'dot', at }, label(at, far ? [-9, 14] : [9, -2], words, 'c0', far)];
      }),
    ],
  };
}

function hidden(lines: SupportLines, { mu }: Report): ChartSpec {
  const points = gapPoints(lines, mu.upper);
  const flat: Point[] = [
    [0, 0],
    [1, 0],
  ];
  return {
    ...SIZE,
    id: 'figure-hidden',
    title: 'What mu alone hides',
    description:
      'How many more records an attack finds under the Gaussian of mu than under this run, at each false positive rate. Regret is the gap along the diagonal.',
    ...gapChart(
      points.length > 0 ? points : flat,
      'false positive rate',
      'found more under the Gaussian',
      (gap) => `${roundDecimal(gap, 'up', { digits: 2, shift: 2 })} %`,
    ),
  };
}

/** The chart of what a Gaussian summary hides: the true positive rate under it minus that under the run, by false positive rate. */
export function gapChart(
  points: readonly Point[],
  x: string,
  y: string,
  words: (gap: number) => string,
): Pick<ChartSpec, 'x' | 'y' | 'marks'> {
  const peak = peakOf(points);
  const format = (v: number): string => `${Number((v * 100).toPrecision(3))}%`;
  const end = axisEnd(Math.max(1.25 * peak[1], 1e-4));
  return {
    x: { type: 'linear', domain: [0, 1], label: x, format: percent },
    y: { type: 'linear', domain: [0, end], label: y, format, ticks: 4 },
    marks: peaked(points, peak, words),
  };
}
