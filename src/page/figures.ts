import type { ChartSpec, Mark, Point } from '../chart/chart.js';
import { axisEnd } from '../chart/scale.js';
import { normalQuantile } from '../numeric/scalar.js';
import { curvePoints, gapPoints, peakOf, profilePoints, touchingPoints } from '../report/curve-points.js';
import { muText, oneIn, percentUp, settingText, upperText } from '../text/rounded.js';
import { powerAtMost, type SupportLines } from '../tradeoff/support-lines.js';
import type { Answer } from './messages.js';

/** The two drawings of the page, from what is known of the shown setting and of the kept ones. */

export interface Shown {
  readonly answer: Answer;
  readonly kept: readonly { readonly name: string; readonly answer: Answer }[];
  readonly width: number;
}

const LEAST = 1e-6;
const DEEPEST = 1e-12;
/** Under these rates of a linear drawing kept curves are named. */
const NAMED_AT = [0.33, 0.46, 0.59];

/** Upper bound of the true positive rate: an exact test's where one was made, of the lines elsewhere. */
export function foundAt({ found, lines }: Answer, alpha: number): number {
  const bound = powerAtMost(lines, alpha);
  const exact = found?.find(({ rate }) => rate === alpha)?.power.upper;
  return exact === undefined ? bound : Math.min(bound, exact);
}

export function advantageOf(answer: Answer): number {
  return answer.advantage?.upper ?? answer.lines.delta[answer.lines.epsilon.findIndex((e) => e >= 0)];
}

function heightOf(width: number): number {
  return Math.round(Math.min(340, Math.max(270, width * 0.78)));
}

