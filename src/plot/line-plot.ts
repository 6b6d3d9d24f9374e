import { type ChartSpec, MARGIN, type Mark, type Point, ROW } from '../chart/chart.js';
import { chartFile, darkScreen } from '../chart/file.js';
import { type ChartAxis, domainOf, ticksOf, tickText } from '../chart/scale.js';
import {
  requireBoolean,
  requireFields,
  requireList,
  requireNumber,
  requireOneOf,
  requireText,
  requireWhole,
  wrongType,
  wrongValue,
} from '../errors.js';
import type { Axis, Band, LinePlot, Series } from './lines.js';

/** Greatest number of points of a line: a drawing of more would hang the browser that shows it. */
const MAX_POINTS = 100_000;
const MAX_LINES = 50;

/**
 * Lines and bands as one SVG text: no scripts, nothing fetched, readable on light and dark screens and on paper. One plot always
 * gives one text.
 *
 * @throws TypeError | RangeError naming what is wrong with the plot.
 * @example
 * const axes = { x: { label: 'x' }, y: { label: 'y' } };
 * (await linePlot({ title: 'A line', axes, series: [{ name: 's', points: [[0, 0], [1, 1]] }] })).slice(0, 4); // '<svg'
 */
export async function linePlot(plot: LinePlot): Promise<string> {
  check(plot);
  const spec = chartOf(plot);
  const screen = darkScreen();
  const id = `plot-${hash(chartFile({ id: '', ...spec }, screen))}`;
  return `${chartFile({ id, ...spec }, screen)}\n`;
}

/** FNV-1a of the text, as eight hexadecimal digits. Ids depend on the content alone, and differ for different plots of a page. */
function hash(text: string): string {
  let state = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return state.toString(16).padStart(8, '0');
}

/** Refuses unknown fields of a plot, and values that they cannot have. */
function check(plot: LinePlot): void {
  const names = ['title', 'description', 'axes', 'series', 'bands', 'width', 'height'];
  requireFields('plot', plot, names, 'linePlot takes');
  const { title, description, axes, series, bands = [], width = 480, height = 334 } = plot;
  requireText('title', title);
  if (description !== undefined) requireText('description', description);
  requireFields('axes', axes ?? {}, ['x', 'y']);
  for (const side of ['x', 'y'] as const) checkAxis(`axes.${side}`, axes?.[side] ?? {});
  requireWhole('width', width, 200, 4000);
  requireWhole('height', height, 200, 4000);
  requireList('series', series, 'lines');
  requireList('bands', bands, 'areas');
  const lines = [...series, ...bands];
  requireList('series', lines, 'lines and bands', 1, MAX_LINES);
  for (const [i, line] of series.entries()) {
    requireFields(`series[${i}]`, line, ['name', 'points', 'style', 'marks', 'colour']);
    const { style = 'solid', marks = false } = line;
    requireOneOf(`series[${i}].style`, style, ['solid', 'dashed', 'dotted']);
    requireBoolean(`series[${i}].marks`, marks);
    checkLine(`series[${i}]`, line, 2);
  }
  for (const [i, line] of bands.entries()) {
    requireFields(`bands[${i}]`, line, ['name', 'points', 'colour']);
    checkLine(`bands[${i}]`, line, 3);
  }
  if (new Set(lines.map(({ name }) => name)).size < lines.length)
    throw wrongValue('name', 'different for every line and band', 'the same name twice');
}

function checkAxis(place: string, axis: Partial<Axis>): void {
  requireFields(place, axis, ['label', 'scale', 'min', 'max']);
  const { label, scale = 'linear', min, max } = axis;
  requireText(`${place}.label`, label);
  requireOneOf(`${place}.scale`, scale, ['linear', 'log']);
  const expected = scale === 'log' ? 'a finite number > 0' : 'a finite number';
  if (min !== undefined) requireNumber(`${place}.min`, min, expected);
  if (max !== undefined) requireNumber(`${place}.max`, max, expected);
  if (min !== undefined && max !== undefined && min > max)
    throw wrongValue(`${place}.max`, `at least min (${min})`, max);
}

/** Refuses a line or band whose name, colour or points are wrong; each point has `size` numbers. */
function checkLine(place: string, { name, points, colour = 0 }: Series | Band, size: 2 | 3): void {
  requireText(`${place}.name`, name);
  requireNumber(`${place}.colour`, colour, 'a whole number >= 0');
  const given = requireList(`${place}.points`, points, 'points', 0, MAX_POINTS);
  const expected = size === 2 ? 'two numbers [x, y]' : 'three numbers [x, lower, upper]';
  for (const [i, point] of given.entries())
    if (!Array.isArray(point) || point.length !== size || !point.every((one) => typeof one === 'number'))
      throw wrongType(`${place}.points[${i}]`, expected, point);
}

/** In pixels: the width for one tick of the horizontal axis, the height for one of the vertical axis, and the width of a character. */
const [NUMBER, TICK, CHARACTER] = [60, 40, 6.5];
const COLOURS = 6;

/** The chart of a plot, without its id. */
function chartOf(plot: LinePlot): Omit<ChartSpec, 'id'> {
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

/** Width in pixels of the longest number of an axis. */
function longest(axis: ChartAxis): number {
  const texts = ticksOf(axis).map((value) => tickText(axis, value).replace(/^1e/, '').replace('e', ' × 10'));
  return CHARACTER * Math.max(...texts.map(({ length }) => length), 0);
}

function hasPlace([x, y]: Point, axes: LinePlot['axes']): boolean {
  const within = (value: number, { scale }: Axis) => Number.isFinite(value) && (scale !== 'log' || value > 0);
  return within(x, axes.x) && within(y, axes.y);
}
