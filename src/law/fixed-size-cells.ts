/**
 * One step of Gaussian noise on a sample of fixed size, one record replaced: (1−η)N(y) + ηN(x) against (1−η)N(y) + ηN(x′). Here N(y) is the noise with mean y,
 * and η is the share of the records that is drawn. The gradients x, x′ and y of the record, its replacement, and the record drawn in its place are any three
 * vectors of a ball.
 *
 * Triangles (x, y, x′) are divided into cells; each cell has a pair of finitely many losses that dominates it (docs/proofs/fixed-size.md, 1 to 6).
 */
import type { Kernel } from '../kernel/kernel.js';
import { SQRT_2PI, U } from '../numeric/constants.js';
import { charge } from '../numeric/meter.js';
import { MANY_ROUNDINGS, ROUNDINGS, up } from '../numeric/rounding.js';
import { exp, expm1, normalCdf } from '../numeric/scalar.js';
import type { StepBound } from './drawn-copies.js';
import { hulled, type LossPlaces } from './profile-hull.js';

/** Upper bound of the relative rounding error of the sum of `above`. */
const OF_CELLS = 1e-11;
/** Upper bound of the truncation error of the integral of `above` over [−END, END], which is 2Φ(−9) = 2.3e-19. */
const SMALLEST = 1e-18;

/** The sides |x − y| (`own`), |x − x′| (`between`) and |x′ − y| (`other`) of a triangle, in standard deviations of the noise. */
interface Sides {
  readonly own: number;
  readonly between: number;
  readonly other: number;
}

/** A set of triangles (x, y, x′) of gradients: of the record, of the record drawn in its place, and of its replacement. */
export interface Cell {
  /** Upper bounds of the sides `own` and `between`, and a lower bound of `other`. */
  readonly sides: Sides;
  /** The bounds of `sides` for the exchanged pair, in which the sides `own` and `other` are exchanged. */
  readonly exchanged: Sides;
  /** Whether the cell contains the extreme case where the record drawn in its place has the gradient of the record, or of its replacement. */
  readonly extreme: boolean;
  /** The cells into which this one is divided; none for a leaf. */
  parts(): readonly Cell[];
}

/** Relative amount by which sides are extended, so that rounding leaves no gap between cells. */
const OUT = 1e-12;

/** Sines and cosines of angles from 0 to π/2, denser at both ends, where the worst triangles are. */
function angles(divisions: number): { readonly sin: number; readonly cos: number }[] {
  return Array.from({ length: divisions + 1 }, (_, i) => {
    const [x, y] = [i, divisions - i].map((k) => (k / divisions) ** 2 * (3 - (2 * k) / divisions));
    const length = Math.sqrt(x * x + y * y);
    return { sin: x / length, cos: y / length };
  });
}

/**
 * A tree of cells of the triangles without an obtuse angle whose circumradius is half the diameter. Cells are intervals of the angles at x′ and at x;
 * a side is the diameter times the sine of the opposite angle (fixed-size.md, 3 and 4).
 *
 * Ensures: every step is dominated by the triangle of some leaf; bounds of sides are rounded outward by `OUT`.
 */
function cellsOf(diameter: number, divisions: number): Cell {
  const at = angles(divisions);
  const made = (i: number, j: number, size: number): Cell | undefined => {
    const low = [at[i], at[j]];
    const high = [at[i + size], at[j + size]];
    // if the largest angle sum is below π/2, the third angle is obtuse
    if (high[0].cos * high[1].cos - high[0].sin * high[1].sin > -ROUNDINGS) return undefined;
    const acute = low[0].cos * low[1].cos < low[0].sin * low[1].sin;
    const between = diameter * (acute ? low[0].sin * low[1].cos + low[0].cos * low[1].sin : 1) * (1 + OUT);
    const sides = (k: number): Sides => ({
      own: diameter * high[k].sin * (1 + OUT),
      between,
      other: diameter * low[1 - k].sin * (1 - OUT),
    });
    const half = size / 2;
    const parts = (): readonly Cell[] => {
      const corners = [
        [i, j],
        [i + half, j],
        [i, j + half],
        [i + half, j + half],
      ];
      return size > 1 ? corners.flatMap(([k, l]) => made(k, l, half) ?? []) : [];
    };
    const extreme = size === 1 && Math.abs(i - j) === divisions - 1;
    return { sides: sides(0), exchanged: sides(1), extreme, parts };
  };
  return made(0, 0, divisions)!;
}

