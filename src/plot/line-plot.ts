import { chartFile } from '../chart/file.js';
import { darkScreen } from '../chart/screen.js';
import { requireFields, requireText, requireWhole, wrongType, wrongValue } from '../errors.js';
import { chartOf } from './chart-of.js';
import type { Axis, LinePlot } from './lines.js';

/** More are refused: a drawing of them would hang the browser that shows it. */
const MAX_POINTS = 100_000;
const MAX_LINES = 50;

/**
 * Lines and bands as one SVG text: no scripts, nothing fetched, readable on light and dark screens and on
 * paper. The same plot gives the same text.
 *
 * @throws TypeError | RangeError naming what is wrong with the plot.
 * @example
 * const axes = { x: { label: 'x' }, y: { label: 'y' } };
 * (await linePlot({ title: 'A line', axes, series: [{ name: 's', points: [[0, 0], [1, 1]] }] })).slice(0, 4); // '<svg'
 */
export async function linePlot(plot: LinePlot): Promise<string> {
  checkNames(plot);
  check(plot);
  const spec = chartOf(plot);
  const screen = darkScreen();
  const id = `plot-${hash(chartFile({ id: '', ...spec }, screen))}`;
  return `${chartFile({ id, ...spec }, screen)}\n`;
}

/** FNV-1a of the text, as eight hexadecimal digits: ids hang on the content alone, and two plots of one page have other ids. */
function hash(text: string): string {
  let state = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return state.toString(16).padStart(8, '0');
}

/** Every part of a plot has the names it may have, and no others. */
function checkNames(plot: LinePlot): void {
  const names = ['title', 'description', 'axes', 'series', 'bands', 'width', 'height'];
  requireFields('plot', plot, names, 'linePlot takes');
  const { axes, series, bands = [] } = plot;
  if (axes !== undefined) requireFields('axes', axes, ['x', 'y']);
  for (const side of ['x', 'y'] as const)
    if (axes?.[side] !== undefined)
      requireFields(`axes.${side}`, axes[side], ['label', 'scale', 'min', 'max']);
  if (!Array.isArray(series) || !Array.isArray(bands)) return;
  for (const [i, one] of series.entries())
    requireFields(`series[${i}]`, one, ['name', 'points', 'style', 'marks', 'colour']);
  for (const [i, one] of bands.entries()) requireFields(`bands[${i}]`, one, ['name', 'points', 'colour']);
}

function check({ title, axes, series, bands = [], width = 480, height = 334 }: LinePlot): void {
  requireText('title', title);
  for (const side of ['x', 'y'] as const) {
    const { label, scale, min = 1, max = 1 }: Partial<Axis> = axes?.[side] ?? {};
    requireText(`axes.${side}.label`, label);
    const [expected, bound] = scale === 'log' ? ['a finite number > 0', 0] : ['a finite number', -Infinity];
    for (const end of [min, max])
      if (!(Number.isFinite(end) && end > bound))
        throw wrongValue(`axes.${side}`, `bounded by ${expected}`, end);
  }
  requireWhole('width', width, 200, 4000);
  requireWhole('height', height, 200, 4000);
  if (!Array.isArray(series)) throw wrongType('series', 'an array of lines', series);
  const lines = [...series, ...bands];
  if (lines.length === 0 || lines.length > MAX_LINES)
    throw wrongValue('series', `1 to ${MAX_LINES} lines and bands`, series);
  for (const { name, points } of lines) {
    requireText('name', name);
    if (!Array.isArray(points) || points.length > MAX_POINTS)
      throw wrongValue(`points of ${name}`, `an array of at most ${MAX_POINTS} points`, points);
  }
  if (new Set(lines.map(({ name }) => name)).size < lines.length)
    throw wrongValue('name', 'different for every line and band', 'the same name twice');
}