export function tradeoffChart(
  { answer, kept, width }: Shown,
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
    { type: 'area', from: points.map(([a]) => [a, Math.max(a, low)]), to: points },
    {
      type: 'line',
      points: [
        [low, low],
        [1, 1],
      ],
      className: 'guess',
    },
    { type: 'text', at: log ? [1e-4, 1e-4] : [0.8, 0.8], dx: 6, dy: 16, text: 'guessing' },
    ...(log || kept.length > 0 ? [] : advantageMarks(answer, points)),
    ...kept.flatMap((each, i) => keptMarks(each, i, scale)),
    { type: 'line', points },
    { type: 'rule', from: [alpha, low], to: [alpha, found] },
    { type: 'rule', from: [low, found], to: [alpha, found] },
    ...readingMarks(alpha, found, log),
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

/** The point that is dragged to read the curve, and what it reads. */
function readingMarks(alpha: number, found: number, log: boolean): Mark[] {
  const right = log ? alpha > 10 ** -4.6 : alpha > 0.6;
  return [
    {
      type: 'text',
      at: [alpha, found],
      dx: right ? -13 : 14,
      // above an axis that would strike it through
      dy: right ? -12 : found > 0.85 ? 24 : log ? 20 : found < 0.05 ? -8 : 5,
      anchor: right ? 'end' : 'start',
      text: percentUp(found) === '100' ? 'all' : `${percentUp(found)} %`,
      className: 'l0',
    },
    {
      type: 'handle',
      id: 'alpha',
      at: [alpha, found],
      label: 'False alarms allowed, power of ten',
      now: Number(Math.log10(alpha).toFixed(2)),
      min: -6,
      max: 0,
      valueText: `${oneIn(alpha)} false alarms: finds at most ${percentUp(found)} %`,
    },
  ];
}

function advantageMarks(answer: Answer, points: readonly Point[]): Mark[] {
  const [alpha, power] = points.reduce((a, b) => (b[1] - b[0] > a[1] - a[0] ? b : a));
  if (power - alpha < 0.14) return [];
  return [
    { type: 'rule', className: 'quiet', from: [alpha, alpha], to: [alpha, power] },
    {
      type: 'text',
      at: [alpha, alpha + (power - alpha) * 0.62],
      dx: 7,
      text: `advantage ${upperText(advantageOf(answer))}`,
      className: 'dark',
    },
  ];
}

function keptMarks(
  { name, answer }: { readonly name: string; readonly answer: Answer },
  i: number,
  scale: 'linear' | 'log',
): Mark[] {
  const points = curvePoints(answer.lines, scale);
  const alpha = scale === 'log' ? LEAST : NAMED_AT[i];
  const at = points.reduce((a, b) => (Math.abs(b[0] - alpha) < Math.abs(a[0] - alpha) ? b : a));
  return [
    { type: 'line', points, className: `c${i + 1}` },
    { type: 'text', at, dx: 8, dy: 16, text: name, className: `l${i + 1}` },
  ];
}

interface Aimed {
  readonly target: number;
  readonly aim: 'epsilon' | 'mu' | 'advantage' | 'found';
}

export function profileChart(shown: Shown, view: 'delta' | 'alpha' | 'mu' | 'fit', aimed?: Aimed): ChartSpec {
  const { width } = shown;
  const base = { width, height: heightOf(width), id: 'profile' };
  switch (view) {
    case 'delta':
      return { ...base, ...deltaChart(shown, aimed) };
    case 'alpha':
      return { ...base, ...muByAlpha(shown, aimed) };
    case 'mu':
      return { ...base, ...muByEpsilon(shown) };
    case 'fit':
      return { ...base, ...fitChart(shown) };
  }
}

type Body = Omit<ChartSpec, 'id' | 'width' | 'height'>;

function deltaChart({ answer, kept }: Shown, aimed: Aimed | undefined): Body {
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
      return [
        { type: 'line', points, className: `c${i + 1}` },
        ...(named === undefined
          ? []
          : [{ type: 'text', at: named, dx: 8, text: each.name, className: `l${i + 1}` } as const]),
      ];
    }),
    { type: 'line', points: profilePoints(answer.lines, end, DEEPEST) },
    { type: 'rule', from: [finite, DEEPEST], to: at },
    { type: 'rule', from: [0, setting.delta], to: at },
    {
      type: 'text',
      at,
      dx: 13,
      dy: finite > 0.7 * end ? -14 : -6,
      anchor: finite > 0.85 * end ? 'end' : 'start',
      text: `ε ${upperText(epsilon.upper)}`,
      className: 'l0',
    },
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

function aimMarks(at: Point, foot: Point, label: string, end: number): Mark[] {
  const target = at[0] === foot[0] ? at[0] : at[1];
  return [
    { type: 'rule', className: 'aim', from: at, to: foot },
    {
      type: 'text',
      at: foot,
      dx: at[0] === foot[0] ? -6 : 6,
      dy: -8,
      anchor: at[0] === foot[0] ? 'end' : 'start',
      text: `target ${settingText(target)}`,
      className: 'aim',
    },
    {
      type: 'handle',
      shape: 'diamond',
      className: 'target',
      id: 'target',
      at,
      label,
      now: Number(target.toPrecision(6)),
      min: 0,
      max: Math.max(end, target),
      valueText: `${label.toLowerCase()} ${settingText(target)}`,
    },
  ];
}

/** μ at which a Gaussian is as bad as the bound at one error rate: Φ⁻¹(1 − f) − Φ⁻¹(α). */
function muAt(lines: SupportLines, alpha: number): number {
  return normalQuantile(powerAtMost(lines, alpha)) - normalQuantile(alpha);
}

function muPoints({ lines, setting }: Answer): Point[] {
  // below the deepest δ that is known lines say less than the curve
  const deepest = Math.max(lines.delta[lines.delta.length - 1] * 20, 1e-10);
  const floor = Math.min(1e-3, Math.max(deepest, setting.delta < 1e-8 ? setting.delta : 0));
  return touchingPoints(lines, 'log', floor)
    .filter(([alpha]) => alpha <= 0.5)
    .map(([alpha]): Point => [alpha, muAt(lines, alpha)])
    .filter(([, mu]) => Number.isFinite(mu));
}