/**
 * Integrals run over [−END, END] standard deviations, in pieces of length PIECE, or SHARP if the function G of `above` is steep.
 */
const [END, PIECE, SHARP] = [9, 0.5, 0.125];
/** Largest change of the log likelihood ratio over a piece. Only width and speed depend on it and on the lengths of pieces. */
const SPAN = 0.45;

/** A triangle in a plane: x is on a line, at 0. y and x′ are on a parallel line at the distance `aside`, at two positions along it. */
interface Placed {
  readonly aside: number;
  /** Likelihood ratios of the normal laws N(y) and N(x′) to N(x) along the lines, at the ends of the pieces. */
  readonly ratios: readonly [y: Float64Array, replaced: Float64Array];
  /** Under N(x): masses of the pieces, and the integrals over them of the two ratios, of their squares, and of their product. */
  readonly mass: Float64Array;
  readonly means: readonly [y: Float64Array, replaced: Float64Array];
  readonly squares: readonly [y: Float64Array, both: Float64Array, replaced: Float64Array];
}

/**
 * The triangle with these sides in the coordinates of `Placed`; masses and moments of pieces are values of Φ, with a few roundings. The inner
 * product of y − x and x′ − x is (own² + between² − other²)/2.
 *
 * Ensures: the norms of y − x and x′ − x and their inner product are no smaller than in any triangle with these bounds.
 */
function placed({ own, between, other }: Sides): Placed {
  const product = Math.min(own * between, (own * own + between * between - other * other) / 2);
  let apart = Math.sqrt(Math.max(0, own * own + between * between - 2 * product));
  let norm = own;
  if (apart < 1e-6 * Math.max(own, between)) [apart, norm] = [0, Math.max(own, between)];
  const first = apart === 0 ? 0 : (norm * norm - product) / apart;
  const second = first - apart;
  const aside = Math.sqrt(Math.max(0, norm * norm - first * first) + MANY_ROUNDINGS * norm * norm);
  const furthest = Math.max(Math.abs(first), Math.abs(second), 1e-9);
  const piece = aside < furthest / 2 ? SHARP : PIECE;
  const count = Math.ceil((2 * END) / Math.min(piece, SPAN / furthest));
  const ends = Float64Array.from({ length: count + 1 }, (_, i) => -END + i * ((2 * END) / count));
  const massAt = (place: number, size: number): Float64Array => {
    const tail = ends.map((z) => normalCdf(-Math.abs(z - place)));
    return Float64Array.from({ length: count }, (_, i) => {
      const sameSide = ends[i] > place === ends[i + 1] > place;
      return size * (sameSide ? Math.abs(tail[i + 1] - tail[i]) : 1 - tail[i] - tail[i + 1]);
    });
  };
  const ratioOf = (place: number): Float64Array => ends.map((z) => exp(place * z - (place * place) / 2));
  return {
    aside,
    ratios: [ratioOf(first), ratioOf(second)],
    mass: massAt(0, 1),
    means: [massAt(first, 1), massAt(second, 1)],
    squares: [
      massAt(2 * first, exp(first * first)),
      massAt(first + second, exp(first * second)),
      massAt(2 * second, exp(second * second)),
    ],
  };
}

/** Units of work for a piece in one call of `above`, besides the kernel's. */
const PIECE_PRICE = 40;
/** Rounding error of a value of the function G(r) of `above`, relative to its first term Φ(τ/2 − log r/τ). */
const ROUNDING = 64 * U;

