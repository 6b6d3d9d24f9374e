import { bracketText, namedDecimal, roundDecimal, type ShownEnds, shortDecimal } from './decimal.js';

/** Numbers for people to read: ends of brackets with few digits, rounded outwards, and settings as they were typed. */

/** Upper end of a bracket at `digits` significant digits, never below it; '∞' if it is infinite. */
export function upperText(x: number, digits = 3): string {
  return x === Infinity ? '∞' : bareOne(roundDecimal(x, 'up', { digits }));
}

/** Upper end of μ. */
export function muText(x: number): string {
  return upperText(x, FORMATS.mu.digits);
}

/** '1.00e-5' as '1e-5', which is how people type it and how other powers of ten are printed. */
function bareOne(text: string): string {
  return text.replace(/^1\.0+e/, '1e');
}

/** A probability in per cent, rounded up; '100' where rounding reaches it. */
export function percentUp(probability: number, { digits = 3 }: Safe = FORMATS.rate): string {
  if (probability >= 1) return '100';
  const text = roundDecimal(probability, 'up', { digits, shift: 2 });
  return Number(text) >= 100 ? '100' : text;
}

/** '50000' as '50,000': groups of three digits before the point. */
export function grouped(text: string): string {
  const [whole, ...rest] = text.split('.');
  return [whole.replace(/\B(?=(\d{3})+$)/g, ','), ...rest].join('.');
}

/** An estimate, without a bracket, rounded to nearest with `digits` significant digits, in the format of bounds. */
export function nearText(x: number, digits: number): string {
  const text = x.toPrecision(digits);
  return text.includes('e') && x < 1e9 ? String(Number(text)) : text;
}

/** A setting as it was typed: 0.32768, 50,000, 1e-5. */
export function settingText(x: number): string {
  const text = shortDecimal(x);
  return text.includes('e') ? text : grouped(text);
}

/** A setting with at most `digits` significant digits, where the exact value is printed elsewhere. */
export function roughText(x: number, digits = 4): string {
  if (x === 0 || !Number.isFinite(x)) return String(x);
  if (Math.abs(x) >= 1000 && Math.abs(x) < 1e9) return grouped(String(Math.round(x)));
  return settingText(Number(x.toPrecision(digits)));
}

/** A rate in words: 0.001 is '1 in 1,000', 0.3 is '30 in 100'. */
export function oneIn(rate: number): string {
  if (rate >= 0.2) return `${roughText(rate * 100, 2)} in 100`;
  return `1 in ${roughText(Number((1 / rate).toPrecision(2)), 2)}`;
}

/** A text cut before and after each number with a power of ten. Powers within names (run-1e5.json) and digests are not cut. */
export function aroundPowers(text: string): string[] {
  return text.split(/(?<![\w.])(\d[\d.]{0,20}e[+-]?\d{1,4})(?!\w|\.\w)/);
}

/** '2.1e-6' as the factor '2.1 × ' and the exponent '−6' of ten; undefined if there is no exponent. */
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
  /** Significant digits, 1 to 17; default: those of `FORMATS`, and up to 10 for brackets. */
  readonly digits?: number | undefined;
  /** Prints both ends of every number, instead of the one that is safe to publish. */
  readonly brackets?: boolean;
}

/** Which end of a bracket is safe to publish, and the default number of its digits. */
export interface Safe {
  readonly end?: 'lower' | 'upper';
  readonly digits?: number | undefined;
  /** Prints x·10^shift: 2 for per cent. */
  readonly shift?: number;
}

/**
 * The number formats of the command line, the report and the page. Numbers not listed have three digits: epsilon, delta, regret. Ends are rounded
 * outwards, and solved values to the more private side. Settings are printed as typed, brackets with 4 to 10 digits. Exponents are printed as in
 * 1e-5, and powers of ten without zeros.
 */
export const FORMATS: Readonly<
  Record<'mu' | 'sigma' | 'solved' | 'rate' | 'right' | 'missRate' | 'least' | 'compared', Safe>
> = {
  mu: { digits: 4 },
  sigma: { digits: 4 },
  /** The value that was solved for. */
  solved: { digits: 4 },
  /** An attacker's true positive rate, and its advantage. */
  rate: { digits: 3 },
  /** The probability that an attacker guesses right, which is 1/2 without the release. */
  right: { digits: 4 },
  /** A false negative rate: no attacker has a smaller one. */
  missRate: { end: 'lower', digits: 4 },
  /** A lower bound of the privacy loss, from an audit. */
  least: { end: 'lower', digits: 4 },
  /** ε of several accountants in a table, which may differ little. */
  compared: { digits: 5 },
};

/** The end that is safe to publish, rounded outwards; the whole bracket if `brackets` is set. */
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

/** `safeText`; or both ends ('7.55 to 14.9') if the other end differs too much to be left out. */
export function endsText(value: ShownEnds, shown: Shown = {}, safe: Safe = {}): string {
  const text = safeText(value, shown, safe);
  if (shown.brackets === true || isSettled(value)) return text;
  return [{ end: 'lower' } as const, { end: 'upper' } as const]
    .map((end) => safeText(value, shown, { ...safe, ...end }))
    .join(' to ');
}

/** Whether the ends differ by at most 2 %, so that one of them with few digits is enough. */
export function isSettled({ lower, upper }: ShownEnds): boolean {
  return lower === upper || (upper < Infinity && upper - lower <= 0.02 * upper);
}
