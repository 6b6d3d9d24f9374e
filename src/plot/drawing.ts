import { type Element, element, elementText } from '../chart/element.js';
import { short } from '../chart/scale.js';
import { withoutControls } from '../text/escape.js';
import { type Placed, placeAxis } from './axis.js';
import type { Band, LinePlot, Series } from './lines.js';
import { darkRules, FONT, GRID, INK, PALETTE } from './theme.js';

/** Pixels of a row of the legend. */
export const LEGEND_ROW = 22;
/** Pixels around the axes; below them stand the numbers, the name and the legend. */
const MARGIN = { left: 72, right: 18, top: 14, bottom: 66 };
const TICK = 5;
/** Numbers whose centres are nearer to each other than this are left out. */
const CLOSEST_NUMBERS = 40;
const DASHES = { solid: undefined, dashed: '8 5', dotted: '2 4' } as const;

/** Where the axes lie, in pixels, and from positions on the axes to pixels. */
interface Frame {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly base: number;
  readonly x: Placed;
  readonly y: Placed;
}

/** The plot as SVG text: ids depend on the content alone, colours are written as light values and swapped on dark screens. */
export function drawing(plot: LinePlot, width: number, height: number, description: string): string {
  const body = (id: string): string => elementText(tree(plot, width, height, description, id));
  return `${withoutControls(body(`plot-${hash(body(''))}-`))}\n`;
}

function tree(plot: LinePlot, width: number, height: number, description: string, id: string): Element {
  const { title, axes, series, bands = [] } = plot;
  const lines = [...series, ...bands];
  const xs = lines.flatMap(({ points }) => points.map(([x]) => x));
  const ys = lines.flatMap(({ points }) => points.flatMap(([, ...rest]) => rest));
  const frame: Frame = {
    left: MARGIN.left,
    right: width - MARGIN.right,
    top: MARGIN.top,
    base: height - MARGIN.bottom - LEGEND_ROW * lines.length,
    x: placeAxis(axes.x, xs),
    y: placeAxis(axes.y, ys),
  };
  const { left, right, top, base } = frame;
  const box = { x: left, y: top, width: right - left, height: base - top };
  const colours = lines.map(({ colour }, i) => PALETTE[(colour ?? i) % PALETTE.length].light);
  return element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      class: 'gdp-plot',
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: 'img',
      'aria-labelledby': `${id}title ${id}desc`,
      'font-size': 14,
      'font-family': FONT,
    },
    element('title', { id: `${id}title` }, title),
    element('desc', { id: `${id}desc` }, description),
    element('style', {}, darkRules()),
    element('clipPath', { id: `${id}clip` }, element('rect', box)),
    ...across(frame, axes.x.label),
    ...upward(frame, axes.y.label),
    element(
      'g',
      { 'clip-path': `url(#${id}clip)` },
      ...bands.map((band, i) => area(band, colours[series.length + i], frame)),
      ...series.flatMap((line, i) => curve(line, colours[i], frame)),
    ),
    ...legend(plot, colours, height),
  );
}

const atX = ({ left, right, x }: Frame, position: number): number =>
  short(left + ((position - x.low) / (x.high - x.low)) * (right - left));
const atY = ({ top, base, y }: Frame, position: number): number =>
  short(base - ((position - y.low) / (y.high - y.low)) * (base - top));

/** Positions of the ticks of an axis. */
function ticksOf({ low, high, step }: Placed): number[] {
  return Array.from({ length: Math.floor((high - low) / step + 1e-9) + 1 }, (_, i) => low + i * step);
}

function stroke(d: string, colour: string, more: Element['attributes'] = {}): Element {
  return element('path', { d, fill: 'none', stroke: colour, ...more });
}

/** A line of a series, dashed as it is. */
function drawn(d: string, colour: string, style: Series['style'] = 'solid', joined = false): Element {
  const dashes = DASHES[style];
  return stroke(d, colour, {
    'stroke-width': 2.2,
    ...(joined && { 'stroke-linejoin': 'round' }),
    ...(dashes !== undefined && { 'stroke-dasharray': dashes }),
  });
}

function dot(cx: number, cy: number, fill: string): Element {
  return element('circle', { cx, cy, r: 3, fill });
}

function words(text: string, attributes: Element['attributes']): Element {
  return element('text', { fill: INK.light, ...attributes }, text);
}

