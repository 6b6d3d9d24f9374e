import { requireFields, requireWhole, wrongType, wrongValue } from '../errors.js';
import type { Axis } from './axis.js';
import { drawing, LEGEND_ROW } from './drawing.js';

/** A line. Points whose coordinates are not finite break it. */
export interface Series {
  /** What the label says. */
  readonly name: string;
  /** At most 100 000 points [x, y]. */
  readonly points: readonly (readonly [x: number, y: number])[];
  /** Default 'solid'. */
  readonly style?: 'solid' | 'dashed' | 'dotted';
  /** Draws a dot at every point. */
  readonly marks?: boolean;
  /** Which colour, 0 … 5; counted up from 0 unless given. */
  readonly colour?: number;
}

/** An area between two lines. */
export interface Band {
  /** What the label says. */
  readonly name: string;
  /** At most 100 000 points [x, lower, upper], x ascending. */
  readonly points: readonly (readonly [x: number, lower: number, upper: number])[];
  /** Number of a colour, that of the series of that number. */
  readonly colour?: number;
}

/** Lines over two axes, as plain data. */
export interface LinePlot {
  /** Accessible name of the plot; a page or paper sets it as a caption, so it is not drawn. */
  readonly title: string;
  /** What the plot shows, for readers who do not see it; default the title and the names of the lines. */
  readonly description?: string;
  /** Horizontal and vertical. */
  readonly axes: { readonly x: Axis; readonly y: Axis };
  /** Lines, drawn in this order. */
  readonly series: readonly Series[];
  /** Areas, drawn below the lines. */
  readonly bands?: readonly Band[];
  /** CSS pixels, 200 … 4000; default 480 × 334 and a row of 22 for every line. The SVG scales to the width it is given. */
  readonly width?: number;
  /** In pixels. */
  readonly height?: number;
}

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
