/** Numbers as people type them. A comma is refused: in '1,1' it could be a decimal point or a separator of groups. */

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const POWER = /^(?:([^×*·^]+)[×*·])?10(?:\^|\*\*)([+-]?\d+)$/;
const GROUPS = /^\d{1,3}([,_ \u00a0\u202f]\d{3})+$/;

/**
 * A decimal, a quotient (256/60000), a power of ten (10^-6, 2 × 10⁻⁶) or a percentage (0.1 %); NaN for anything else.
 *
 * @param options.groups Whether it is a count, which may be written in groups of three: 60,000, 60_000 or 60 000.
 * @example typedNumber('10⁻⁶') === 1e-6
 */
export function typedNumber(text: string, { groups = false }: { groups?: boolean } = {}): number {
  const bare = text.trim().replace(/−/g, '-');
  if (groups && GROUPS.test(bare)) return Number(bare.replace(/\D/g, ''));
  const plain = bare.replace(/[⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+/g, (high) => `^${[...high].map(lowered).join('')}`);
  const part = (t: string): number => {
    const [, mantissa = '1', exponent] = POWER.exec(t.replace(/ ?([×*·^]+) ?/g, '$1')) ?? [];
    const decimal = exponent === undefined ? t : `${mantissa}e${exponent}`;
    return DECIMAL.test(decimal) ? Number(decimal) : Number.NaN;
  };
  if (plain.endsWith('%')) return part(plain.slice(0, -1).trim()) / 100;
  const [above, below, more] = plain.split('/').map((each) => each.trim());
  if (more !== undefined) return Number.NaN;
  return below === undefined ? part(above) : part(above) / part(below);
}

/** The text as a number; the text itself if it is none, or if the number is below the least double. */
export function numberOrText(text: string): number | string {
  const x = typedNumber(text);
  return Number.isNaN(x) || underflows(x, text) ? text : x;
}

function lowered(high: string): string {
  if (high === '⁻') return '-';
  return high === '⁺' ? '+' : String(SUPERSCRIPTS.indexOf(high));
}

/** Whether a text would be a number if its comma were a decimal point or a separator. */
export function hasDoubtfulComma(text: string): boolean {
  return /^[\s\d.,_'’eE+−-]*\d[,'’_]\d[\s\d.,_'’eE+−-]*$/.test(text);
}

/** Whether a text was read as 0 but states a positive number below the least double. Rounded to 0, it would be on the unsafe side. */
export function underflows(x: number, text: string): boolean {
  return x === 0 && /[1-9]/.test(text.replace(/e.*/i, ''));
}
