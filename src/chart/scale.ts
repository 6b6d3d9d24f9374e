/** One axis of a chart. */
export interface ChartAxis {
  readonly type: 'linear' | 'log';
  readonly domain: readonly [from: number, to: number];
  readonly label: string;
  /** The values of the ticks, or about how many there are; default 5. */
  readonly ticks?: number | readonly number[];
  readonly format?: (value: number) => string;
}

/** Maps coordinates to pixels and back. Pixels are limited to the axis, or to `reach` times its length beyond either end. */
export interface Scale {
  at(value: number): number;
  invert(place: number): number;
}

export function scaleOf(
  { type, domain }: ChartAxis,
  [start, end]: readonly [number, number],
  reach = 0,
): Scale {
  const log = type === 'log';
  const [from, to] = log ? domain.map(Math.log10) : domain;
  const held = (part: number): number => Math.min(1 + reach, Math.max(-reach, part));
  return {
    at(value) {
      const x = log ? (value > 0 ? Math.log10(value) : -Infinity) : value;
      return start + held((x - from) / (to - from)) * (end - start);
    },
    invert(place) {
      const x = from + held((place - start) / (end - start)) * (to - from);
      return log ? 10 ** x : x;
    },
  };
}

/** Whether a logarithmic axis is too short for ticks at powers of ten alone. */
const isShort = ({ domain: [from, to] }: ChartAxis): boolean => to < 200 * from;

/** Possible numbers of decades between adjacent ticks. */
const EVERY = [1, 2, 3, 4, 5, 10, 20, 50, 100, 200];

/** The values of ticks: at steps of 1, 2 or 5 times a power of ten. On a long logarithmic axis they are powers of ten. */
export function ticksOf(axis: ChartAxis): readonly number[] {
  const { type, domain, ticks = 5 } = axis;
  if (typeof ticks !== 'number') return ticks;
  const [from, to] = type === 'log' ? domain.map(Math.log10) : domain;
  if (type === 'linear') return multiples(from, to, stepOf((to - from) / ticks));
  const step = EVERY.find((n) => n * ticks >= Math.floor(to - from)) ?? 400;
  const within = (value: number) => value >= domain[0] * (1 - 1e-9) && value <= domain[1] * (1 + 1e-9);
  return multiples(from - step, to, step)
    .flatMap((power) => (isShort(axis) ? [1, 2, 5] : [1]).map((n) => n * 10 ** power))
    .filter(within);
}

function multiples(from: number, to: number, step: number): number[] {
  const first = Math.ceil(from / step - 1e-9);
  const count = Math.max(0, Math.floor(to / step + 1e-9) - first + 1);
  return Array.from({ length: count }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/** 1, 2 or 5 times a power of ten: the least that is at least 0.99·`rough`. */
function stepOf(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 5].find((n) => n * power >= rough * 0.99) ?? 10);
}

/** The label of a tick; a power of ten ('1e-5') is later printed as a superscript. */
export function tickText(axis: ChartAxis, value: number): string {
  if (axis.format !== undefined) return axis.format(value);
  if (axis.type === 'log' && !isShort(axis)) return value === 1 ? '1' : `1e${Math.round(Math.log10(value))}`;
  return String(Number(value.toPrecision(12))).replace(/^-/, '−');
}

/**
 * The ends of an axis: the given ones, else ticks or powers of ten outside the data. They are limited so that the length of the axis and the step of
 * its ticks are finite.
 */
export function domainOf(
  type: ChartAxis['type'],
  { min, max }: { readonly min?: number; readonly max?: number },
  values: readonly number[],
): [from: number, to: number] {
  const log = type === 'log';
  const [least, most] = log ? [-322, 307] : [-1e300, 1e300];
  const place = (value: number): number =>
    Math.max(least, Math.min(most, log ? Math.log10(value) : Math.abs(value) < 1e-290 ? 0 : value));
  const places = values.filter((value) => Number.isFinite(value) && !(log && value <= 0)).map(place);
  if (places.length === 0) places.push(place(min ?? max ?? 1));
  let low = min === undefined ? places.reduce((a, b) => Math.min(a, b)) : place(min);
  let high = max === undefined ? places.reduce((a, b) => Math.max(a, b)) : place(max);
  if (!(high - low > 1e-12 * (log ? 1 : Math.abs(low)))) {
    const half = log ? 1 : Math.abs(low) / 2 || 0.5;
    if (min === undefined) low -= half;
    high += half;
  }
  const step = log ? 1 : stepOf((high - low) / 5);
  if (min === undefined) low = Math.floor(low / step + 1e-9) * step;
  if (max === undefined) high = Math.ceil(high / step - 1e-9) * step;
  return log ? [10 ** low, 10 ** high] : [low, high];
}

/** An end of an axis that rarely changes while a curve moves. It is 1, 1.5, 2, 3, 4, 5, 6 or 8 times a power of ten. */
export function axisEnd(value: number): number {
  if (!(value > 0) || value === Infinity) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 1.5, 2, 3, 4, 5, 6, 8].find((n) => n * power >= value * 0.999) ?? 10;
  return Number((step * power).toPrecision(3));
}

/** A number rounded to a tenth of a pixel. */
export function short(v: number): number {
  return Math.round(v * 10) / 10;
}
