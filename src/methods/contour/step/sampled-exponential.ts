import type { Kernel } from '../../../kernel/kernel.js';
import type { Shape } from '../../../law/pair.js';
import { subsampledLoss } from '../../../law/subsampling.js';
import { ellipseHeight, ellipseReach } from '../../../numeric/bernstein-ellipse.js';
import { U } from '../../../numeric/constants.js';
import { gaussLegendre, type Rule } from '../../../numeric/gauss-legendre.js';
import { Lazy, LruCache } from '../../../numeric/lru-cache.js';
import { exp, expm1, log } from '../../../numeric/scalar.js';
import { exponentialDecay } from './exponential-decay.js';
import { type CentredMasses, lineOf, logarithmOf, riseOf, topOf } from './masses.js';
import { type Cumulant, type LineNodes, type LogPhiLine, type SpectralLaw, UNKNOWN } from './spectral-law.js';

/** Gauss–Legendre nodes per panel. */
const ORDER = 32;
const MAX_PANELS = 2048;
/** Sums ρ of the semi-axes, over H, of the ellipses tried. */
const ELLIPSES = [1.15, 1.3, 1.5, 1.8, 2.2, 2.8, 3.5, 4.5, 6, 8, 12, 20, 40, 100] as const;
/** Larger losses are not resolved. */
const LARGEST_RANGE = 30;

type Pair = Pick<Shape, 'range' | 'weight' | 'atom'>;

/**
 * A Poisson sample of rate q < 1 of Laplace noise or of a bounded-range mechanism, as (base, mixture). The inner loss y has
 * P-density w e^{−y/2} on (−ε₀, ε₀) and P-masses a at −ε₀ and a e^{−ε₀} at ε₀. The loss is log u, u = 1 − q + q e^y;
 *   M(z) = w ∫ e^{−y/2} u^z dy + a u(−ε₀)^z + a e^{−ε₀} u(ε₀)^z.
 *
 * Quadrature: Gauss–Legendre with n = 32 nodes on equal panels of half-width H. A rule with positive weights is exact to
 * degree 2n − 1. So it errs by at most twice the length of the panel times the error of the best polynomial. That is 2Fρ^{1−2n}/(ρ − 1)
 * for an integrand of size ≤ F inside the ellipse with foci at the panel's ends. Its semi-axes are A = H(ρ + 1/ρ)/2 and
 * B = H(ρ − 1/ρ)/2 (Trefethen 2013, thm 8.2). It is analytic for B < π (u = 0 at Im y = π). There, at m + x + iθ, |x| ≤ A;
 *   |u| ≤ u(m + A), |u| ≥ u(m − A) cos(B/2); |arg u| ≤ B·min(1, v/(1 − q + v cos B)), v = q e^{m+A}.
 * Undefined for ε₀ > 30.
 */
export function sampledExponentialSpectrum(pair: Pair, rate: number): SpectralLaw | undefined {
  if (!(pair.range <= LARGEST_RANGE)) return undefined;
  const meshes = meshesOf(pair, rate);
  return {
    logMassP: 0,
    logMassQ: 0,
    cumulant: (c, count) => cumulant(pair, rate, meshes, c, count),
    line: (kernel, nodes, count) =>
      line(kernel, meshes, cumulant(pair, rate, meshes, nodes.c, 1).value, nodes, count),
    decay: (c) => exponentialDecay(pair, rate, c, cumulant(pair, rate, meshes, c, 1).value),
  };
}

/** An ellipse around a panel, with the terms of the panel's error bound that do not depend on z. */
interface Ellipse {
  /** log of the bound apart from |u^z|; the factor of |τ|; log u at both ends from outside, and the half height B. */
  readonly logFactor: number;
  readonly argument: number;
  readonly lossBottom: number;
  readonly lossTop: number;
  readonly top: number;
  readonly b: number;
}

/**
 * Ellipses around a panel of Gauss–Legendre quadrature, as `sampledExponentialSpectrum` derives them. `logFactor` is log of the error for an
 * integrand |u^z| of size 1.
 */
function ellipsesAround({ weight }: Pair, rate: number, middle: number, half: number): Ellipse[] {
  const ellipses: Ellipse[] = [];
  for (const rho of ELLIPSES) {
    const b = ellipseHeight(half, rho);
    if (b > 3) break;
    const reach = ellipseReach(half, rho);
    const top = middle + reach;
    const bottom = middle - reach;
    const v = rate * exp(top);
    const base = 1 - rate + v * leastCosine(b);
    const convergence = log((8.001 * half) / (rho - 1)) - (2 * ORDER - 1) * log(rho);
    ellipses.push({
      logFactor: log(weight) - bottom / 2 + convergence,
      argument: b * (base > v ? v / base : 1),
      lossBottom: subsampledLoss(bottom, rate),
      lossTop: subsampledLoss(top, rate),
      top,
      b,
    });
  }
  return ellipses;
}

/** log of the error bound of one panel; `logSize` is an upper bound of log |u^z| without the phase. */
function panelError(
  ellipses: readonly Ellipse[],
  tau: number,
  logSize: (ellipse: Ellipse) => number,
): number {
  let best = Infinity;
  for (const ellipse of ellipses)
    best = Math.min(best, ellipse.logFactor + logSize(ellipse) + tau * ellipse.argument);
  return best;
}

/** A lower bound of cos x on [0, π]. */
function leastCosine(x: number): number {
  return Math.max(-1, 1 - (x * x) / 2);
}

/** log cos(b/2) from below, 0 ≤ b ≤ 3: cos(b/2) = sin((π − b)/2) ≥ (π − b)/π. */
function logHalfCosine(b: number): number {
  return log(1 - b / 3.14159);
}

