import type { ChartSpec, Mark, Point } from '../chart/chart.js';
import { advantage, area, guessing, label, line, rule } from '../chart/marks.js';
import { axisEnd } from '../chart/scale.js';
import { normalQuantile } from '../numeric/scalar.js';
import { curvePoints, gapPoints, profilePoints, touchingPoints } from '../report/curve-points.js';
import { gapChart } from '../report/figures.js';
import { USUAL_ALPHA_MIN } from '../run/window.js';
import { muText, oneIn, percentUp, settingText, upperText } from '../text/rounded.js';
import { powerAtMost } from '../tradeoff/support-lines.js';
import type { PageAnswer } from './messages.js';
import type { State } from './state.js';

/** The page's charts of the shown setting and of the settings kept for comparison. */

export interface ShownAnswers {
  readonly answer: PageAnswer;
  readonly kept: readonly { readonly name: string; readonly answer: PageAnswer }[];
  readonly width: number;
}

/** The least false positive rate of charts with logarithmic axes. */
const LEAST = 1e-6;
/** The least δ of the chart of the privacy profile. */
const DEEPEST = 1e-12;
/** On linear axes, the labels of kept curves are placed at these false positive rates. */
const NAMED_AT = [0.33, 0.46, 0.59];

/** An upper bound of the true positive rate at α: the run's own if it was computed, and that of the supporting lines. */
export function foundAt({ found, lines }: PageAnswer, alpha: number): number {
  const bound = powerAtMost(lines, alpha);
  const exact = found?.find(({ rate }) => rate === alpha)?.power.upper;
  return exact === undefined ? bound : Math.min(bound, exact);
}

export function advantageOf(answer: PageAnswer): number {
  return answer.advantage?.upper ?? answer.lines.delta[answer.lines.epsilon.findIndex((e) => e >= 0)];
}

function heightOf(width: number): number {
  return Math.round(Math.min(340, Math.max(270, width * 0.78)));
}

export function tradeoffChart(
  { answer, kept, width }: ShownAnswers,
  scale: 'linear' | 'log',
  alpha: number,
): ChartSpec {
  const log = scale === 'log';
  const points = curvePoints(answer.lines, scale);
  const low = log ? LEAST : 0;
  const found = foundAt(answer, alpha);
  const axis = log
    ? ({ type: 'log', domain: [LEAST, 1], ticks: 6 } as const)
    : ({ type: 'linear', domain: [0, 1], format: (v: number) => `${Math.round(v * 100)}%` } as const);
  const marks: Mark[] = [
    area(points, ([a]) => [a, a]),
    ...guessing(low, log ? 1e-4 : 0.8, 6),
    ...(log || kept.length > 0 ? [] : advantage(points, `advantage ${upperText(advantageOf(answer))}`)),
    ...kept.flatMap((each, i) => keptMarks(each, i, scale)),
    line(points),
    rule([alpha, low], [alpha, found]),
    rule([low, found], [alpha, found]),
    ...readingMarks([alpha, found], log),
  ];
  return {
    id: 'tradeoff',
    title: 'Trade-off curve',
    description: `The most any attack finds against its false positive rate. At ${oneIn(alpha)} false alarms: ${percentUp(found)} %.`,
    width,
    height: heightOf(width),
    margin: { left: log ? 40 : 46 },
    x: { ...axis, label: 'false positive rate α' },
    y: { ...axis, ...(log ? {} : { ticks: [0, 0.25, 0.5, 0.75, 1] }), label: 'records found, 1 − f(α)' },
    marks,
  };
}

/** The marker that is dragged along the curve, and the value at it. */
function readingMarks(at: Point, log: boolean): Mark[] {
  const [alpha, found] = at;
  const right = log ? alpha > 10 ** -4.6 : alpha > 0.6;
  // the label is placed above the point if an axis would cross it
  const dy = right ? -12 : found > 0.85 ? 24 : log ? 20 : found < 0.05 ? -8 : 5;
  const text = percentUp(found) === '100' ? 'all' : `${percentUp(found)} %`;
  return [
    label(at, [right ? -13 : 14, dy], text, 'c0', right),
    {
      type: 'handle',
      id: 'alpha',
      at,
      label: 'False alarms allowed, power of ten',
      now: Number(Math.log10(alpha).toFixed(2)),
      min: -6,
      max: 0,
      valueText: `${oneIn(alpha)} false alarms: finds at most ${percentUp(found)} %`,
    },
  ];
}

