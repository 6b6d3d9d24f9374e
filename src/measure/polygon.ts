import type { Kernel } from '../kernel/kernel.js';
import { type Bracket, bracket } from '../numeric/bracket.js';
import { log, normalQuantileUpper } from '../numeric/scalar.js';
import { firstWhere } from '../numeric/solve.js';
import type { Vertices } from '../run/directed-run.js';

/** Above the measured error of a quantile, relative to it. */
const QUANTILE_SLACK = 1e-14;
/** dz/dlog p is at most 1.26 for p ≤ ½, for each of two rates; the edges' own roundings are a few units in the last place. */
const SHIFT = 2.6;
const EDGE_ROUNDING = 4e-15;

/** A vertex or an edge of the window: both rates and what they leave of 1. */
interface Place {
  readonly alpha: number;
  readonly beta: number;
  readonly restAlpha: number;
  readonly restBeta: number;
}

/**
 * μ* of a polygon (REP eq. 11): the largest Φ⁻¹(1 − α) − Φ⁻¹(β) over its vertices in the window min(α, β) ≥ alphaMin, and at the
 * window's two edges. G_μ is convex: chords between points on or above it are above it. One call inverts all rates, each
 * by its smaller tail; without a kernel the scalar function does, with the same bits.
 *
 * @returns The bracket, and log|f′| of the polygon at α = alphaMin, at least 0; undefined where no rate is in the window.
 */
export function polygonMu(
  vertices: Vertices,
  alphaMin: number,
  kernel?: Kernel,
): { mu: Bracket; head: number } | undefined {
  const { alpha, beta, relative } = vertices;
  const n = alpha.length;
  const first = firstWhere(n, (i) => alpha[i] > 0 && alpha[i] >= alphaMin);
  const end = firstWhere(n, (i) => !(beta[i] > 0 && beta[i] >= alphaMin));
  const edges =
    alphaMin > 0
      ? [crossing(vertices, first, alpha, alphaMin), crossing(vertices, end, beta, alphaMin)].filter(
          (edge): edge is Place => edge !== undefined && Math.min(edge.alpha, edge.beta) >= alphaMin,
        )
      : [];
  const inside = Math.max(0, end - first);
  const m = inside + edges.length;
  if (m === 0) return undefined;
  const rates = new Float64Array(2 * m);
  const signs = new Int8Array(2 * m);
  const put = (k: number, rate: number, rest: number): void => {
    signs[k] = rate > 0.5 ? -1 : 1;
    rates[k] = rate > 0.5 ? rest : rate;
  };
  for (let i = 0; i < inside; i++) {
    const j = first + i;
    put(i, alpha[j], vertices.rest?.alpha[j] ?? 1 - alpha[j]);
    put(m + i, beta[j], vertices.rest?.beta[j] ?? 1 - beta[j]);
  }
  edges.forEach((edge, k) => {
    put(inside + k, edge.alpha, edge.restAlpha);
    put(m + inside + k, edge.beta, edge.restBeta);
  });
  const z = kernel?.normalQuantileUpper(rates, rates) ?? rates.map((rate) => normalQuantileUpper(rate));
  let [lower, upper] = [0, 0];
  for (let k = 0; k < m; k++) {
    const mu = signs[k] * z[k] + signs[m + k] * z[m + k];
    const rounding = relative + (k < inside ? 0 : EDGE_ROUNDING);
    const slack = QUANTILE_SLACK * (z[k] + z[m + k] + 1e-2) + SHIFT * rounding;
    lower = Math.max(lower, mu - slack);
    upper = Math.max(upper, mu + slack);
  }
  const steep = first > 0 && first < n ? slopeBefore(vertices, first) : 0;
  return { mu: bracket(lower, upper), head: Math.max(0, steep) };
}

/** Where the segment that ends at vertex i has the rate `at`: sums of positive parts, in each rate and in what it leaves of 1. */
function crossing(
  { alpha, beta, rest }: Vertices,
  i: number,
  of: Float64Array,
  at: number,
): Place | undefined {
  if (i < 1 || i >= of.length) return undefined;
  const length = of[i] - of[i - 1];
  const [before, after] = [(of[i] - at) / length, (at - of[i - 1]) / length];
  const between = (a: number, b: number): number => a * before + b * after;
  const left = (known: Float64Array | undefined, rates: Float64Array): number =>
    between(known?.[i - 1] ?? 1 - rates[i - 1], known?.[i] ?? 1 - rates[i]);
  return {
    alpha: of === alpha ? at : between(alpha[i - 1], alpha[i]),
    beta: of === beta ? at : between(beta[i - 1], beta[i]),
    restAlpha: left(rest?.alpha, alpha),
    restBeta: left(rest?.beta, beta),
  };
}

function slopeBefore({ alpha, beta }: Vertices, i: number): number {
  return log(beta[i - 1] - beta[i]) - log(alpha[i] - alpha[i - 1]);
}
