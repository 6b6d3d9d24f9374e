import { requireFields, requireWhole, wrongType, wrongValue } from '../errors.js';
import { drawing, LEGEND_ROW } from './drawing.js';
import type { LinePlot } from './lines.js';

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
  const { title, series, bands = [] } = plot;
  const names = [...series, ...bands].map(({ name }) => name);
  const { width = 480, height = 334 + LEGEND_ROW * names.length } = plot;
  const description = plot.description ?? `${title}: ${names.join('; ')}`;
  return drawing(plot, width, height, description);
}

/** Every part of a plot has the names it may have, and no others. */
function checkNames(plot: LinePlot): void {
  requireFields(
    'plot',
    plot,
    ['title', 'description', 'axes', 'series', 'bands', 'width', 'height'],
    'linePlot takes',
  );
  const { axes, series, bands = [] } = plot;
  if (axes !== undefined) requireFields('axes', axes, ['x', 'y']);
  for (const side of ['x', 'y'] as const)
    if (axes?.[side] !== undefined)
      requireFields(`axes.${side}`, axes[side], ['label', 'scale', 'min', 'max']);
  if (!Array.isArray(series) || !Array.isArray(bands)) return;
  series.forEach((one, i) => {
    requireFields(`series[${i}]`, one, ['name', 'points', 'style', 'marks', 'colour']);
  });
  bands.forEach((one, i) => {
    requireFields(`bands[${i}]`, one, ['name', 'points', 'colour']);
  });
}

function check({ title, axes, series, bands = [], width = 480, height = 334 }: LinePlot): void {
  if (typeof title !== 'string') throw wrongType('title', 'a string', title);
  for (const side of ['x', 'y'] as const) {
    const axis = axes?.[side];
    if (typeof axis?.label !== 'string') throw wrongType(`axes.${side}.label`, 'a string', axis?.label);
    for (const end of [axis.min, axis.max]) {
      if (end !== undefined && !(Number.isFinite(end) && (axis.scale !== 'log' || end > 0))) {
        const expected = axis.scale === 'log' ? 'a finite number > 0' : 'a finite number';
        throw wrongValue(`axes.${side}`, `bounded by ${expected}`, end);
      }
    }
  }
  requireWhole('width', width, 200, 4000);
  requireWhole('height', height, 200, 4000);
  if (!Array.isArray(series)) throw wrongType('series', 'an array of lines', series);
  const lines = [...series, ...bands];
  if (lines.length === 0 || lines.length > MAX_LINES) {
    throw wrongValue('series', `1 to ${MAX_LINES} lines and bands`, series);
  }
  for (const { name, points } of lines) {
    if (typeof name !== 'string') throw wrongType('name', 'a string', name);
    if (!Array.isArray(points) || points.length > MAX_POINTS) {
      throw wrongValue(`points of ${name}`, `an array of at most ${MAX_POINTS} points`, points);
    }
  }
  if (new Set(lines.map(({ name }) => name)).size < lines.length) {
    throw wrongValue('name', 'different for every line and band', 'the same name twice');
  }
}