/**
 * H_γ, the hockey-stick divergence of a step at γ = e^ε ≥ 1: `share` times the mean of G(r(z)), z ~ N(0, 1) (fixed-size.md, 5). Here G(r) = Φ(τ/2 −
 * log r/τ) − rΦ(−τ/2 − log r/τ), τ = `aside`; r is (γ − 1)(1 − share)/share times the likelihood ratio of y to x, plus γ times that of x′ to x. On a
 * piece, G is at most its chord less half the smaller G″ of both ends times the product of the distances to them.
 *
 * Ensures: no less than H of any triangle whose sides `own` and `between` are no larger, and `other` no smaller.
 */
function above(
  kernel: Kernel,
  { aside, ratios, mass, means, squares }: Placed,
  share: number,
  epsilon: number,
): number {
  const rise = expm1(epsilon);
  const [first, second] = [(rise * (1 - share)) / share, 1 + rise];
  const n = mass.length;
  charge(PIECE_PRICE * n);
  const [y, replaced] = ratios;
  const rises = y[n] >= y[0] === replaced[n] >= replaced[0];
  // if the two ratios move in opposite directions: minimum and maximum of their sum; else the sums at the ends of the pieces
  const ends = new Float64Array(rises ? n + 1 : 2 * n);
  for (let i = 0; i < n; i++) {
    const [a, b] = [first * y[i], first * y[i + 1]];
    const [c, d] = [second * replaced[i], second * replaced[i + 1]];
    if (rises) {
      ends[i] = a + c;
      ends[i + 1] = b + d;
    } else {
      ends[2 * i] = Math.min(a, b) + Math.min(c, d);
      ends[2 * i + 1] = Math.max(a, b) + Math.max(c, d);
    }
  }
  const losses = kernel.log(ends);
  const at = new Float64Array(ends.length);
  const moved = new Float64Array(ends.length);
  const values = new Float64Array(ends.length);
  for (let i = 0; i < at.length; i++) {
    at[i] = aside / 2 - losses[i] / aside;
    moved[i] = at[i] - aside;
    values[i] = (-moved[i] * moved[i]) / 2;
  }
  const bends = kernel.exp(values);
  const tests = kernel.normalCdf(at);
  const falses = kernel.normalCdf(moved);
  for (let i = 0; i < at.length; i++) {
    const rounding = tests[i] * (ROUNDING + 4 * Math.abs(losses[i]) * U);
    values[i] = Math.max(0, tests[i] - ends[i] * falses[i]) + rounding;
    bends[i] /= SQRT_2PI * aside * ends[i];
  }
  let sum = 0;
  for (let i = 0; i < n; i++) {
    const k = rises ? i : 2 * i;
    const [begin, end] = [ends[k], ends[k + 1]];
    const mean = (first * means[0][i] + second * means[1][i]) / mass[i];
    const square =
      (first * first * squares[0][i] + 2 * first * second * squares[1][i] + second * second * squares[2][i]) /
      mass[i];
    const far = begin === end ? 0 : Math.min(1, Math.max(0, (mean - begin) / (end - begin)));
    const inside =
      (begin + end) * mean - begin * end - square - MANY_ROUNDINGS * (begin + end) * (begin + end);
    const under = 0.5 * Math.max(0, inside) * Math.min(bends[k], bends[k + 1]) * (1 - 1e-6);
    const chord = values[k] + far * (values[k + 1] - values[k]);
    sum += mass[i] * (chord - Math.min(under, chord));
  }
  return share * (up(sum, OF_CELLS) + SMALLEST);
}

/**
 * Once weight·H of a `StepBound` is below LEAST + OF_REST·`rest`, that value bounds it at all larger losses, as H falls. Only width and speed depend on both.
 */
const [LEAST, OF_REST] = [1e-19, 1e-6];

/**
 * A function of the sides of a triangle: upper bounds of the hockey-stick divergence H of its step at the listed losses, by `above`, decreasing. Of
 * several `bounds` (`StepBound`) each loss has the one that is least for the longest sides. Ensures: no less than H at each loss.
 */
