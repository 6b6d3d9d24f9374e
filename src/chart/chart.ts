import { aroundPowers, powerOfTen } from '../text/rounded.js';
import { type Element, element, elementText } from './element.js';
import { type ChartAxis, type Scale, scaleOf, short, ticksOf, tickText } from './scale.js';

/** A point in the units of the axes. */
export type Point = readonly [x: number, y: number];

/** A mark of a chart; marks are drawn in the order given. `className` chooses its colour in the style sheet. */
export type Mark =
  /** The line is interrupted at points that are not finite. */
  | { readonly type: 'line' | 'rule'; readonly points: readonly Point[]; readonly className?: string }
  /** The area between `from` and `to`, which have the same number of points. */
  | {
      readonly type: 'area';
      readonly from: readonly Point[];
      readonly to: readonly Point[];
      readonly className?: string;
    }
  | { readonly type: 'dot'; readonly at: Point; readonly className?: string; readonly radius?: number }
  /** A label at a point, moved by `dx`, `dy` pixels. A power of ten in it ('1e-5') is printed as a superscript. */
  | {
      readonly type: 'text';
      readonly at: Point;
      readonly text: string;
      readonly dx?: number;
      readonly dy?: number;
      readonly anchor?: 'start' | 'middle' | 'end';
      readonly className?: string;
    }
  | Handle;

/** A row of the legend: a name, and a sample of the mark. */
interface Key {
  readonly name: string;
  readonly type: 'line' | 'dots' | 'area';
  readonly className: string;
}

/** A draggable point; assistive technology sees it as a slider. */
interface Handle {
  readonly type: 'handle';
  readonly id: string;
  readonly at: Point;
  readonly label: string;
  readonly now: number;
  readonly min: number;
  readonly max: number;
  readonly valueText: string;
  readonly shape?: 'circle' | 'diamond';
  readonly className?: string;
}

export interface ChartSpec {
  /** An id that is unique in the document. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly width: number;
  readonly height: number;
  readonly margin?: Partial<Margin>;
  readonly x: ChartAxis;
  readonly y: ChartAxis;
  readonly marks: readonly Mark[];
  /** Whether marks are clipped at the ends of the axes; otherwise their points are moved to the ends. */
  readonly cuts?: boolean;
  /** The rows of the legend, at the bottom of the margin. */
  readonly keys?: readonly Key[];
}

interface Margin {
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly left: number;
}

/** The margins and scales of a chart, from which a page computes the coordinates of a pointer. */
interface Frame {
  readonly margin: Margin;
  readonly width: number;
  readonly height: number;
  readonly x: Scale;
  readonly y: Scale;
}

export const MARGIN: Margin = { top: 30, right: 18, bottom: 42, left: 44 };
/** Height of a row of the legend, in pixels. */
export const ROW = 22;

export function frameOf({ width, height, margin: given, x, y, cuts }: ChartSpec): Frame {
  const margin = { ...MARGIN, ...given };
  const reach = cuts ? 10 : 0;
  return {
    margin,
    width,
    height,
    x: scaleOf(x, [margin.left, width - margin.right], reach),
    y: scaleOf(y, [height - margin.bottom, margin.top], reach),
  };
}

/**
 * A chart as a tree of SVG elements. It needs no DOM and measures no text, so that page, report and file get the same drawing. Colours come from a
 * style sheet.
 */
export function chart(spec: ChartSpec): Element {
  const frame = frameOf(spec);
  const { id, title, description, width, height, keys = [] } = spec;
  const marks = spec.marks.map((mark) => drawn(mark, frame));
  return element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      class: 'chart',
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: spec.marks.some(({ type }) => type === 'handle') ? 'group' : 'img',
      'aria-labelledby': `${id}-t ${id}-d`,
    },
    element('title', { id: `${id}-t` }, title),
    element('desc', { id: `${id}-d` }, description),
    element('g', {}, ...gridLines(spec.y, frame)),
    element('g', { class: 'axis' }, ...axisBelow(spec.x, frame)),
    element('g', { class: 'axis' }, ...axisLeft(spec.y, frame)),
    ...(spec.cuts ? cut(`${id}-cut`, frame, marks) : marks),
    ...keys.flatMap((key, i) => legendRow(key, frame.margin.left, height - ROW * (keys.length - i))),
  );
}

/** The marks, clipped at the ends of the axes. */
function cut(id: string, { margin, width, height }: Frame, marks: readonly Element[]): Element[] {
  const { left: x, top: y, right, bottom } = margin;
  const box = { x, y, width: width - x - right, height: height - y - bottom };
  return [
    element('clipPath', { id }, element('rect', box)),
    element('g', { 'clip-path': `url(#${id})` }, ...marks),
  ];
}

