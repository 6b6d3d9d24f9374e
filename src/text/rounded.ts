import { bracketText, namedDecimal, roundDecimal, type ShownEnds, shortDecimal } from './decimal.js';

/** Numbers as people read them: ends rounded to the safe side at a few digits, settings as they were typed. */

/** Upper end of a bracket at `digits` significant digits, never below it; '∞' where there is none. */
export function upperText(x: number, digits = 3): string {
  return x === Infinity ? '∞' : bareOne(roundDecimal(x, 'up', { digits }));
}

/** Upper end of μ. */
export function muText(x: number): string {
  return upperText(x, FORMATS.mu.digits);
}

/** '1.00e-5' as '1e-5': as it is typed, and as other powers of ten are written. */
function bareOne(text: string): string {
  return text.replace(/^1\.0+e/, '1e');
}

/** A probability in per cent, rounded up; '100' where rounding reaches it. */
export function percentUp(probability: number, { digits = 3 }: Safe = FORMATS.rate): string {
  if (probability >= 1) return '100';
  const text = roundDecimal(probability, 'up', { digits, shift: 2 });
  return Number(text) >= 100 ? '100' : text;
}

/** '50000' as '50,000': groups of three before the point. */
export function grouped(text: string): string {
  const [whole, ...rest] = text.split('.');
  return [whole.replace(/\B(?=(\d{3})+$)/g, ','), ...rest].join('.');
}

/** An estimate, which has no safe end, at `digits` significant digits, laid out as bounds are. */
export function nearText(x: number, digits: number): string {
  const text = x.toPrecision(digits);
  return text.includes('e') && x < 1e9 ? String(Number(text)) : text;
}

/** A setting as it was typed: 0.32768, 50,000, 1e-5. */
export function settingText(x: number): string {
  const text = shortDecimal(x);
  return text.includes('e') ? text : grouped(text);
}

/** A setting at no more than `digits` significant digits, where the exact one stands elsewhere. */
export function roughText(x: number, digits = 4): string {
  if (x === 0 || !Number.isFinite(x)) return String(x);
  if (Math.abs(x) >= 1000 && Math.abs(x) < 1e9) return grouped(String(Math.round(x)));
  return settingText(Number(x.toPrecision(digits)));
}

/** A rate as it is said: 0.001 is '1 in 1,000', 0.3 is '30 in 100'. */
export function oneIn(rate: number): string {
  if (rate >= 0.2) return `${roughText(rate * 100, 2)} in 100`;
  return `1 in ${roughText(Number((1 / rate).toPrecision(2)), 2)}`;
}

/** Text before, at and after each number with a power of ten, in turn: none is part of a name (run-1e5.json) or of a digest. */
export function aroundPowers(text: string): string[] {
  return text.split(/(?<![\w.])(\d[\d.]{0,20}e[+-]?\d{1,4})(?!\w|\.\w)/);
}

/** '2.1e-6' as factor '2.1 × ' and exponent '−6' of ten; nothing where there is no exponent. */
export function powerOfTen(text: string): { factor: string; exponent: string } | undefined {
  const found = /^([\d.]+)e([+-]?)0*(\d+)$/.exec(text);
  if (found === null) return undefined;
  const [, mantissa, sign, digits] = found;
  return {
    factor: /^1(\.0*)?$/.test(mantissa) ? '' : `${mantissa} × `,
    exponent: `${sign === '-' ? '−' : ''}${digits}`,
  };
}

/** How brackets are printed. */
export interface Shown {
  /** Significant digits, 1 to 17; default: those of `FORMATS`, and up to 10 of brackets. */
  readonly digits?: number | undefined;
  /** Both ends of every number instead of the safe one. */
  readonly brackets?: boolean;
}

/** Which end of a bracket is safe to publish, and its digits unless others are asked for. */
export interface Safe {
  readonly end?: 'lower' | 'upper';
  readonly digits?: number | undefined;
  /** Prints x·10^shift: 2 for per cent. */
  readonly shift?: number;
}

/**
 * The one table of number formats, of the command line, the report and the page. What is not in it has three digits: epsilon, delta,
 * regret. Ends are rounded to the safe side, and solved values to the private side. Settings are printed as typed, brackets with
 * 4 to 10 digits, exponents as in 1e-5, powers of ten without zeros.
 */
export const FORMATS: Readonly<
  Record<'mu' | 'sigma' | 'solved' | 'rate' | 'right' | 'missRate' | 'least' | 'compared', Safe>
> = {
  mu: { digits: 4 },
  sigma: { digits: 4 },
  /** What was solved for. */
  solved: { digits: 4 },
  /** What an attacker finds, and its advantage. */
  rate: { digits: 3 },
  /** How often an attacker is right, where a coin is right half of the time. */
  right: { digits: 4 },
  /** A false negative rate: the attacker's is no smaller. */
  missRate: { end: 'lower', digits: 4 },
  /** What was shown to be lost. */
  least: { end: 'lower', digits: 4 },
  /** Rows of several accountants, which may be close. */
  compared: { digits: 5 },
};

/** The safe end of a bracket, rounded to its side; the whole bracket where that is asked for. */
export function safeText(
  value: ShownEnds,
  shown: Shown = {},
  { end = 'upper', digits = 3, shift = 0 }: Safe = {},
): string {
  if (shown.brackets === true) return bracketText(value, shift, shown.digits);
  const options = { digits: shown.digits ?? digits, shift };
  const named = value.lower === value.upper ? namedDecimal(value.upper, options) : undefined;
  const text = named ?? roundDecimal(value[end], end === 'upper' ? 'up' : 'down', options);
  return shown.digits === undefined ? bareOne(text) : text;
}

/** `safeText`, or both ends ('7.55 to 14.9') where the other is so far off that the safe one is not all there is to say. */
export function endsText(value: ShownEnds, shown: Shown = {}, safe: Safe = {}): string {
  const text = safeText(value, shown, safe);
  if (shown.brackets === true || isSettled(value)) return text;
  return [{ end: 'lower' } as const, { end: 'upper' } as const]
    .map((end) => safeText(value, shown, { ...safe, ...end }))
    .join(' to ');
}

/** Whether a few digits of the safe end are all there is to say: at most 2 % between the ends. */
export function isSettled({ lower, upper }: ShownEnds): boolean {
  return lower === upper || (upper < Infinity && upper - lower <= 0.02 * upper);
}