function profilesBy(
  kernel: Kernel,
  { diameter, bounds }: Pick<Looked, 'diameter' | 'bounds'>,
  { h, at }: LossPlaces,
): (sides: Sides) => Float64Array {
  const rests = bounds.map(({ rest }) => Float64Array.from(at, (k) => rest(k * h)));
  const by = (sides: Sides, chosen: Uint8Array): Float64Array => {
    const known = placed(sides);
    const own = bounds.map(() => 1);
    const values = new Float64Array(at.length);
    for (let k = 0; k < at.length; k++) {
      const { weight, share } = bounds[chosen[k]];
      const rest = rests[chosen[k]][k];
      let last = own[chosen[k]];
      if (last > LEAST + OF_REST * rest)
        last = Math.min(last, weight * above(kernel, known, share, at[k] * h));
      own[chosen[k]] = last;
      values[k] = Math.min(k > 0 ? values[k - 1] : 1, last + rest);
    }
    return values;
  };
  if (bounds.length === 1) return (sides) => by(sides, new Uint8Array(at.length));
  const longest = { own: diameter, between: diameter, other: 0 };
  const each = bounds.map((_, i) => by(longest, new Uint8Array(at.length).fill(i)));
  const least = Uint8Array.from(at, (_, k) => {
    const all = each.map((values) => values[k]);
    return all.indexOf(Math.min(...all));
  });
  return (sides) => by(sides, least);
}

/** Upper bounds of δ(ε) of a pair, `forward`, and of the exchanged pair, `backward`, at the listed losses ε. */
export interface Profiles {
  readonly forward: Float64Array;
  readonly backward: Float64Array;
  readonly places: LossPlaces;
  /** If the pair dominates a cell: profiles of the cell's parts that no mixture of the extreme pairs dominates. */
  readonly parts: readonly Profiles[];
}

/** Pairs one of which is the worst step for any f-divergence. */
export interface WorstPairs {
  /** The extreme pair, in which the record drawn in its place has the gradient of the replacement, and its exchanged pair. */
  readonly extremes: readonly Profiles[];
  /** The cells that no mixture of `extremes` dominates, as trees: the profile of a cell is above those of its parts. */
  readonly others: readonly Profiles[];
}

/**
 * Steps and the resolution of their cells: diameter of the ball, bounds of H, and number of divisions of an angle. The extreme pairs are raised by the
 * relative amount `raised`, so that they dominate the triangles close to them.
 */
export interface Looked {
  readonly diameter: number;
  readonly bounds: readonly StepBound[];
  readonly divisions: number;
  readonly raised: number;
}

/** Profiles of cells of triangles at the listed losses. */
export interface CellProfiles {
  readonly root: Cell;
  /** Profiles `forward` and `backward` of the extreme pair of `WorstPairs`, raised. */
  readonly large: Float64Array;
  readonly small: Float64Array;
  /** Profiles that dominate a cell. */
  of(cell: Cell): Profiles;
}