/** The run's values around one level: an axis of at least ±10 %. */
function levelAxis(values: readonly number[]): readonly [number, number] {
  const finite = values.filter(Number.isFinite);
  const [low, high] = [Math.min(...finite), Math.max(...finite)];
  const pad = Math.max(0.1 * Math.abs(high), (high - low) * 0.3, 1e-6);
  return [Math.max(0, low - pad), high + pad];
}

function publishedMu({ measured }: Answer, from: number, to: number): Mark[] {
  const mu = measured?.mu.upper;
  if (mu === undefined || !Number.isFinite(mu)) return [];
  return [
    { type: 'rule', from: [from, mu], to: [to, mu] },
    {
      type: 'text',
      at: [from, mu],
      dx: 6,
      dy: -8,
      text: `μ to publish ${muText(mu)}`,
      className: 'l0',
    },
  ];
}

function muByAlpha({ answer, kept }: Shown, aimed: Aimed | undefined): Body {
  const points = muPoints(answer);
  const others = kept.map((each) => muPoints(each.answer));
  const aim = aimed?.aim === 'mu' ? aimed.target : undefined;
  const from = 1e-10;
  const values = [...points, ...others.flat()].map(([, mu]) => mu);
  const level = levelAxis([...values, answer.measured?.mu.upper ?? Number.NaN, aim ?? Number.NaN]);
  return {
    title: 'Gaussian parameter by error rate',
    description: 'The Gaussian that is as bad as the run at each false positive rate; flat for a Gaussian.',
    x: { type: 'log', domain: [from, 0.5], label: 'false positive rate α', ticks: 6 },
    y: { type: 'linear', domain: level, label: 'μ(α)' },
    marks: [
      ...others.map((line, i): Mark => ({ type: 'line', points: line, className: `c${i + 1}` })),
      ...publishedMu(answer, from, 0.5),
      { type: 'line', points },
      ...(aim === undefined ? [] : aimMarks([0.02, aim], [from, aim], 'Target mu', level[1])),
    ],
  };
}

function muByEpsilon({ answer, kept }: Shown): Body {
  const of = ({ lines, near }: Answer): Point[] => {
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
    marks: [
      ...others.map((line, i): Mark => ({ type: 'line', points: line, className: `c${i + 1}` })),
      ...publishedMu(answer, 0, end),
      { type: 'line', points },
    ],
  };
}

/** How much more private than the Gaussian of μ the run is: f minus that curve, in percentage points of false negatives. */
function fitChart({ answer }: Shown): Body {
  const mu = answer.measured?.mu.upper ?? Number.NaN;
  const points = gapPoints(answer.lines, mu);
  const peak = peakOf(points);
  const end = axisEnd(Math.max(peak[1] * 1.25, 1e-4));
  return {
    title: 'What the Gaussian hides',
    description: 'The true positive rate of the Gaussian of mu, minus that of the run.',
    x: {
      type: 'linear',
      domain: [0, 1],
      label: 'false positive rate α',
      format: (v) => `${Math.round(v * 100)}%`,
    },
    y: {
      type: 'linear',
      domain: [0, end],
      label: 'found more under the Gaussian of μ',
      format: (v) => `${Number((v * 100).toPrecision(3))}%`,
      ticks: 4,
    },
    marks: [
      { type: 'area', from: points.map(([a]) => [a, 0]), to: points },
      { type: 'line', points },
      ...(peak[1] > 0
        ? [
            { type: 'dot', at: peak } as const,
            {
              type: 'text',
              at: peak,
              dx: peak[0] > 0.6 ? -8 : 8,
              dy: -8,
              anchor: peak[0] > 0.6 ? 'end' : 'start',
              text: `${upperText(peak[1] * 100, 2)} points`,
              className: 'l0',
            } as const,
          ]
        : []),
    ],
  };
}