function legendRow({ name, type, className }: Key, x: number, y: number): Element[] {
  const shape = type === 'area' ? `M${x} ${y + 1}h30v14h-30Z` : `M${x} ${y + 8}h30`;
  const face = type === 'area' ? 'area' : 'line';
  return [
    element('path', { class: `${face} ${className}`, d: shape }),
    ...(type === 'dots'
      ? [element('circle', { class: `dot ${className}`, cx: x + 15, cy: y + 8, r: 4 })]
      : []),
    element('text', { class: 'name', x: x + 38, y: y + 12 }, name),
  ];
}

export function chartSvg(spec: ChartSpec): string {
  return elementText(chart(spec));
}

function gridLines(axis: ChartAxis, { margin, width, y }: Frame): Element[] {
  return ticksOf(axis).map((value) => {
    const at = short(y.at(value));
    return element('line', { class: 'grid', x1: margin.left, x2: width - margin.right, y1: at, y2: at });
  });
}

function axisBelow(axis: ChartAxis, { margin, width, height, x }: Frame): Element[] {
  const base = height - margin.bottom;
  const right = width - margin.right;
  const ticks = ticksOf(axis).flatMap((value) => {
    const at = short(x.at(value));
    const text = { class: 't', x: at, y: base + 17, 'text-anchor': 'middle' };
    return [
      element('line', { class: 'tick', x1: at, x2: at, y1: base, y2: base + 4 }),
      element('text', text, ...rich(tickText(axis, value))),
    ];
  });
  return [
    element('line', { class: 'base', x1: margin.left, x2: right, y1: base, y2: base }),
    ...ticks,
    element('text', { class: 'name', x: right, y: base + 37, 'text-anchor': 'end' }, `${axis.label} →`),
  ];
}

function axisLeft(axis: ChartAxis, { margin, y }: Frame): Element[] {
  const ticks = ticksOf(axis).map((value) =>
    element(
      'text',
      { class: 't', x: margin.left - 7, y: short(y.at(value) + 4), 'text-anchor': 'end' },
      ...rich(tickText(axis, value)),
    ),
  );
  return [...ticks, element('text', { class: 'name', x: 0, y: 12 }, `↑ ${axis.label}`)];
}

function drawn(mark: Mark, frame: Frame): Element {
  const place = ([x, y]: Point): string => `${short(frame.x.at(x))} ${short(frame.y.at(y))}`;
  const name = (base: string): string => (mark.className === undefined ? base : `${base} ${mark.className}`);
  switch (mark.type) {
    case 'line':
    case 'rule':
      return element('path', { class: name(mark.type), d: pathOf(mark.points, place) });
    case 'area': {
      const around = [...mark.to, ...[...mark.from].reverse()];
      return element('path', {
        class: name('area'),
        d: around.length === 0 ? '' : `${pathOf(around, place)}Z`,
      });
    }
    case 'dot': {
      const [cx, cy] = place(mark.at).split(' ');
      return element('circle', { class: name('dot'), cx, cy, r: mark.radius ?? 4 });
    }
    case 'text': {
      const x = short(frame.x.at(mark.at[0]) + (mark.dx ?? 0));
      const y = short(frame.y.at(mark.at[1]) + (mark.dy ?? 0));
      const attributes = { class: name('label'), x, y, 'text-anchor': mark.anchor ?? 'start' };
      return element('text', attributes, ...rich(mark.text));
    }
    case 'handle':
      return handle(mark, place(mark.at));
  }
}

/** A draggable point, 13 pixels wide, in a transparent circle 44 pixels wide that can be grasped. */
function handle(mark: Handle, place: string): Element {
  const face =
    mark.shape === 'diamond'
      ? element('rect', { class: 'face', x: -6.5, y: -6.5, width: 13, height: 13, transform: 'rotate(45)' })
      : element('circle', { class: 'face', r: 6.5 });
  return element(
    'g',
    {
      class: mark.className === undefined ? 'handle' : `handle ${mark.className}`,
      'data-handle': mark.id,
      transform: `translate(${place})`,
      tabindex: 0,
      role: 'slider',
      'aria-label': mark.label,
      'aria-valuemin': mark.min,
      'aria-valuemax': mark.max,
      'aria-valuenow': mark.now,
      'aria-valuetext': mark.valueText,
    },
    element('circle', { class: 'reach', r: 22 }),
    element('circle', { class: 'ring', r: 12 }),
    face,
  );
}

function pathOf(points: readonly Point[], place: (point: Point) => string): string {
  const isPlace = (point: Point | undefined): boolean => point?.every(Number.isFinite) === true;
  return points
    .map((point, i) => (isPlace(point) ? `${isPlace(points[i - 1]) ? 'L' : 'M'}${place(point)}` : ''))
    .join('');
}

/** The text with every '1e-5' in it as a superscript: tspans, the last of which returns to the base line. */
function rich(text: string): (Element | string)[] {
  return aroundPowers(text).flatMap((part, i) => {
    const power = i % 2 === 1 ? powerOfTen(part) : undefined;
    if (power === undefined) return part === '' ? [] : [part];
    const raised = element('tspan', { class: 'sup', dy: '-.38em' }, power.exponent);
    return [`${power.factor}10`, raised, element('tspan', { dy: '.26em' }, '\u200b')];
  });
}
