/** The two ends of a bracket. */
export interface ShownEnds {
  readonly lower: number;
  readonly upper: number;
}

/**
 * Direction of rounding to a decimal: the decimal is never above the number ('down'), or never below it ('up'). The
 * comparison is exact and not through the nearest double.
 */
type Direction = 'down' | 'up';

interface DecimalOptions {
  /** Significant digits, 1 … 17. */
  readonly digits: number;
  /** Prints x·10^shift: 2 for per cent. */
  readonly shift?: number;
  /** At most `digits` digits, even if the number is barely beyond a short decimal (`isHairOff`). */
  readonly strict?: boolean;
}

/**
 * `x` in decimal, rounded towards −∞ ('down') or +∞ ('up').
 *
 * @example roundDecimal(0.1, 'up', { digits: 3 }) === '0.101'  // the double 0.1 is above 1/10
 */
export function roundDecimal(x: number, direction: Direction, options: DecimalOptions): string {
  if (Number.isNaN(x)) throw new RangeError('NaN has no decimal');
  if (x === 0) return '0';
  if (!Number.isFinite(x)) return x > 0 ? 'infinite' : '-infinite';
  if (x < 0) return `-${magnitude(-x, direction === 'up' ? 'down' : 'up', options)}`;
  return magnitude(x, direction, options);
}

function magnitude(x: number, direction: Direction, { digits, shift = 0, strict }: DecimalOptions): string {
  // 100 correctly rounded digits decide every comparison with a decimal of at most 17 digits. A double that is not such a decimal
  // differs from it long before the 100th digit.
  const [mantissa, power] = x.toExponential(99).split('e') as [string, string];
  const all = mantissa.replace('.', '');
  const used = !strict && isHairOff(all, digits, direction) ? HAIR_DIGITS : digits;
  let kept = all.slice(0, used);
  let exponent = Number(power) + shift;
  if (direction === 'up' && /[1-9]/.test(all.slice(used))) {
    kept = String(BigInt(kept) + 1n);
    if (kept.length > used) {
      kept = kept.slice(0, used);
      exponent += 1;
    }
  }
  return layOut(kept, exponent);
}

/** Digits printed of a number that is barely beyond a short decimal: 1.0000001, 0.99999999. */
const HAIR_DIGITS = 8;
/** The reciprocal of the relative difference below which a number is barely beyond a decimal. */
const HAIR = 10n ** 9n;

/**
 * Whether a number is barely beyond a decimal of `digits` digits, so that rounding outwards would print the next one. A closed form
 * that is an ulp above 1 would be printed as 1.001.
 */
function isHairOff(all: string, digits: number, direction: Direction): boolean {
  if (digits >= HAIR_DIGITS) return false;
  const unit = 10n ** BigInt(all.length - digits);
  const rest = BigInt(all.slice(digits));
  return rest > 0n && (direction === 'up' ? rest : unit - rest) * HAIR < BigInt(all);
}

/** The digits d₁d₂… times 10^exponent (the point after d₁), without an exponent from 1e-4 to 1e9. */
function layOut(digits: string, exponent: number): string {
  if (exponent < -4 || exponent >= 9) {
    const fraction = digits.slice(1);
    const sign = exponent < 0 ? '-' : '';
    return `${digits[0]}${fraction && `.${fraction}`}e${sign}${Math.abs(exponent)}`;
  }
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  const fraction = digits.slice(exponent + 1);
  return fraction ? `${whole}.${fraction}` : whole;
}

/**
 * The shortest decimal that reads back as the number, padded to `digits` digits; undefined if it is longer. So 0.1 is '0.100', although its double is
 * above 1/10. It is for settings, and for exact results, which may equal a setting.
 */
export function namedDecimal(x: number, { digits, shift = 0 }: DecimalOptions): string | undefined {
  if (!(Number.isFinite(x) && x !== 0)) return undefined;
  const [mantissa, power] = Math.abs(x).toExponential().split('e') as [string, string];
  const all = mantissa.replace('.', '');
  if (all.length > digits) return undefined;
  return `${x < 0 ? '-' : ''}${layOut(all.padEnd(digits, '0'), Number(power) + shift)}`;
}

/** A bracket as `[lower, upper]`, each end rounded outwards, with enough digits to show its width. */
export function bracketText(b: ShownEnds, shift = 0, digits?: number): string {
  const options = { digits: digits ?? digitsFor(b), shift, strict: digits === undefined };
  return `[${roundDecimal(b.lower, 'down', options)}, ${roundDecimal(b.upper, 'up', options)}]`;
}

/** The fewest digits, 4 … 10, for which rounding outwards widens the bracket by at most half. */
function digitsFor(b: ShownEnds): number {
  for (let digits = 4; digits < 10; digits++) {
    const lower = Number(parse(roundDecimal(b.lower, 'down', { digits, strict: true })));
    const upper = Number(parse(roundDecimal(b.upper, 'up', { digits, strict: true })));
    if (upper - lower <= 1.5 * (b.upper - b.lower)) return digits;
  }
  return 10;
}

/** A text of `roundDecimal` as `Number` reads it. */
function parse(text: string): string {
  return text.replace('infinite', 'Infinity');
}

/** A decimal that reads back as `x`, with an exponent where plain digits would be long: 1e-5, 0.01, 2000. */
export function shortDecimal(x: number): string {
  const size = Math.abs(x);
  if (x === 0 || !Number.isFinite(x) || (size >= 1e-3 && size < 1e7)) return String(x);
  return x.toExponential().replace('e+', 'e');
}
