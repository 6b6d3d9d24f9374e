// What an accountant's answer to a vector is worth.

/** A bracket, or a number's distance, is sharp up to this part of the value. */
const SHARP = 10n ** 6n;
/** A number that is no bracket may be on the wrong side by this part: it was rounded. */
const ROUNDED = 10n ** 9n;

/**
 * 'sharp' or 'contained' (a bracket that holds the exact value, or a number on its safe side), 'below' the truth (above it for beta), 'refused',
 * 'accepted' (what had to be refused), 'wrong' (an answer that is none).
 */
export function verdict(vector, answer) {
  if (typeof answer?.error === 'string') return 'refused';
  if (vector.expect === 'refused') return 'accepted';
  const ends = endsOf(answer, vector.quantity);
  if (ends === undefined) return 'wrong';
  const [lower, upper] = ends;
  const value = decimal(vector.value);
  const error = decimal(vector.error);
  const single = answer.value !== undefined;
  const slack = single ? abs(value) / ROUNDED + error : error;
  if (upper !== undefined && upper < value - slack) return 'below';
  if (lower !== undefined && lower > value + slack) return 'below';
  if (isInfinite(answer.upper) || isInfinite(answer.value)) return 'contained';
  const far = [lower, upper].map((end) => (end === undefined ? 0n : abs(end - value)));
  const width = far[0] > far[1] ? far[0] : far[1];
  return width * SHARP <= abs(value) ? 'sharp' : 'contained';
}

/** Both ends of a bracket, or the one that a number is; undefined for neither. */
function endsOf({ lower, upper, value }, quantity) {
  if (value !== undefined) {
    // true of an epsilon or a delta, and worth nothing
    if (isInfinite(value) && quantity !== 'beta') return [undefined, undefined];
    if (!Number.isFinite(value)) return undefined;
    return quantity === 'beta' ? [decimal(value), undefined] : [undefined, decimal(value)];
  }
  if (typeof lower !== 'number' || Number.isNaN(lower)) return undefined;
  if (isInfinite(upper)) return [decimal(lower), undefined];
  return Number.isFinite(upper) ? [decimal(lower), decimal(upper)] : undefined;
}

function isInfinite(end) {
  return end === 'Infinity' || end === Number.POSITIVE_INFINITY;
}

/** Digits after the point that are kept: enough for values from 1e-330 on. */
const SCALE = 360;

/** A decimal, or a double exactly enough, as a whole number of 10^-SCALE. */
function decimal(given) {
  const text = typeof given === 'number' ? exactText(given) : given;
  const [, sign, whole, fraction = '', power = '0'] = /^(-?)(\d+)\.?(\d*)(?:e([+-]?\d+))?$/.exec(text);
  const digits = BigInt(whole + fraction);
  const shift = SCALE - fraction.length + Number(power);
  const size = shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift);
  return sign === '-' ? -size : size;
}

/** A double to 40 digits: 17 would round it. */
function exactText(x) {
  return x.toExponential(40).replace('e+', 'e');
}

function abs(x) {
  return x < 0n ? -x : x;
}
