import { exp, log } from '../numeric/scalar.js';

/** An axis of a plot. */
export interface Axis {
  /** What it shows, with its unit. */
  readonly label: string;
  /** Default 'linear'. On a 'log' axis values ≤ 0 have no place and are left out. */
  readonly scale?: 'linear' | 'log';
  /** Ends of the axis, in the units of the data; those of the data unless given. */
  readonly min?: number;
  /** Right or upper end; from the data unless given. */
  readonly max?: number;
}

/** An axis as it is drawn: data go through `place`, and lie in [low, high] with a tick every `step` from low. */
export interface Placed {
  readonly place: (x: number) => number;
  readonly low: number;
  readonly high: number;
  readonly step: number;
  readonly tick: (position: number) => string;
}

/** ln 10, by our own logarithm. */
const LN10 = log(10);
/** Ticks aimed at; fewer or a few more are drawn. */
const TICKS = 5;

export function placeAxis(axis: Axis, values: readonly number[]): Placed {
  const isLog = axis.scale === 'log';
  const place = isLog ? (x: number) => (x > 0 ? log10(x) : Number.NaN) : (x: number) => x;
  let low = axis.min === undefined ? Infinity : place(axis.min);
  let high = axis.max === undefined ? -Infinity : place(axis.max);
  for (const value of values) {
    const at = place(value);
    if (!Number.isFinite(at)) continue;
    if (axis.min === undefined) low = Math.min(low, at);
    if (axis.max === undefined) high = Math.max(high, at);
  }
  if (low === Infinity) low = high === -Infinity ? 0 : high - 1;
  if (high === -Infinity) high = low + 1;
  if (!(high > low)) {
    const half = isLog ? 1 : Math.abs(low) / 2 || 0.5;
    if (axis.min === undefined) low -= half;
    high += half;
  }
  const step = isLog ? wholeStep(low, high) : niceStep((high - low) / TICKS);
  const slack = 1e-9 * step;
  if (axis.min === undefined) low = Math.floor((low + slack) / step) * step;
  if (axis.max === undefined) high = Math.ceil((high - slack) / step) * step;
  return { place, low, high, step, tick: isLog ? powerOfTen : (x) => decimal(x, step) };
}

function log10(x: number): number {
  const power = log(x) / LN10;
  const whole = Math.round(power);
  return Math.abs(power - whole) < 1e-12 * Math.max(1, Math.abs(whole)) ? whole : power;
}

/** Powers of ten between ticks: few enough, and such that both ends have one where they are powers of ten. */
function wholeStep(low: number, high: number): number {
  const span = high - low;
  const least = Math.max(1, Math.ceil(span / (TICKS + 1)));
  for (let step = least; step <= 2 * least; step++) if (span % step === 0) return step;
  return least;
}

/** The least multiple of a nice step that is at or above `high`, for an axis from 0. */
export function niceEnd(high: number): number {
  const step = niceStep(high / TICKS);
  return Math.ceil(high / step - 1e-9) * step;
}

/** 1, 2 or 5 times a power of ten, at least `raw` > 0. */
function niceStep(raw: number): number {
  const power = tenTo(Math.floor(log10(raw)));
  const factor = [1, 2, 5, 10].find((each) => each * power >= raw * (1 - 1e-9)) ?? 10;
  return factor * power;
}

function tenTo(power: number): number {
  return Math.abs(power) < 300 ? Number(`1e${power}`) : exp(power * LN10);
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

function powerOfTen(position: number): string {
  if (Math.abs(position - Math.round(position)) > 1e-9) return '';
  const power = Math.round(position);
  if (power === 0) return '1';
  const digits = [...String(Math.abs(power))].map((digit) => SUPERSCRIPTS[Number(digit)]).join('');
  return `10${power < 0 ? '⁻' : ''}${digits}`;
}

/** A tick's number, with as many decimals as the step between ticks has. */
function decimal(x: number, step: number): string {
  const rounded = Math.round(x / step) * step;
  const shown = Math.abs(rounded - x) < 1e-9 * step ? rounded : x;
  const decimals = Math.min(12, Math.max(0, -Math.floor(log10(step) + 1e-9)));
  if (Math.abs(shown) >= 1e6 || decimals > 5) return shown === 0 ? '0' : String(Number(shown.toPrecision(4)));
  return shown.toFixed(decimals);
}
