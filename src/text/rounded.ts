import { roundDecimal, shortDecimal } from './decimal.js';

/** Numbers as people read them: ends rounded to the safe side at a few digits, settings as they were typed. */

/** Upper end of a bracket at `digits` significant digits, never below it; '∞' where there is none. */
export function upperText(x: number, digits = 3): string {
  return x === Infinity ? '∞' : roundDecimal(x, 'up', { digits });
}

/** A probability in per cent, rounded up; '100' where rounding reaches it. */
export function percentUp(probability: number, digits = 3): string {
  if (probability >= 1) return '100';
  const text = roundDecimal(probability, 'up', { digits, shift: 2 });
  return Number(text) >= 100 ? '100' : text;
}

/** '50000' as '50,000': groups of three before the point. */
export function grouped(text: string): string {
  const [whole, ...rest] = text.split('.');
  return [whole.replace(/\B(?=(\d{3})+$)/g, ','), ...rest].join('.');
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
