import { exp, log } from '../../numeric/scalar.js';
import type { DirectedRun } from '../../run/directed-run.js';
import type { TriesLaw } from './tries-law.js';

/** The cells begin here, below every rate that is told apart; what lies before has a bound of its own. Only tightness hangs on it. */
const SMALLEST = 1e-300;
/** Cells made at most, and the relative gap to what is attained at which no more are. Only tightness and speed hang on them. */
const MOST_CELLS = 1000;
const CLOSE = 1e-9;
/** Where cells are bounded at their ends alone. */
const CLOSE_AT_ENDS = 1e-6;

/**
 * c = sup_x log φ′(1 − x)/φ′(1 − g(x)) from above, g(x) the largest mass in the other world of a set of mass x in this: what
 * selection adds to ε (docs/proofs/select.md, 2 and 3). On a cell g lies below any line e^ω x + δ(ω), and along a line the
 * cost is monotone, so it is bounded at the cell's ends. The cell with the largest bound is halved until that is close
 * to a value at a point: nothing is left between the points of a mesh.
 *
 * @param opposite The direction opposite to the one whose δ is bounded.
 * @param width Of the brackets of its log δ to aim at.
 */
export function selectionCost(tries: TriesLaw, opposite: DirectedRun, width: number): number {
  if (tries.most === 1) return 0;
  const cells: { x: number; y: number; bound: number }[] = [];
  const bounded = (x: number, y: number): number => cellBound(tries, opposite, [x, y], width);
  for (let y = SMALLEST, x = 0; x < 1; ) {
    cells.push({ x, y, bound: bounded(x, y) });
    x = y;
    y = y < 0.5 ? Math.min(y * 1e3, 0.5) : 1;
  }
  const close = tries.monotone ? CLOSE : CLOSE_AT_ENDS;
  let seen = 0;
  for (let made = 0; ; made++) {
    const at = cells.reduce((best, { bound }, i) => (bound > cells[best].bound ? i : best), 0);
    const { x, y, bound } = cells[at];
    const middle = x > 0 && y / x > 4 ? Math.sqrt(x) * Math.sqrt(y) : x + (y - x) / 2;
    if (bound === Infinity || made >= MOST_CELLS || x === 0 || !(middle > x && middle < y)) return bound;
    seen = Math.max(seen, bounded(middle, middle));
    if (bound - seen <= close * bound) return bound;
    cells[at] = { x, y: middle, bound: Math.min(bound, bounded(x, middle)) };
    cells.push({ x: middle, y, bound: Math.min(bound, bounded(middle, y)) });
  }
}

/** An upper bound of the cost on [x, y]; any ω will do, and the test whose mass lies within names a good one. */
function cellBound(tries: TriesLaw, run: DirectedRun, [x, y]: [number, number], width: number): number {
  const omega = y < 1 ? run.guessOmega(log(x > 0 ? Math.sqrt(x) * Math.sqrt(y) : y)) : 0;
  let least = tries.cost(x, 1);
  for (const w of [omega, 0]) {
    const slope = exp(w) * (1 + 1e-14);
    // a line this steep is cut at 1 at once
    if (!(slope < Infinity)) continue;
    const start = exp(run.logDelta(w, width).upper) * (1 + 1e-14);
    least = Math.min(
      least,
      boundOnLine(tries, [x, y], (at) => Math.min(1, slope * at + start)),
    );
  }
  return least;
}

/** Where the line is cut at 1 the cost falls from there on; a point a little before the cut bounds what lies after it. */
function boundOnLine(tries: TriesLaw, [x, y]: [number, number], line: (at: number) => number): number {
  if (!tries.monotone) return tries.cost(x, line(y));
  if (line(y) < 1) return Math.max(tries.cost(x, line(x)), tries.cost(y, line(y)));
  let [below, cut] = [x, y];
  for (let i = 0; i < 60 && line(below) < 1; i++) {
    const middle = below + (cut - below) / 2;
    if (line(middle) < 1) below = middle;
    else cut = middle;
    if (cut - below <= 1e-12 * cut) break;
  }
  return Math.max(tries.cost(x, line(x)), tries.cost(below, 1));
}
