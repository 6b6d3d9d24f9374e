/** One axis of a chart. */
export interface Axis {
  readonly type: 'linear' | 'log';
  readonly domain: readonly [from: number, to: number];
  readonly label: string;
  /** Where the ticks are, or about how many; default 5. */
  readonly ticks?: number | readonly number[];
  readonly format?: (value: number) => string;
}

/** From data to places on paper and back; both ends are held to the axis. */
export interface Scale {
  at(value: number): number;
  invert(place: number): number;
}

export function scaleOf({ type, domain }: Axis, [start, end]: readonly [number, number]): Scale {
  const log = type === 'log';
  const [from, to] = log ? domain.map(Math.log10) : domain;
  const held = (part: number): number => Math.min(1, Math.max(0, part));
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

/** Ticks at steps of 1, 2 or 5 times a power of ten; of whole decades on a logarithmic axis. */
export function ticksOf({ type, domain: [from, to], ticks = 5 }: Axis): readonly number[] {
  if (typeof ticks !== 'number') return ticks;
  if (type === 'log') {
    const [first, last] = [Math.ceil(Math.log10(from) - 1e-9), Math.floor(Math.log10(to) + 1e-9)];
    const every = [1, 2, 3, 4, 5, 10, 20, 50, 100].find((n) => (last - first) / n <= ticks) ?? 200;
    return range(Math.floor((last - first) / every) + 1).map((i) => 10 ** (last - i * every));
  }
  const rough = (to - from) / ticks;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((n) => n * power >= rough * 0.99) ?? 10);
  const first = Math.ceil(from / step - 1e-9);
  const count = Math.floor(to / step + 1e-9) - first + 1;
  return range(Math.max(0, count)).map((i) => Number(((first + i) * step).toPrecision(12)));
}

/** An end of an axis that holds still while a curve moves: 1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten. */
export function axisEnd(value: number): number {
  if (!(value > 0) || value === Infinity) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 1.5, 2, 3, 4, 5, 6, 8].find((n) => n * power >= value * 0.999) ?? 10;
  return Number((step * power).toPrecision(3));
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}

/** A tenth of a pixel. */
export function short(v: number): number {
  return Math.round(v * 10) / 10;
}
