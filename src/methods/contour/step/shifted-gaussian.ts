import type { KernelTable } from '../../../kernel/kernel-table.js';
import type { PathOutputs } from '../../../kernel/tilts.js';
import { subsampledLoss } from '../../../law/subsampling.js';
import { HALF_LOG_2PI, U } from '../../../numeric/constants.js';
import { LruCache } from '../../../numeric/lru-cache.js';
import { exp, expm1, log, log1p } from '../../../numeric/scalar.js';
import { firstWhere } from '../../../numeric/solve.js';
import { wholePower } from '../../../numeric/whole-power.js';
import { threeBitsBelow, windowRange } from './gaussian-range.js';
import type { Moduli } from './moduli.js';
import { EVERYTHING, sharpness } from './output-window.js';
import { type PathSums, sumsOfRows } from './path-sums.js';
import type { ShiftedOutputs } from './shifted-mesh.js';
import type { Cumulant, FarBounds } from './spectral-law.js';

/** Terms below e^{this} count as that in what a rule errs by. */
const NOTHING = -72;
/** Nodes of one line at most; beyond them there is none. Only speed hangs on it. */
const MAX_NODES = 2 ** 14;

/**
 * φ(τ) = M(c + iτ)/M(c), τ ≥ 0, of a Poisson-subsampled Gaussian. The integral over outputs is moved to Im x = a, 0 < a ≤ π/2μ.
 * In `subsampled-gaussian.ts` the P-density is φ(x), u = A + B, A = 1 − q, B = q e^{μx − μ²/2}.
 *   M(z) = ∫ φ(x + ia) u(x + ia)^z dx,   |u^{c+iτ}| = |u|^c e^{−τα},  α = arg u(x + ia) ∈ [0, μa].
 * Where the loss turns fast the integrand is small, so that few nodes serve every τ, and the moduli alone bound |φ|.
 *
 * The sum over nodes x_j + ia, step h. On Im x = y ∈ [0, 2a] the integrand is at most e^{y²/2} k(y) φ(x) u(x)^c; k = 1, or cos(μy/2)^c
 * for c < 0. So it errs by at most 2M(c) e^{2a²} k(2a) e^{−2πa/h}/(1 − e^{−2πa/h}), 2a < π/μ.
 *
 * The bound Σ h|φ u^c|e^{−τα}. Its terms are a function of x, φ(x) e^{a²/2} (u(x + ia)^{c + iτ} u(x − ia)^{c − iτ})^{½}. At
 * x + ib it has size at most e^{(a² + b²)/2} k(a + b) φ(x) u(x)^c; a + b < π/μ and a, b ≤ π/2μ. Its factor
 * e^{−τ(α(a + b) + α(a − b))/2} is ≤ 1. For α as a function of θ = μy rises and then falls on [0, π]; α(π − θ) ≥ α(θ) for θ ≤ π/2
 * and thus α(|a − b|) ≤ α(a + b). The rule errs by 2M(c) e^{(a² + b²)/2} k(a + b) e^{−2πb/h}/(1 − e^{−2πb/h}).
 *
 * With a window W(x) of width w before φ, M is the windowed integral and the sum's e^{y²/2} becomes e^{y²(1 + 1/w²)/2}. The bound takes
 * `windowBounds` for |W(x + ia)|, an entire function that gains e^{b²/2w²} at x + ib. Its own integral on the real axis takes the
 * place of M(c). For c > 0 that is up to k(a) of −c times what |u(x + ia)|^c gives.
 */
interface ShiftedNodes {
  readonly path: PathOutputs;
  /** log of what stands before |φu^c| in each term, over M(c). */
  readonly unit: number;
  /** Terms of a bound, where that is asked for. */
  readonly moduli: KernelTable | undefined;
  /** What the nodes leave out, relative to M(c). */
  readonly outside: number;
}

/** How far outputs are shifted, how far the integrand may be shifted beyond them, and the logarithm that it gains there. */
interface Shift {
  readonly a: number;
  readonly b: number;
  readonly growth: number;
}

/** A tilt of a step, and log M there. */
interface Tilt {
  readonly c: number;
  readonly logM: number;
}

/** The quadrature error of a trapezoidal sum whose integrand has grown by so much at the edges of a strip around it. Its step leaves e^{−fall}. */
export function strip(growth: number, fall: number): number {
  return (-2 * exp(growth - fall)) / expm1(-fall);
}

/**
 * Nodes of a step of three bits, which many tilts share, whose quadrature error is about e^{−depth}.
 *
 * @param bounding Whether the window is replaced by its bound.
 */
