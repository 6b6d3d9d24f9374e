import { type InnerRule, innerTerms, type Ray } from '../../../kernel/rays.js';
import { LONG_SUM, up } from '../../../numeric/rounding.js';
import { exp, log } from '../../../numeric/scalar.js';

/**
 * One epoch in which a record is put in one of t bins, of which the first t′ are released. Under Q the likelihood ratio is s = a + (1/t)Σ_{i ≤ t′} e^{Y_i},
 * a = 1 − t′/t, with independent Y_i ~ N(−μ²/2, μ²). M(z) = E s^z = (1/Γ(w)) ∫ u^{w−1} G(u) du, w = m − z;
 *   G(u) = E[s^m e^{−us}] = m! [h^m] e^{(h−u)a} (Σ_k φ_k(u) h^k/k!)^{t′},  φ_k(u) = E[(X/t)^k e^{−uX/t}].
 * Proofs of all bounds: docs/proofs/balls-and-bins.md.
 */
export interface Allocation {
  readonly mu: number;
  readonly bins: number;
  readonly visited: number;
  /** Digits of accuracy given up, as a logarithm; none unless given. The errors are charged: only width depends on it. */
  readonly fewer?: Fewer;
}

/** Digits that the rule in v, the ends of v, and the rule in y give up. */
export interface Fewer {
  readonly rule?: number;
  readonly ends?: number;
  readonly inner?: number;
}

/** Nodes of a ray or of an inner rule at most. */
export const MAX_NODES = 2 ** 15;
const MAX_WORK = 4e7;

/** −log of the accuracy of the inner integrals. With few bins φ_0 is needed where it is small, and φ_k where it is far below its moment. */
function innerDepth(law: Allocation, m: number): number {
  let most = 0;
  for (let k = 2; k <= m; k++) most = Math.max(most, logMomentOf(law, k));
  return 40 - (law.fewer?.inner ?? 0) + 44 / law.visited + most;
}

/** Largest m of a contour: series of more terms lose digits, and time. */
export const MOST_TERMS = 32;

/** The power m for M(c). Few nodes are needed where Re w = m − c is 4 to 5; for negative c, m = 0 is enough. */
export function termsFor(c: number): number {
  return Math.max(0, Math.ceil(c + 4));
}

/**
 * k such that μ² = kh, if it is a whole number; else 0. As E[X^k f(X)] = E[X^k]E f(e^{kμ²}X), φ_k(u) = E[(X/t)^k]φ_0(e^{kμ²}u): one table of φ_0
 * serves every k.
 */
function stepsOfSquare(mu: number, h: number): number {
  const steps = (mu * mu) / h;
  return Math.abs(steps - Math.round(steps)) < 1e-9 * steps ? Math.round(steps) : 0;
}

/** The spacing of v may be shortened by this factor so that μ² is a multiple of it. */
const SHORTENED = 8;

/** The longest spacing up to h that divides μ², if it is not much shorter; else a number of few bits. */
export function sharedStep(mu: number, h: number): number {
  const square = mu * mu;
  if (square >= h / SHORTENED) return square / Math.ceil(square / h);
  let scale = 1;
  while (h * scale < 8) scale *= 2;
  return Math.floor(h * scale) / scale;
}

/** The quadrature rule for φ_k on a ray, and e^{s²/2μ²}, the growth of its weights by the shift. */
export interface AllocationRule extends InnerRule {
  readonly growth: number;
}

/** log E[(X/t)^k] = μ²k(k−1)/2 − k log t. */
export function logMomentOf({ mu, bins }: Allocation, k: number): number {
  return (mu * mu * k * (k - 1)) / 2 - k * log(bins);
}

/** The shift of the inner path, the largest spacing it allows, and −log of the accuracy. */
interface InnerStep {
  readonly s: number;
  readonly h: number;
  readonly depth: number;
}

/**
 * A plan: the shift s of the inner path, and the widest spacing with quadrature error e^{−depth}. The rule for a strip |Im y − s| ≤ a errs by
 * e^{(s+a)²/2μ² − 2πa/h}.
 */
export function innerStep(law: Allocation, m: number, theta: number): InnerStep {
  const { mu } = law;
  const depth = innerDepth(law, m);
  // the shift multiplies weights by e^{s²/2μ²}, and products of m of them by that power
  const s = Math.min(theta, 0.77 * mu * Math.sqrt(Math.min(1, 6 / Math.max(1, m))));
  let h = 0;
  for (const share of [0.1, 0.2, 0.35, 0.5, 0.7, 0.85, 0.97]) {
    const widest = share * (Math.PI / 2 - Math.abs(theta - s));
    for (const a of [widest, Math.min(widest, share * 12 * mu)])
      h = Math.max(h, (2 * Math.PI * a) / (depth + ((s + a) * (s + a)) / (2 * mu * mu)));
  }
  return { s, h, depth };
}

/**
 * A plan: the rule for φ_k at the `nodes` of a ray of angle θ. It is trapezoidal over y, shifted to y + is, and its spacing is a multiple of
 * `finest`. Undefined where the ray would cost too much.
 */
export function innerRule(
  law: Allocation,
  c: number,
  m: number,
  { theta, h: finest, n: nodes }: Pick<Ray, 'theta' | 'h' | 'n'>,
): AllocationRule | undefined {
  const { mu, bins } = law;
  const { s, h: longest, depth } = innerStep(law, m, theta);
  const square = mu * mu;
  if (finest > up(longest, LONG_SUM)) return undefined;
  const stride = Math.max(1, Math.floor(longest / finest));
  const h = finest * stride;
  const reach = (Math.sqrt(2 * depth) + 0.5) * mu;
  const low = -square / 2 + (Math.min(0, c) * square) / bins - reach;
  const shift = stepsOfSquare(mu, finest);
  const last = shift > 0 ? 0 : m;
  // the integrand of E[X] is centred at +μ²/2
  const high = -square / 2 + Math.max(1, last) * square + reach;
  const first = Math.floor(low / h);
  const n = Math.ceil(high / h) + 1 - first;
  const places = nodes + (shift > 0 ? m * shift + 1 : 0);
  const rule = { s, stride, first, n, depth, last, shift, places, growth: exp((s * s) / (2 * square)) };
  return n < MAX_NODES && innerTerms(rule, nodes) + nodes * m * m <= MAX_WORK ? rule : undefined;
}
