import type { ComposedRun } from '../account/composed-run.js';
import { type ChartSpec, chartSvg, type Mark, type Point } from '../chart/chart.js';
import { axisEnd } from '../chart/scale.js';
import { roundDecimal, shortDecimal } from '../text/decimal.js';
import { type SupportLines, supportLines, withLargest } from '../tradeoff/support-lines.js';
import { curvePoints, gapPoints, peakOf, profilePoints } from './curve-points.js';
import type { Figure } from './document.js';
import { type Report, requireReport } from './report-types.js';

/** Lines drawn through, the least δ and the least rate shown: a picture shows no more. */
const LINES = 240;
const DEEPEST = 1e-12;
const LEAST_RATE = 1e-8;
const SIZE = { width: 440, height: 320 } as const;

/**
 * The drawings of a report, for `reportHtml`: the most that an attack finds, on linear and logarithmic axes; the privacy
 * profile; and what the Gaussian of μ hides. Bounds on the safe side throughout; SVG without scripts.
 *
 * @throws TypeError if `report` is not a result of `report`.
 * @example
 * reportFigures(run, report(run)).map(({ title }) => title).length; // 4
 */
export function reportFigures(run: ComposedRun, report: Report): Figure[] {
  requireReport(report);
  const far = run.epsilon(DEEPEST).upper;
  const first = report.epsilonAtDelta[0]?.epsilon.upper ?? 1;
  const reach = [far, 1.5 * first, 1].find((e) => Number.isFinite(e) && e > 0) ?? 1;
  const epsilons = Array.from({ length: LINES }, (_, i) => reach * (i / (LINES - 1)) ** 2);
  const lines = supportLines(run, withLargest(epsilons, run.epsilon(0).upper));
  const figures: ChartSpec[] = [
    tradeoff(lines, report),
    smallRates(lines),
    profile(lines, report),
    hidden(lines, report),
  ];
  return figures.map((spec) => ({ title: spec.title, description: spec.description, svg: chartSvg(spec) }));
}

const percent = (v: number): string => `${Math.round(v * 100)}%`;

function tradeoff(lines: SupportLines, { advantage }: Report): ChartSpec {
  const points = curvePoints(lines, 'linear');
  const best = points.reduce((a, b) => (b[1] - b[0] > a[1] - a[0] ? b : a));
  const gap = best[1] - best[0];
  return {
    ...SIZE,
    id: 'figure-tradeoff',
    title: 'The best attack',
    description: 'The most records that any attack finds, against the false alarms it is allowed.',
    x: { type: 'linear', domain: [0, 1], label: 'false positive rate', format: percent },
    y: {
      type: 'linear',
      domain: [0, 1],
      label: 'records found, at most',
      format: percent,
      ticks: [0, 0.25, 0.5, 0.75, 1],
    },
    marks: [
      { type: 'area', from: points.map(([a]): Point => [a, a]), to: points },
      { type: 'line', points: [[0, 0] as const, [1, 1] as const], className: 'guess' },
      { type: 'text', at: [0.8, 0.8], dx: 4, dy: 16, text: 'guessing' },
      { type: 'line', points },
      ...(gap < 0.14
        ? []
        : ([
            { type: 'rule', from: [best[0], best[0]], to: best, className: 'quiet' },
            {
              type: 'text',
              at: [best[0], best[0] + 0.62 * gap],
              dx: 7,
              text: `advantage ${roundDecimal(advantage.upper, 'up', { digits: 3 })}`,
              className: 'dark',
            },
          ] satisfies Mark[])),
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
    marks: [
      { type: 'area', from: points.map(([a]): Point => [a, a]), to: points },
      { type: 'line', points: [[LEAST_RATE, LEAST_RATE] as const, [1, 1] as const], className: 'guess' },
      { type: 'text', at: [1e-5, 1e-5], dx: 8, dy: 16, text: 'guessing' },
      { type: 'line', points },
    ],
  };
}

function profile(lines: SupportLines, { epsilonAtDelta }: Report): ChartSpec {
  const last = Math.max(...lines.epsilon);
  const end = axisEnd(last);
  const shown = epsilonAtDelta.filter(({ delta, epsilon }) => delta >= DEEPEST && epsilon.upper <= end);
  return {
    ...SIZE,
    id: 'figure-profile',
    title: 'Privacy profile',
    description: 'Every point of the curve is an (epsilon, delta) guarantee of this run.',
    x: { type: 'linear', domain: [0, end], label: 'ε' },
    y: { type: 'log', domain: [DEEPEST, 1], label: 'δ', ticks: 4 },
    marks: [
      { type: 'line', points: profilePoints(lines, end, DEEPEST) },
      ...shown.flatMap(({ delta, epsilon }): Mark[] => [
        { type: 'dot', at: [epsilon.upper, delta] },
        {
          type: 'text',
          at: [epsilon.upper, delta],
          dx: epsilon.upper > 0.7 * end ? -9 : 9,
          dy: epsilon.upper > 0.7 * end ? 14 : -2,
          anchor: epsilon.upper > 0.7 * end ? 'end' : 'start',
          text: `${roundDecimal(epsilon.upper, 'up', { digits: 3 })} at ${shortDecimal(delta)}`,
          className: 'l0',
        },
      ]),
    ],
  };
}

function hidden(lines: SupportLines, { mu }: Report): ChartSpec {
  const points = gapPoints(lines, mu.upper);
  const peak = peakOf(points);
  const end = axisEnd(Math.max(1.25 * peak[1], 1e-4));
  const right = peak[0] > 0.6;
  return {
    ...SIZE,
    id: 'figure-hidden',
    title: 'What mu alone hides',
    description:
      'How many more records an attack finds under the Gaussian of mu than under this run, at each false positive rate. Regret is the gap along the diagonal.',
    x: { type: 'linear', domain: [0, 1], label: 'false positive rate', format: percent },
    y: {
      type: 'linear',
      domain: [0, end],
      label: 'found more under the Gaussian',
      format: (v) => `${Number((v * 100).toPrecision(3))}%`,
      ticks: 4,
    },
    marks: [
      { type: 'area', from: points.map(([a]): Point => [a, 0]), to: points },
      { type: 'line', points: points.length > 0 ? points : [[0, 0] as const, [1, 0] as const] },
      ...(peak[1] > 0
        ? ([
            { type: 'dot', at: peak },
            {
              type: 'text',
              at: peak,
              dx: right ? -8 : 8,
              dy: -8,
              anchor: right ? 'end' : 'start',
              text: `${roundDecimal(peak[1], 'up', { digits: 2, shift: 2 })} %`,
              className: 'l0',
            },
          ] satisfies Mark[])
        : []),
    ],
  };
}
