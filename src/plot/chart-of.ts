import { type ChartSpec, MARGIN, type Mark, type Point, ROW } from '../chart/chart.js';
import { type Axis as ChartAxis, domainOf, ticksOf, tickText } from '../chart/scale.js';
import type { Axis, LinePlot } from './lines.js';

/** Pixels of a number below an axis, of a tick beside one, and of a character. */
const [NUMBER, TICK, CHARACTER] = [60, 40, 6.5];
const COLOURS = 6;

/** The chart of a plot, without the name that sets its ids apart. */
export function chartOf(plot: LinePlot): Omit<ChartSpec, 'id'> {
  const { title, axes, series, bands = [] } = plot;
  const lines = [...series, ...bands];
  const { width = 480, height = 334 + ROW * lines.length } = plot;
  const bottom = MARGIN.bottom + 6 + ROW * lines.length;
  const ys = lines.flatMap(({ points }) => points.flatMap(([, ...rest]) => rest));
  const y = axisOf(axes.y, ys, (height - MARGIN.top - bottom) / TICK);
  const left = Math.max(MARGIN.left, 12 + longest(y));
  const xs = lines.flatMap(({ points }) => points.map(([x]) => x));
  const x = axisOf(axes.x, xs, (width - left) / NUMBER);
  const classes = lines.map(({ colour }, i) => `c${(colour ?? i) % COLOURS}`);
  const dashed = series.map(({ style = 'solid' }, i) => `${classes[i]} ${style}`);
  const ofBands = classes.slice(series.length);
  const areas = bands.map(({ points }, i): Mark => {
    const known = points.filter((point) => Number.isFinite(point[0]) && !point.some(Number.isNaN));
    const edge = (end: 1 | 2) => known.map((point): Point => [point[0], point[end]]);
    return { type: 'area', from: edge(1), to: edge(2), className: ofBands[i] };
  });
  const drawn = series.flatMap(({ points, marks }, i): Mark[] => {
    const shown = points.map((point): Point => (hasPlace(point, axes) ? point : [Number.NaN, Number.NaN]));
    const dots = marks ? shown.filter((point) => Number.isFinite(point[0])) : [];
    return [
      { type: 'line', points: shown, className: dashed[i] },
      ...dots.map((at): Mark => ({ type: 'dot', at, className: classes[i] })),
    ];
  });
  return {
    title,
    description: plot.description ?? `${title}: ${lines.map(({ name }) => name).join('; ')}`,
    width,
    height,
    margin: { left, bottom, right: Math.max(MARGIN.right, longest(x) / 2) },
    x,
    y,
    marks: [...areas, ...drawn],
    cuts: true,
    keys: [
      ...series.map(
        ({ name, marks }, i) => ({ name, type: marks ? 'dots' : 'line', className: dashed[i] }) as const,
      ),
      ...bands.map(({ name }, i) => ({ name, type: 'area', className: ofBands[i] }) as const),
    ],
  };
}

function axisOf(axis: Axis, values: readonly number[], ticks: number): ChartAxis {
  const { label, scale: type = 'linear' } = axis;
  return { type, label, domain: domainOf(type, axis, values), ticks: Math.max(1, Math.floor(ticks)) };
}

/** Pixels of the longest number of an axis. */
function longest(axis: ChartAxis): number {
  const texts = ticksOf(axis).map((value) => tickText(axis, value).replace(/^1e/, '').replace('e', ' × 10'));
  return CHARACTER * Math.max(...texts.map(({ length }) => length), 0);
}

function hasPlace([x, y]: Point, axes: LinePlot['axes']): boolean {
  const within = (value: number, { scale }: Axis) => Number.isFinite(value) && (scale !== 'log' || value > 0);
  return within(x, axes.x) && within(y, axes.y);
}
