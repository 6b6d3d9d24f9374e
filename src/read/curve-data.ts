import { InputSyntaxError, quotable, requireList } from '../errors.js';
import { pairOfMasses } from '../law/polygon.js';
import { requireMasses } from '../mechanism/checks.js';
import { type Tabulated, type TradeoffPoints, tabulated, tradeoffPoints } from '../mechanism/kinds/index.js';
import { underflows } from '../text/typed.js';

/** Curves as numerical accountants leave them: breakpoints, two probability mass functions, points of a profile. */

const COLUMNS = [
  ['alpha', 'beta'],
  ['x', 'y'],
  ['epsilon', 'delta'],
] as const;

type Columns = (typeof COLUMNS)[number];

function columnsOf(text: string): Columns | undefined {
  const [header] = text.split(/\r?\n/, 1);
  const names = header.split(',').map((name) =>
    name
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .toLowerCase(),
  );
  return COLUMNS.find((columns) => names.length === 2 && columns.every((name, i) => names[i] === name));
}

/** Whether a text is a table with the columns alpha, beta; x, y; or epsilon, delta. */
export function looksLikeCurve(text: string): boolean {
  return columnsOf(text.replace(/^\uFEFF/, '')) !== undefined;
}

/** @throws SyntaxError | RangeError naming the line that is no pair of numbers, or the point that is none of a curve. */
export function curveOfTable(text: string): { mechanism: Tabulated | TradeoffPoints; note: string } {
  const columns = columnsOf(text.replace(/^\uFEFF/, '')) as Columns;
  const rows: [number, number][] = [];
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    if (i === 0 || line.trim() === '') continue;
    const cells = line.split(',').map((cell) => cell.trim());
    const numbers = cells.map((cell) => (cell === '' ? Number.NaN : Number(cell)));
    if (numbers.length !== 2 || numbers.some((x, k) => Number.isNaN(x) || underflows(x, cells[k])))
      throw new InputSyntaxError(`line ${i + 1} must be two numbers, got "${quotable(line)}"`);
    rows.push([numbers[0], numbers[1]]);
  }
  switch (columns[0]) {
    case 'alpha':
      return {
        mechanism: tradeoffPoints({ points: rows.map(([alpha, beta]) => ({ alpha, beta })) }),
        note: BREAKPOINTS,
      };
    case 'x':
      return {
        mechanism: curveOfMasses(
          rows.map(([x]) => x),
          rows.map(([, y]) => y),
        ),
        note: MASSES,
      };
    default:
      return {
        mechanism: tabulated({ points: rows.map(([epsilon, delta]) => ({ epsilon, delta })) }),
        note: 'its rows are taken as points of a privacy profile: (epsilon, delta)-DP at each',
      };
  }
}

export const BREAKPOINTS =
  'its points are taken as the breakpoints of a trade-off function, straight in between; for values read off a curve that bends say "linear": false in JSON';
export const MASSES =
  'x and y are taken as the probability mass functions of one output on neighbouring data sets, and their trade-off function is what is accounted';

/** Whether JSON is a pair of probability mass functions. */
export function isMasses(data: object): boolean {
  return Object.hasOwn(data, 'x') && Object.hasOwn(data, 'y');
}

/** Roundings of a vertex: of its sums, and of the point once moved. */
const MOVED = 1e-15;

/**
 * The breakpoints of T(X, Y) (REP algorithm 1), moved towards (0, 0) by more than their rounding. The ends (0, 1) and (1, 0) of masses that are
 * complete are exact and stay: the segment from a moved vertex to either end lies below the one that was there, and f above both.
 */
export function curveOfMasses(x: unknown, y: unknown): TradeoffPoints {
  requireList('x', x, 'probabilities');
  requireMasses(x, y);
  const { vertices } = pairOfMasses(x as number[], y as number[]).forward;
  const { alpha, beta, rest, relative } = vertices!;
  const kept = 1 - relative - MOVED;
  const points: { alpha: number; beta: number }[] = [];
  for (let i = 0; i < alpha.length; i++) {
    // sums of masses may miss 1 by a rounding; what they leave of it starts from what is missing
    const isStart = alpha[i] === 0 && rest!.beta[i] === 0;
    const isEnd = beta[i] === 0 && rest!.alpha[i] === 0;
    if (isStart || isEnd) continue;
    const point = { alpha: alpha[i] * kept, beta: Math.min(beta[i] * kept, 1 - alpha[i] * kept) };
    const last = points.at(-1);
    if (last !== undefined && point.alpha === last.alpha) points.pop();
    points.push(point);
  }
  return tradeoffPoints({ points: points.length > 0 ? points : [{ alpha: 0, beta: 1 }] });
}
