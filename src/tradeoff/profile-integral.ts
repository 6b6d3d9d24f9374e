import { type Bracket, bracket } from '../numeric/bracket.js';
import { U } from '../numeric/constants.js';
import { gaussLegendre } from '../numeric/gauss-legendre.js';
import { LONG_SUM, TO_12_DIGITS, up } from '../numeric/rounding.js';
import { exp, expm1, log } from '../numeric/scalar.js';
import { turningPoint } from '../numeric/solve.js';
import type { DirectedRun } from '../run/directed-run.js';

/** An upper bound of δ at a node, and the rates of a test: δ ≥ tpr − t·fpr at every t = e^ε. */
interface Node {
  readonly epsilon: number;
  readonly upper: number;
  readonly tpr: number;
  readonly fpr: number;
}

/** The ε between two nodes. */
interface Cell {
  readonly a: Node;
  readonly b: Node;
  /** Largest distance between the chord above δ and the lines below it. */
  readonly gap: number;
  /** ε at which the supporting lines of both ends intersect. */
  readonly corner: number;
}

/** Largest number of rounds in which cells are divided. Only width and speed depend on it. */
const PASSES = 14;
/** Number of cells from which on none are divided. Only width and speed depend on it. */
const MAX_NODES = 3000;
/** Quadrature rule on each part of a cell, on either side of a kink of the weight. */
const RULE = gaussLegendre(5);

/** Cells end where log δ falls below this; the integral beyond is bounded, not computed. Only width depends on it. */
const LOG_TOP = -80;

/**
 * Integrals of δ(ε), ε ≥ 0, of one pair against smooth weights. As δ is convex in e^ε, it is below the chords of a mesh and above lines of tests. The mesh
 * is refined until the area between them is about 1e-9 of the whole, or there are 3000 cells.
 */
export class ProfileIntegral {
  private readonly cells: readonly Cell[];
  private readonly top: number;

  /** Makes the cells. */
  constructor(private readonly run: DirectedRun) {
    this.top = turningPoint((epsilon) => run.logDelta(epsilon).upper <= LOG_TOP, {
      guess: Math.max(1e-9, run.guessEpsilon(LOG_TOP)),
      ceiling: 1e9,
      relative: 1e-3,
      absolute: TO_12_DIGITS,
    }).high;
    if (!(this.top > 0 && this.top < Infinity) || run.logDelta(0).upper === -Infinity) {
      this.cells = [];
      return;
    }
    let cells: Cell[] = [];
    const first = 64;
    let a = this.node(0);
    for (let i = 1; i <= first; i++) {
      // denser towards 0, where δ is largest
      const b = this.node(this.top * (i / first) * (i / first));
      cells.push(cellOf(a, b));
      a = b;
    }
    for (let pass = 0; pass < PASSES && cells.length < MAX_NODES; pass++) {
      let area = 0;
      for (const cell of cells) area += cell.a.upper * (cell.b.epsilon - cell.a.epsilon);
      const enough = (1e-9 * area) / cells.length;
      const next: Cell[] = [];
      for (const cell of cells) {
        const length = cell.b.epsilon - cell.a.epsilon;
        const split = cell.gap * length > enough && length > 64 * U * (cell.b.epsilon + 1e-9);
        if (!split) {
          next.push(cell);
          continue;
        }
        const middle = this.node(cell.corner);
        next.push(cellOf(cell.a, middle), cellOf(middle, cell.b));
      }
      if (next.length === cells.length) break;
      cells = next;
    }
    this.cells = cells;
  }

  /** The node at ε, δ rounded up. */
  private node(epsilon: number): Node {
    const logs = this.run.logDelta(epsilon);
    const { logFpr, logTpr } = this.run.test(epsilon);
    const upper = logs.upper === -Infinity ? 0 : up(exp(logs.upper), 4 * U);
    return { epsilon, upper, tpr: exp(logTpr), fpr: exp(logFpr) };
  }

  /**
   * Bracket of ∫₀^∞ weight(ε) δ(ε) dε by Gauss–Legendre quadrature of the chords, less or more the gaps of cells. The weight may have either sign. It
   * grows at most like a power, and is smooth but at `kink`.
   */
  of(weight: (epsilon: number) => number, kink = 0): Bracket {
    if (!(this.top < Infinity)) return bracket(-Infinity, Infinity);
    let sum = 0;
    let size = 0;
    let below = 0;
    let above = 0;
    for (const { a, b, gap } of this.cells) {
      const length = b.epsilon - a.epsilon;
      const rise = expm1(length);
      const bend = kink > a.epsilon && kink < b.epsilon ? kink - a.epsilon : length;
      let largest = 0;
      let smallest = 0;
      for (const [from, to] of [
        [0, bend],
        [bend, length],
      ]) {
        for (const [i, t] of RULE.node.entries()) {
          const s = from + t * (to - from);
          const value = weight(a.epsilon + s);
          const part =
            RULE.weight[i] * (to - from) * value * (a.upper + (b.upper - a.upper) * (expm1(s) / rise));
          sum += part;
          size += Math.abs(part);
          largest = Math.max(largest, value);
          smallest = Math.min(smallest, value);
        }
      }
      // the chord exceeds δ by at most the gap; 1.1 covers the weight between nodes of the rule
      below += 1.1 * gap * length * largest;
      above -= 1.1 * gap * length * smallest;
    }
    let tail = 0;
    // beyond the last cell, on intervals [from, 2·from], δ is at most its value at their start
    for (let from = this.top; from < 1e30; from *= 2) {
      const log1 = this.run.logDelta(from).upper;
      tail += exp(Math.min(0, log1 + log(2 * from * (1e-300 + Math.abs(weight(2 * from))))));
      if (log1 < -1e4) break;
    }
    const slack = LONG_SUM * size + tail;
    return bracket(sum - below - slack, sum + above + slack);
  }
}

/** The cell between two nodes: the largest gap between the chord and the lines is at an end, or where the lines intersect. */
function cellOf(a: Node, b: Node): Cell {
  const ta = exp(a.epsilon);
  const length = b.epsilon - a.epsilon;
  const rise = ta * expm1(length);
  const lineA = a.tpr - ta * a.fpr;
  const lineB = b.tpr - ta * (1 + expm1(length)) * b.fpr;
  // intersection of the two ends' supporting lines, in t − t_a
  const slope = a.fpr - b.fpr;
  const meet = slope > 0 ? (a.tpr - b.tpr) / slope - ta : rise / 2;
  const inside = meet > 1e-6 * rise && meet < (1 - 1e-6) * rise;
  const at = inside ? meet : rise / 2;
  const chord = a.upper + (b.upper - a.upper) * (at / rise);
  const below = Math.max(0, lineA - at * a.fpr, b.tpr - (ta + at) * b.fpr);
  const gap = Math.max(chord - below, a.upper - lineA, b.upper - lineB) + 4 * U * a.tpr;
  return { a, b, gap, corner: a.epsilon + log(1 + at / ta) };
}