function keptMarks(
  { name, answer }: ShownAnswers['kept'][number],
  i: number,
  scale: 'linear' | 'log',
): Mark[] {
  const points = curvePoints(answer.lines, scale);
  const alpha = scale === 'log' ? LEAST : NAMED_AT[i];
  const at = points.reduce((a, b) => (Math.abs(b[0] - alpha) < Math.abs(a[0] - alpha) ? b : a));
  return [line(points, `c${i + 1}`), label(at, [8, 16], name, `c${i + 1}`)];
}

type Aimed = Pick<State, 'aim'> & { readonly target: number };

export function profileChart(shown: ShownAnswers, view: State['view'], aimed?: Aimed): ChartSpec {
  const { width } = shown;
  return { width, height: heightOf(width), id: 'profile', ...BODIES[view](shown, aimed) };
}

type Body = Omit<ChartSpec, 'id' | 'width' | 'height'>;

const BODIES: Readonly<Record<State['view'], (shown: ShownAnswers, aimed?: Aimed) => Body>> = {
  delta: deltaChart,
  alpha: muByAlpha,
  mu: muByEpsilon,
  fit: fitChart,
};

function deltaChart({ answer, kept }: ShownAnswers, aimed?: Aimed): Body {
  const { epsilon, setting } = answer;
  const aim = aimed?.aim === 'epsilon' ? aimed.target : undefined;
  const finite = Number.isFinite(epsilon.upper) ? epsilon.upper : (answer.lines.epsilon.at(-1) ?? 1);
  const reaches = [finite * 1.45, (aim ?? 0) * 1.15, ...kept.map((each) => each.answer.epsilon.upper * 1.15)];
  const end = axisEnd(Math.max(...reaches.filter(Number.isFinite)));
  const at: Point = [finite, setting.delta];
  const marks: Mark[] = [
    ...kept.flatMap((each, i): Mark[] => {
      const points = profilePoints(each.answer.lines, end, DEEPEST);
      const named = points.filter(([, delta]) => delta > 10 ** (-2.6 - 1.6 * i)).at(-1);
      const name = named === undefined ? [] : [label(named, [8, 0], each.name, `c${i + 1}`)];
      return [line(points, `c${i + 1}`), ...name];
    }),
    line(profilePoints(answer.lines, end, DEEPEST)),
    rule([finite, DEEPEST], at),
    rule([0, setting.delta], at),
    label(
      at,
      [13, finite > 0.7 * end ? -14 : -6],
      `ε ${upperText(epsilon.upper)}`,
      'c0',
      finite > 0.85 * end,
    ),
    {
      type: 'handle',
      id: 'delta',
      at,
      label: 'Delta, power of ten',
      now: Number(Math.log10(setting.delta).toFixed(2)),
      min: -12,
      max: -2,
      valueText: `delta ${settingText(setting.delta)}: epsilon at most ${upperText(epsilon.upper)}`,
    },
    ...(aim === undefined ? [] : aimMarks([aim, setting.delta], [aim, DEEPEST], 'Target epsilon', end)),
  ];
  return {
    title: 'Privacy profile',
    description: `Delta for every epsilon. At delta ${settingText(setting.delta)} epsilon is at most ${upperText(epsilon.upper)}.`,
    x: { type: 'linear', domain: [0, end], label: 'ε' },
    y: { type: 'log', domain: [DEEPEST, 1], label: 'δ', ticks: 6 },
    marks,
  };
}

function aimMarks(at: Point, foot: Point, name: string, end: number): Mark[] {
  const upright = at[0] === foot[0];
  const target = upright ? at[0] : at[1];
  return [
    rule(at, foot, 'aim'),
    label(foot, [upright ? -6 : 6, -8], `target ${settingText(target)}`, 'aim', upright),
    {
      type: 'handle',
      shape: 'diamond',
      className: 'target',
      id: 'target',
      at,
      label: name,
      now: Number(target.toPrecision(6)),
      min: 0,
      max: Math.max(end, target),
      valueText: `${name.toLowerCase()} ${settingText(target)}`,
    },
  ];
}