/** The horizontal axis: rules, ticks, numbers that have room, the name. */
function across(frame: Frame, label: string): Element[] {
  const { left, right, top, base, x } = frame;
  const ticks = ticksOf(x).map((position) => ({ at: atX(frame, position), text: x.tick(position) }));
  let last = -Infinity;
  const numbers = ticks.filter(({ at, text }) => {
    if (text === '' || at - last < Math.max(CLOSEST_NUMBERS, 8 * text.length)) return false;
    last = at;
    return true;
  });
  return [
    ...ticks.map(({ at }) => stroke(`M${at} ${top}V${base}`, GRID.light)),
    ...ticks.map(({ at }) => stroke(`M${at} ${base}v${TICK}`, INK.light)),
    stroke(`M${left} ${base}H${right}`, INK.light),
    ...numbers.map(({ at, text }) => words(text, { x: at, y: base + 21, 'text-anchor': 'middle' })),
    words(label, { x: (left + right) / 2, y: base + 45, 'text-anchor': 'middle' }),
  ];
}

/** The vertical axis in the same way; its name is turned. */
function upward(frame: Frame, label: string): Element[] {
  const { left, right, top, base, y } = frame;
  const ticks = ticksOf(y).map((position) => ({ at: atY(frame, position), text: y.tick(position) }));
  return [
    ...ticks.map(({ at }) => stroke(`M${left} ${at}H${right}`, GRID.light)),
    ...ticks.map(({ at }) => stroke(`M${left} ${at}h${-TICK}`, INK.light)),
    stroke(`M${left} ${base}V${top}`, INK.light),
    ...ticks.map(({ at, text }) => words(text, { x: left - 9, y: at + 5, 'text-anchor': 'end' })),
    words(label, { transform: `translate(16 ${(top + base) / 2}) rotate(-90)`, 'text-anchor': 'middle' }),
  ];
}

/** A line, in pieces where a point has no place, and its marks. */
function curve({ points, style, marks }: Series, colour: string, frame: Frame): Element[] {
  const { x, y } = frame;
  const places = points.map(([px, py]) => [within(x, x.place(px)), within(y, y.place(py))]);
  const isPlace = ([px, py]: readonly number[]): boolean => Number.isFinite(px) && Number.isFinite(py);
  const d = places
    .map((place, i) =>
      isPlace(place)
        ? `${i > 0 && isPlace(places[i - 1]) ? 'L' : 'M'}${atX(frame, place[0])} ${atY(frame, place[1])}`
        : '',
    )
    .join('');
  return [
    drawn(d, colour, style, true),
    ...(marks ? places : []).filter(isPlace).map(([px, py]) => dot(atX(frame, px), atY(frame, py), colour)),
  ];
}

/** The area of a band: its lower line forth, its upper line back. */
function area({ points }: Band, colour: string, frame: Frame): Element {
  const { x, y } = frame;
  const held = (value: number): number => {
    const at = y.place(value);
    return Number.isNaN(at) ? y.low : Math.min(Math.max(at, y.low - y.step), y.high + y.step);
  };
  const placed = points
    .map(([px, lower, upper]) => [within(x, x.place(px)), held(lower), held(upper)] as const)
    .filter(([px]) => Number.isFinite(px));
  const corners = [
    ...placed.map(([px, lower]) => [px, lower]),
    ...[...placed].reverse().map(([px, , upper]) => [px, upper]),
  ];
  const outline = corners.map(([px, py]) => `${atX(frame, px)} ${atY(frame, py)}`).join(' ');
  return element('polygon', { points: outline, fill: colour, 'fill-opacity': 0.28 });
}

/** A row for each line and band, below the axes. */
function legend({ series, bands = [] }: LinePlot, colours: readonly string[], height: number): Element[] {
  const count = series.length + bands.length;
  return [...series, ...bands].flatMap((line, i) => {
    const y = height - 6 - LEGEND_ROW * (count - i) + LEGEND_ROW / 2;
    const x = MARGIN.left;
    const key =
      i >= series.length
        ? element('rect', { x, y: y - 7, width: 30, height: 14, fill: colours[i], 'fill-opacity': 0.28 })
        : drawn(`M${x} ${y}h30`, colours[i], series[i].style);
    const mark = series[i]?.marks ? [dot(x + 15, y, colours[i])] : [];
    return [key, ...mark, words(line.name, { x: x + 36, y: y + 5 })];
  });
}

/** A position no further than ten axes away: numbers in a file stay short. */
function within({ low, high }: Placed, position: number): number {
  const far = 10 * (high - low);
  return Number.isNaN(position) ? position : Math.min(Math.max(position, low - far), high + far);
}

/** FNV-1a of the text, as eight hexadecimal digits. */
function hash(text: string): string {
  let state = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return state.toString(16).padStart(8, '0');
}