function nodesOn(
  outputs: ShiftedOutputs,
  { c, logM }: Tilt,
  depth: number,
  { a, b, growth }: Shift,
  bounding: boolean,
): ShiftedNodes | undefined {
  const { mu, window, shared, kernel } = outputs;
  const { single } = shared;
  const h = threeBitsBelow((2 * Math.PI * b) / (depth + growth + 1));
  const reach = Math.sqrt(2 * depth) + 1;
  let [from, to] = windowRange(shared, c, depth + 10, reach, window);
  if (!single && c < 0) from = Math.min(from, -Math.sqrt(2 * (depth + 10 + c * log1p(-shared.q))) - 1);
  if (single && (window === EVERYTHING || (c < 0 && window.from === -Infinity))) {
    const narrow = kernel.tiltedRange(outputs, c, depth + 10, reach);
    [from, to] = [narrow[0], Math.min(narrow[1], to)];
  }
  // rounded, so that many tilts have them in common
  const first = Math.floor(Math.floor(from) / h);
  const n = Math.min(Math.ceil(Math.ceil(to) / h), Math.floor(outputs.end / h)) - first + 1;
  if (!(n > 1 && n <= MAX_NODES)) return undefined;
  const path = outputs.along(a, { h, first, n }, bounding);
  const unit = log(h) - HALF_LOG_2PI - logM + (a * a) / 2;
  const moduli = bounding ? kernel.pathModuli(path, { c, a, unit }) : undefined;
  const sharp = (sharpness(window) * a * a) / 2;
  const range = { first: h * first, last: h * (first + n - 1), h, angle: mu * a };
  const cut = kernel.massBeyond(outputs, c, range, window, logM - sharp);
  const tails = (1 + a / window.width) * (cut + endError(outputs, { c, logM }, { h, a, b, depth }));
  const simple = c >= 0 || shared.isSimple(c);
  const logGrowth = outputs.logGrowth(c, bounding ? a + b : 2 * a, logM, bounding ? a : 0);
  const fall = (2 * Math.PI * b) / h;
  let rule = strip(2 * sharpness(window) * a * a + logGrowth, fall);
  if (moduli !== undefined) {
    let size = 1;
    if (window !== EVERYTHING && simple) {
      const turned = exp(kernel.offAxisGrowth(outputs, -c, mu * a, -Infinity, outputs.end));
      const [sum] = kernel.modulusSums(moduli, Float64Array.of(0), NOTHING);
      size += (sum + n * exp(NOTHING)) * turned;
    }
    rule = size * strip((a * a + sharpness(window) * b * b) / 2 + logGrowth, fall);
  }
  return { path, unit, moduli, outside: 1.01 * (tails + rule) };
}

/** What the sum to a window's hard end, if it has one, and the integral differ by there. */
function endError(
  outputs: ShiftedOutputs,
  { c, logM }: Tilt,
  { h, a, b, depth }: { readonly h: number; readonly a: number; readonly b: number; readonly depth: number },
): number {
  const { window, end, kernel } = outputs;
  if (end === Infinity) return 0;
  // the legs' logarithm lies below a chord
  const reach = 2 * h + 1.1 * a + (2 * b) / (depth + 1);
  const own = kernel.hardEnd(outputs, c, 0, window, { h, reach, y: a + b });
  return exp((sharpness(window) * a * a) / 2 + own - logM);
}

/** Shares of π/μ. */
const LINE_SHIFTS = [0.03, 0.08, 0.15, 0.25, 0.35, 0.43] as const;
/** Terms of a line are up to e^{a²/2} times its sum, which loses so many digits: further shifts save few nodes. */
const FURTHEST_SHIFT = 1.3;
/** Terms at either end that lie so far below what integrals are good to, in logarithms, are left out, and counted as that. Speed alone hangs on it. */
const BELOW = 12;

/** φ on a line; undefined where it would cost too much. */
export function shiftedSums(
  outputs: ShiftedOutputs,
  { c, logM }: { c: number; logM: Pick<Cumulant, 'value' | 'error'> },
  at: { dTau: number; n: number },
  depth: number,
): PathSums | undefined {
  const { mu, q, window, shared } = outputs;
  // the terms at a window's edge are up to e^{a²/2w²} times what the window passes there
  let room = Infinity;
  for (const edge of [window.from, window.to])
    if (Math.abs(edge) < Infinity)
      room = Math.min(
        room,
        Math.max(
          1,
          2 +
            logM.value -
            c * subsampledLoss(mu * edge - (mu * mu) / 2, q) +
            (edge * edge) / 2 -
            log(window.width),
        ),
      );
  const inside = room < Infinity ? threeBitsBelow(Math.min(4, Math.sqrt(2 * room)) * window.width) : Infinity;
  let best = { a: 0, growth: 0, step: 0 };
  for (const share of LINE_SHIFTS) {
    const a = Math.min((share * Math.PI) / shared.mu, 16 * share, inside, FURTHEST_SHIFT);
    const growth = 2 * sharpness(window) * a * a + shared.growth(c, 2 * shared.mu * a);
    const step = a / (depth + growth);
    if (step > best.step) best = { a, growth, step };
  }
  const { a, growth } = best;
  const nodes = nodesOn(outputs, { c, logM: logM.value }, depth, { a, b: a, growth }, false);
  if (nodes === undefined) return undefined;
  const { path, unit, outside } = nodes;
  const { kernel } = outputs;
  const floor = -depth - BELOW;
  const common = logM.error + U * (a * a + 3 * Math.abs(logM.value));
  const { rows, m } = kernel.pathTerms(path, { c, a, unit }, common, floor);
  return sumsOfRows(kernel, rows, at, outside + (path.at.n - m) * exp(floor));
}