/** The least number of panels, of those tried, whose quadrature errors sum to less than e^{goal}. Ensures: `error` is no less than the sum. */
function panelsFor(
  meshes: Meshes,
  tau: number,
  goal: number,
  logSize: (ellipse: Ellipse) => number,
): { mesh: Mesh; error: number } | undefined {
  const enough = exp(goal);
  for (let panels = 1; panels <= MAX_PANELS; panels = Math.ceil(1.3 * panels)) {
    const mesh = meshes(panels);
    let error = 0;
    for (let i = 0; i < panels && error <= enough; i++)
      error += exp(panelError(mesh.ellipses[i], tau, logSize));
    if (error <= enough) return { mesh, error };
  }
  return undefined;
}

/** Meshes of equal panels by their number, cached: 26 numbers are ever tried. */
type Meshes = (panels: number) => Mesh;

interface Mesh {
  readonly ellipses: readonly (readonly Ellipse[])[];
  nodes(): CentredMasses;
}

/** Panels of half-width ε₀/n on (−ε₀, ε₀), with their ellipses and, when asked for, their nodes. Each n is made once. Their number is a plan. */
function meshesOf(pair: Pair, rate: number): Meshes {
  const rule = gaussLegendre(ORDER);
  const made = new LruCache<number, Mesh>(Infinity);
  const meshOf = (panels: number): Mesh => {
    const half = pair.range / panels;
    const nodes = new Lazy(() => nodesOn(pair, rate, rule, panels));
    return {
      ellipses: Array.from({ length: panels }, (_, i) =>
        ellipsesAround(pair, rate, (2 * i + 1) * half - pair.range, half),
      ),
      nodes: () => nodes.value,
    };
  };
  return (panels) => made.of(panels, meshOf);
}

/** Relative error of the P-mass at a node: quadrature weights, e^{−y/2} at a rounded y, and w and a. */
const MASS_ERROR = 48 * U;

/** Logs of P-masses of the two atoms and of the Gauss–Legendre nodes on equal panels, with losses of the sample. Error bounds of all go along. */
function nodesOn({ range, weight, atom }: Pair, rate: number, rule: Rule, panels: number): CentredMasses {
  const half = range / panels;
  const inner: number[] = [-range, range];
  const logs: number[] = [log(atom), log(atom) - range];
  for (let i = 0; i < panels; i++) {
    const middle = (2 * i + 1) * half - range;
    for (let k = 0; k < ORDER; k++) {
      const y = middle + half * (rule.node[k] - rule.complement[k]);
      inner.push(y);
      logs.push(log(2 * half * rule.weight[k] * weight) - y / 2);
    }
  }
  const kept = inner.map((_, i) => i).filter((i) => logs[i] > -Infinity);
  const loss = Float64Array.from(kept, (i) => subsampledLoss(inner[i], rate));
  const excess = Float64Array.from(kept, (i) => rate * expm1(inner[i]));
  // from a rounded inner loss, whose share of u is u − (1 − q)
  const excessError = excess.map((v) => U * ((v + rate) * 6 * range + 6 * Math.abs(v)));
  return {
    unit: 1,
    loss,
    excess,
    excessError,
    logMass: Float64Array.from(kept, (i) => logs[i]),
    massError: loss.map(() => MASS_ERROR),
    lossError: loss.map((y, j) => excessError[j] / (1 + excess[j]) + 2 * U * Math.abs(y)),
  };
}

/** Upper bound of log |u|^c on an ellipse. */
function powerBound(c: number): (ellipse: Ellipse) => number {
  return ({ lossBottom, lossTop, b }) => (c >= 0 ? c * lossTop : c * (lossBottom + logHalfCosine(b)));
}

/**
 * count·log M(c) by the sum of M − 1 where M is near 1 (docs/proofs/exponential.md 2), else by its logarithm. Ensures: within the error stated:
 * quadrature and rounding.
 */
function cumulant(pair: Pair, rate: number, meshes: Meshes, c: number, count: number): Cumulant {
  const power = powerBound(c);
  const ends = [subsampledLoss(-pair.range, rate), subsampledLoss(pair.range, rate)];
  const peak = Math.max(c * ends[0], c * ends[1]);
  const small = peak < 30;
  const depth = 44 + log(count);
  // F of u^c − 1 − c(u − 1); or of u^c alone, relative to a lower bound of M from half of the density
  const size = (ellipse: Ellipse): number =>
    small ? log(exp(power(ellipse)) + 1 + Math.abs(c) * rate * (1 + exp(ellipse.top))) : power(ellipse);
  const goal = small ? -depth : peak - depth - pair.range - log(8 + 8 * Math.abs(c));
  const rule = panelsFor(meshes, 0, goal, size);
  if (rule === undefined) return UNKNOWN;
  const nodes = rule.mesh.nodes();
  return small
    ? riseOf(nodes, c, count, { most: rule.error })
    : logarithmOf(nodes, c, count, { most: rule.error * exp(-topOf(nodes, c)) });
}

function line(
  kernel: Kernel,
  meshes: Meshes,
  logM: number,
  at: LineNodes,
  count: number,
): LogPhiLine | undefined {
  const { c, dTau, n } = at;
  const rule = panelsFor(meshes, dTau * n, logM - 38 - log(count), powerBound(c));
  if (rule === undefined) return undefined;
  const nodes = rule.mesh.nodes();
  return lineOf(kernel, nodes, at, count, { most: rule.error * exp(-topOf(nodes, c)) });
}
