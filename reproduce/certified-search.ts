import type { Bracket } from '../src/index.js';

/** A convex, decreasing function on [0, 1] with values in [0, 1], such as a trade-off function, by brackets of its values. */
export type ConvexCurve = (alpha: number) => Bracket;

export interface Gap {
  /** Contains max over α of f(α) − g(α), or 0 if that is negative. */
  readonly gap: Bracket;
  /** An α at which f − g is at least `gap.lower`. */
  readonly alpha: number;
}

interface Node {
  readonly alpha: number;
  readonly f: Bracket;
  readonly g: Bracket;
}

interface CellBound {
  readonly value: number;
  readonly alpha: number;
}

const FIRST = 64;
const MAX_NODES = 3000;

/**
 * The largest excess of one convex decreasing curve over another, by branch and bound. In a cell between two
 * neighbouring nodes f lies below its chord, and g, being convex, above the chords of the two cells beside it,
 * prolonged, and above its value at the cell's right end. So f − g lies below a minimum of three lines, whose
 * largest value is at an end of the cell or where two of the lines meet. The cell with the largest bound is
 * divided until no bound is more than `tolerance` above a difference that is attained.
 */
export function largestExcess(f: ConvexCurve, g: ConvexCurve, tolerance: number): Gap {
  const at = (alpha: number): Node => ({ alpha, f: f(alpha), g: g(alpha) });
  const nodes = Array.from({ length: FIRST + 1 }, (_, i) => at(i / FIRST));
  const bounds = nodes.slice(1).map((_, i) => cellBound(nodes, i));
  let reached = { value: 0, alpha: 0 };
  const note = ({ alpha, f, g }: Node): void => {
    if (f.lower - g.upper > reached.value) reached = { value: f.lower - g.upper, alpha };
  };
  nodes.forEach(note);
  let bound = 1;
  while (true) {
    let worst = 0;
    for (let i = 1; i < bounds.length; i++) if (bounds[i].value > bounds[worst].value) worst = i;
    bound = Math.max(reached.value, bounds[worst].value);
    if (bound - reached.value <= tolerance || nodes.length >= MAX_NODES) break;
    const [a, b] = [nodes[worst].alpha, nodes[worst + 1].alpha];
    const guess = bounds[worst].alpha;
    const inside = guess > a + 0.05 * (b - a) && guess < b - 0.05 * (b - a);
    const middle = inside ? guess : (a + b) / 2;
    if (!(middle > a && middle < b)) break;
    const node = at(middle);
    note(node);
    nodes.splice(worst + 1, 0, node);
    bounds.splice(worst, 1, node as never, node as never);
    for (let i = Math.max(0, worst - 1); i <= Math.min(worst + 2, bounds.length - 1); i++)
      bounds[i] = cellBound(nodes, i);
  }
  const lower = Math.max(0, reached.value - 2e-16);
  return { gap: { lower, upper: bound + 2e-16 }, alpha: reached.alpha };
}

/** The largest distance |f − g|. */
export function largestDistance(f: ConvexCurve, g: ConvexCurve, tolerance: number): Gap {
  const [over, under] = [largestExcess(f, g, tolerance), largestExcess(g, f, tolerance)];
  const wider = over.gap.lower >= under.gap.lower ? over : under;
  const upper = Math.max(over.gap.upper, under.gap.upper);
  return { gap: { lower: wider.gap.lower, upper }, alpha: wider.alpha };
}

interface Line {
  /** At the cell's ends. */
  readonly left: number;
  readonly right: number;
}

/** The most that f − g can be between nodes i and i + 1, and about where. */
function cellBound(nodes: readonly Node[], i: number): CellBound {
  const [before, a, b, after] = [nodes[i - 1], nodes[i], nodes[i + 1], nodes[i + 2]];
  const lines: Line[] = [{ left: b.g.lower, right: b.g.lower }];
  if (before !== undefined) {
    const share = (b.alpha - a.alpha) / (a.alpha - before.alpha);
    const right = a.g.lower + share * (a.g.lower - before.g.upper) - ROUNDING * (1 + share);
    lines.push({ left: a.g.lower, right });
  }
  if (after !== undefined) {
    const share = (b.alpha - a.alpha) / (after.alpha - b.alpha);
    const left = b.g.lower + share * (b.g.lower - after.g.upper) - ROUNDING * (1 + share);
    lines.push({ left, right: b.g.lower });
  }
  // f − g along the cell, t from 0 to 1
  const excess = (t: number): number =>
    Math.min(...lines.map((line) => between(a.f.upper, b.f.upper, t) - between(line.left, line.right, t)));
  const places = [0, 1];
  for (const p of lines) {
    for (const q of lines) {
      const t = (p.left - q.left) / (p.left - q.left + q.right - p.right);
      if (t > 0 && t < 1) places.push(t);
    }
  }
  let best = { value: -Infinity, alpha: a.alpha };
  for (const t of places) {
    const value = excess(t) + ROUNDING;
    if (value > best.value) best = { value, alpha: a.alpha + t * (b.alpha - a.alpha) };
  }
  return best;
}

/** Above the rounding of the few operations on numbers up to 1 that make a bound. */
const ROUNDING = 2e-15;

function between(left: number, right: number, t: number): number {
  return left + t * (right - left);
}

export function certainlyBelow(a: Bracket, b: Bracket): boolean {
  return a.upper < b.lower;
}

/**
 * Where f, below g at `from`, comes to be above it, for a pair that crosses once in between: it is certainly below at the
 * lower end and certainly above at the upper one.
 *
 * @throws Error if that is not so at `from` and `to`.
 */
export function crossing(
  f: (x: number) => Bracket,
  g: (x: number) => Bracket,
  from: number,
  to: number,
): Bracket {
  if (!certainlyBelow(f(from), g(from)) || !certainlyBelow(g(to), f(to)))
    throw new Error(`no crossing between ${from} and ${to}`);
  let [lower, upper] = [from, to];
  while (upper - lower > 1e-9) {
    const middle = (lower + upper) / 2;
    const [a, b] = [f(middle), g(middle)];
    if (certainlyBelow(a, b)) lower = middle;
    else if (certainlyBelow(b, a)) upper = middle;
    else break;
  }
  return { lower, upper };
}