/** Blocks of frequencies whose bounds are kept. Speed alone hangs on it. */
const KEPT_BOUNDS = 64;

/** The furthest path of bounds, as a share of π/μ, and how far paths lie apart. */
const FURTHEST_BOUND = 0.49;
const PATHS_APART = 2;
const MOST_PATHS = 24;
/** In place of the furthest path, so many of a window's widths. */
const WIDTHS = 7;
/** Shares of π/μ that strips around the paths of bounds try. Also the depth to which their sums are exact, beside the growth of a window's bound. */
const BOUND_SHIFTS = [0.01, 0.025, 0.06, 0.12, 0.2, 0.3, 0.4, 0.49] as const;
const BOUND_DEPTH = 34;

/** How far off the axis the furthest path of bounds lies. */
export function furthestPath({ shared, window }: ShiftedOutputs): number {
  return Math.min((FURTHEST_BOUND * Math.PI) / shared.mu, 16 * FURTHEST_BOUND, WIDTHS * window.width);
}

/** Terms e^{size − τ·angle} along Im x = a, and what they lack, whose sum bounds |φ| at and beyond τ; undefined where they are too many. */
export function boundTerms(
  outputs: ShiftedOutputs,
  { c, logM }: Tilt,
  a: number,
  digits = BOUND_DEPTH,
): { readonly table: KernelTable; readonly truncationError: number } | undefined {
  const { window, shared } = outputs;
  const { mu } = shared;
  const depth = digits + (a / window.width) ** 2 / 2;
  let best: { b: number; growth: number } | undefined;
  for (const share of BOUND_SHIFTS) {
    const b = Math.min((share * Math.PI) / mu, 16 * share);
    if ((a + b) * mu > 0.9 * Math.PI) continue;
    const growth = (a * a + sharpness(window) * b * b) / 2 + shared.growth(c, mu * (a + b));
    if (best === undefined || b / (depth + growth) > best.b / (depth + best.growth)) best = { b, growth };
  }
  const nodes = best && nodesOn(outputs, { c, logM }, depth, { a, b: best.b, growth: best.growth }, true);
  return nodes?.moduli && { table: nodes.moduli, truncationError: nodes.outside };
}

/**
 * Upper bounds of log|φ|, each by the best of several paths, which are asked for all frequencies together.
 *
 * @param furthest How far off the axis the first lies.
 * @param deviation Of the tilted loss, which tells which path is best.
 * @param on The bound of a path so far off the axis.
 */
export function bestPath(
  furthest: number,
  deviation: number,
  on: (a: number) => Moduli | undefined,
): FarBounds {
  const made = new Map<number, Moduli | undefined>();
  const along = (k: number, taus: Float64Array): Float64Array => {
    if (!made.has(k)) made.set(k, on(furthest / wholePower(PATHS_APART, k)));
    return made.get(k)?.logsAt(taus) ?? new Float64Array(taus.length);
  };
  const bestOf = (taus: Float64Array): Float64Array => {
    // the integrand of a normal loss is e^{a²/2 − τα}, α about a times its deviation; from there to the best of all paths
    const starts = Array.from(taus, (tau) => {
      const wanted = log(furthest / Math.max(tau * deviation, 1e-9)) / log(PATHS_APART);
      return Math.max(0, Math.min(MOST_PATHS, Math.round(wanted)));
    });
    const logs = new Map<number, { readonly from: number; readonly some: Float64Array }>();
    // frequencies for which it is a neighbour are asked for together
    const around = (k: number): { readonly from: number; readonly some: Float64Array } => {
      const from = firstWhere(taus.length, (j) => starts[j] <= k + 1);
      const to = firstWhere(taus.length, (j) => starts[j] < k - 1);
      const made = { from, some: along(k, taus.subarray(from, to)) };
      logs.set(k, made);
      return made;
    };
    const at = (k: number, i: number): number => {
      const { from, some } = logs.get(k) ?? around(k);
      const found = some[i - from];
      if (found !== undefined) return found;
      const rest = along(k, taus.subarray(i));
      logs.set(k, { from: i, some: rest });
      return rest[0];
    };
    return taus.map((_, i) => {
      const first = at(starts[i], i);
      // the best of neighbours: on one side of it paths get worse
      let best = first;
      for (const side of [1, -1]) {
        if (best < first) break;
        for (let k = starts[i] + side; k >= 0 && k <= MOST_PATHS; k += side) {
          const found = at(k, i);
          if (!(found < best)) break;
          best = found;
        }
      }
      return Math.min(0, best + 1e-10);
    });
  };
  const known = new LruCache<string, Float64Array>(KEPT_BOUNDS);
  return (taus) => known.of(taus.join(), () => bestOf(taus));
}
