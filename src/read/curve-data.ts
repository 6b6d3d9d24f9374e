import { InputSyntaxError, quotable, requireList } from '../errors.js';
import { pairOfMasses } from '../law/polygon.js';
import { requireMasses } from '../mechanism/checks.js';
import { type Tabulated, type TradeoffPoints, tabulated, tradeoffPoints } from '../mechanism/kinds/index.js';
import { tableIn } from '../text/decode.js';
import { underflows } from '../text/typed.js';

/**
 * Curves in the formats of numerical accountants: breakpoints of a trade-off function, two probability mass functions, or points of a privacy
 * profile.
 */

type Curve = { readonly mechanism: Tabulated | TradeoffPoints; readonly notes: readonly string[] };

/** The parser of a table, by the names of its columns. */
const TABLES: Readonly<Record<string, (rows: readonly (readonly [number, number])[]) => Curve>> = {
  'alpha,beta': (rows) => ({
    mechanism: tradeoffPoints({ points: rows.map(([alpha, beta]) => ({ alpha, beta })) }),
    notes: [BREAKPOINTS],
  }),
  'x,y': (rows) => {
    const [x, y] = [rows.map(([one]) => one), rows.map(([, other]) => other)];
    return { mechanism: curveOfMasses(x, y), notes: [MASSES] };
  },
  'epsilon,delta': (rows) => ({
    mechanism: tabulated({ points: rows.map(([epsilon, delta]) => ({ epsilon, delta })) }),
    notes: ['its rows are taken as points of a privacy profile: (epsilon, delta)-DP at each'],
  }),
};

/**
 * The curve in a table with the columns alpha, beta; x, y; or epsilon, delta. Undefined for any other text.
 *
 * @throws SyntaxError | RangeError naming the line that is no pair of numbers, or the point that no such curve can have.
 */
export function curveOfTable(text: string): Curve | undefined {
  const { names, rows } = tableIn(text);
  const columns = names.join().toLowerCase();
  if (!Object.hasOwn(TABLES, columns)) return undefined;
  let lost = false;
  const points = rows().map(({ line, number, cells }) => {
    const [x, y, ...more] = cells.map((cell) => (cell === '' ? Number.NaN : Number(cell)));
    const vanishes = underflows(x, cells[0]) || underflows(y, cells[1]);
    lost ||= vanishes;
    if (Number.isNaN(x + y) || more.length > 0 || (vanishes && columns !== 'x,y'))
      throw new InputSyntaxError(`line ${number} must be two numbers, got "${quotable(line)}"`);
    return [x, y] as const;
  });
  const { mechanism, notes } = TABLES[columns](points);
  return { mechanism, notes: [...notes, ...(lost ? [VANISHED] : [])] };
}

/** Smaller masses x ≤ X and y ≤ Y give every test smaller error rates. So T(x, y) ≤ T(X, Y): a mass that underflows to 0 keeps the bound valid. */
const VANISHED = 'probabilities below the smallest double are taken as 0, which never overstates privacy';

export const BREAKPOINTS =
  'its points are taken as the breakpoints of a trade-off function, straight in between; for values read off a curve that bends say "linear": false in JSON';
export const MASSES =
  'x and y are taken as the probability mass functions of one output on neighbouring data sets, and their trade-off function is what is accounted';

/** Whether parsed JSON is a pair of probability mass functions. */
export function isMasses(data: object): boolean {
  return Object.hasOwn(data, 'x') && Object.hasOwn(data, 'y');
}

/** A relative amount above the rounding errors of moving a vertex towards (0, 0). */
const MOVED = 1e-15;

/**
 * The breakpoints of T(X, Y), where x and y are the masses of X and Y (Gomez et al. 2025, algorithm 1). They are moved towards (0, 0)
 * by more than their rounding errors, so that the polygon is a lower bound. The ends (0, 1) and (1, 0) are exact where no mass is
 * missing, and are not moved.
 */
export function curveOfMasses(x: unknown, y: unknown): TradeoffPoints {
  requireList('x', x, 'probabilities');
  requireMasses(x, y);
  const { vertices } = pairOfMasses(x as number[], y as number[]).forward;
  const { alpha, beta, rest, relative } = vertices!;
  const kept = 1 - relative - MOVED;
  const points: { alpha: number; beta: number }[] = [];
  for (let i = 0; i < alpha.length; i++) {
    // (0, 1) and (1, 0) are implied. If the masses do not sum to exactly 1, the end vertices differ from these and are stated.
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