/** Points of μ(α) = Φ⁻¹(1 − f(α)) − Φ⁻¹(α), the μ of the Gaussian whose curve has the bound's value at α. */
function muPoints({ lines, setting }: PageAnswer): Point[] {
  // at error rates below 20 times the least δ of the supporting lines, the bound is visibly above the exact curve
  const deepest = Math.max(lines.delta[lines.delta.length - 1] * 20, USUAL_ALPHA_MIN);
  const floor = Math.min(1e-3, Math.max(deepest, setting.delta < 1e-8 ? setting.delta : 0));
  return touchingPoints(lines, 'log', floor)
    .filter(([alpha]) => alpha <= 0.5)
    .map(([alpha]): Point => [alpha, normalQuantile(powerAtMost(lines, alpha)) - normalQuantile(alpha)])
    .filter(([, mu]) => Number.isFinite(mu));
}

/** The range of a vertical axis: all values, with a margin of at least 10 % of the largest. */
function levelAxis(values: readonly number[]): readonly [number, number] {
  const finite = values.filter(Number.isFinite);
  const [low, high] = [Math.min(...finite), Math.max(...finite)];
  const pad = Math.max(0.1 * Math.abs(high), (high - low) * 0.3, 1e-6);
  return [Math.max(0, low - pad), high + pad];
}

function publishedMu({ measured }: PageAnswer, from: number, to: number): Mark[] {
  const mu = measured?.mu.upper;
  if (mu === undefined || !Number.isFinite(mu)) return [];
  return [rule([from, mu], [to, mu]), label([from, mu], [6, -8], `μ to publish ${muText(mu)}`, 'c0')];
}

/** The lines of the kept settings, the marks of published values, and the line of the run. */
function levels(points: readonly Point[], others: readonly Point[][], published: readonly Mark[]): Mark[] {
  return [...others.map((each, i) => line(each, `c${i + 1}`)), ...published, line(points)];
}

function muByAlpha({ answer, kept }: ShownAnswers, aimed?: Aimed): Body {
  const points = muPoints(answer);
  const others = kept.map((each) => muPoints(each.answer));
  const aim = aimed?.aim === 'mu' ? aimed.target : undefined;
  const from = USUAL_ALPHA_MIN;
  const values = [...points, ...others.flat()].map(([, mu]) => mu);
  const level = levelAxis([...values, answer.measured?.mu.upper ?? Number.NaN, aim ?? Number.NaN]);
  return {
    title: 'Gaussian parameter by error rate',
    description: 'The Gaussian that is as bad as the run at each false positive rate; flat for a Gaussian.',
    x: { type: 'log', domain: [from, 0.5], label: 'false positive rate α', ticks: 6 },
    y: { type: 'linear', domain: level, label: 'μ(α)' },
    marks: [
      ...levels(points, others, publishedMu(answer, from, 0.5)),
      ...(aim === undefined ? [] : aimMarks([0.02, aim], [from, aim], 'Target mu', level[1])),
    ],
  };
}

function muByEpsilon({ answer, kept }: ShownAnswers): Body {
  const of = ({ lines, near }: PageAnswer): Point[] => {
    const first = lines.epsilon.findIndex((epsilon) => epsilon >= 0);
    return near
      .map((mu, i): Point => [lines.epsilon[first + i], mu])
      .filter(([, mu], i) => Number.isFinite(mu) && mu > 0 && lines.delta[first + i] >= DEEPEST);
  };
  const points = of(answer);
  const others = kept.map((each) => of(each.answer));
  const all = [...points, ...others.flat()];
  const end = axisEnd(Math.max(1e-3, ...all.map(([epsilon]) => epsilon)));
  return {
    title: 'Gaussian-DP transform',
    description: 'The Gaussian that has the same delta at each epsilon; flat for a Gaussian.',
    x: { type: 'linear', domain: [0, end], label: 'ε' },
    y: {
      type: 'linear',
      domain: levelAxis([...all.map(([, mu]) => mu), answer.measured?.mu.upper ?? Number.NaN]),
      label: 'μ(ε)',
    },
    marks: levels(points, others, publishedMu(answer, 0, end)),
  };
}

/** The chart of the true positive rate under the Gaussian of μ minus that under the run, in percentage points. */
function fitChart({ answer }: ShownAnswers): Body {
  const points = gapPoints(answer.lines, answer.measured?.mu.upper ?? Number.NaN);
  return {
    title: 'What the Gaussian hides',
    description: 'The true positive rate of the Gaussian of mu, minus that of the run.',
    ...gapChart(
      points,
      'false positive rate α',
      'found more under the Gaussian of μ',
      (gap) => `${upperText(gap * 100, 2)} points`,
    ),
  };
}