/** Profiles of cells by `profilesBy`, each set of sides computed once. Ensures: those of a cell are no less than the hockey-stick divergence of any step in it. */
export function cellProfiles(kernel: Kernel, looked: Looked, places: LossPlaces): CellProfiles {
  const { diameter, divisions, raised } = looked;
  const root = cellsOf(diameter, divisions);
  const profileAt = profilesBy(kernel, looked, places);
  // a cell's exchanged sides are the sides of the cell with the angles at x and x′ exchanged, so each profile is used twice
  const known = new Map<string, Float64Array>();
  const profile = (sides: Sides): Float64Array => {
    const key = `${sides.own} ${sides.between} ${sides.other}`;
    const found = known.get(key) ?? profileAt(sides);
    known.set(key, found);
    return found;
  };
  const extreme = extremeOf(root)!;
  const { sides: one, exchanged: other } = extreme;
  const [long, short] = (one.own > other.own ? [one, other] : [other, one]).map((sides) =>
    profile(sides).map((value) => value * (1 + raised)),
  );
  const large = hulled(long, places);
  // at no loss does the extreme pair's exchanged pair have the larger δ, so `large` is an upper bound of the exchanged pair's δ too
  const least = hulled(
    short.map((value, k) => Math.min(value, large[k])),
    places,
  );
  const small = least.map((value, k) => (k === 0 ? large[0] : Math.min(value, large[k])));
  const of = ({ sides, exchanged }: Cell): Profiles => {
    // no side exceeds the diameter, so H is at most that of the extreme pair
    const [forward, backward] = [sides, exchanged].map((own) =>
      profile(own).map((value, k) => Math.min(value, large[k])),
    );
    forward[0] = Math.max(forward[0], backward[0]);
    backward[0] = forward[0];
    return { forward: hulled(forward, places), backward: hulled(backward, places), places, parts: [] };
  };
  return { root, large, small, of };
}

/**
 * Pairs one of which is the worst step, whatever is composed with it: the two extreme pairs, and cells that no mixture of them dominates. δ of a
 * composition is an f-divergence of the step, which is linear in its profile. So if a mixture is above both profiles of a cell, one of the extreme
 * pairs is at least as bad (fixed-size.md, 6).
 *
 * Ensures: each f-divergence of a step is at most the largest of those of the extreme pairs and the leaves.
 */
export function worstPairs(kernel: Kernel, looked: Looked, places: LossPlaces): WorstPairs {
  const { root, large, small, of } = cellProfiles(kernel, looked, places);
  const kept = (cell: Cell): readonly Profiles[] => {
    if (cell.extreme) return [];
    const pair = of(cell);
    if (isBelowMixture(pair, large, small)) return [];
    const parts = cell.parts();
    const within = parts.flatMap(kept);
    return parts.length > 0 && within.length === 0 ? [] : [{ ...pair, parts: within }];
  };
  return {
    extremes: [
      { forward: large, backward: small, places, parts: [] },
      { forward: small, backward: large, places, parts: [] },
    ],
    others: root.parts().flatMap(kept),
  };
}

/** The first leaf of the tree of cells that contains an extreme triangle (`Cell.extreme`), by an exact search; undefined if there is none. */
function extremeOf(cell: Cell): Cell | undefined {
  if (cell.extreme) return cell;
  for (const part of cell.parts()) {
    const found = extremeOf(part);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * One pair that dominates every step. Both its profiles are the hockey-stick divergence of the worst sides: d, d and 0, d the ball's diameter
 * (fixed-size.md, 2).
 *
 * Ensures: no step has a larger δ than this pair, in either direction.
 */
export function dominatingPair(
  kernel: Kernel,
  sizes: Pick<Looked, 'diameter' | 'bounds'>,
  places: LossPlaces,
): Profiles {
  const each = profilesBy(kernel, sizes, places)({ own: sizes.diameter, between: sizes.diameter, other: 0 });
  return { forward: each, backward: each, places, parts: [] };
}

/**
 * Whether a mixture of the extreme pairs dominates a pair. For some λ in [0, 1], forward ≤ λ·large + (1 − λ)·small and backward ≤ λ·small + (1 − λ)·large
 * at all losses. Its interval is narrowed by 1e-9 at both ends against rounding. Ensures: if true, both inequalities hold for some λ.
 */
export function isBelowMixture(
  { forward, backward }: Pick<Profiles, 'forward' | 'backward'>,
  large: Float64Array,
  small: Float64Array,
): boolean {
  let [least, most] = [0, 1];
  for (let k = 0; k < large.length; k++) {
    const range = large[k] - small[k];
    if (forward[k] > small[k]) least = Math.max(least, (forward[k] - small[k]) / range + 1e-9);
    if (backward[k] > small[k]) most = Math.min(most, (large[k] - backward[k]) / range - 1e-9);
  }
  return least <= most;
}
