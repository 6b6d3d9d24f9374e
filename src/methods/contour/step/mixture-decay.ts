import { INVERSE_SQRT_2PI } from '../../../numeric/constants.js';
import { Lazy } from '../../../numeric/lru-cache.js';
import { LONG_SUM } from '../../../numeric/rounding.js';
import { exp, log } from '../../../numeric/scalar.js';
import { cosine, cutTails } from './gaussian-range.js';
import { logTerm, topOf } from './masses.js';
import { MAX_NODES, type MixtureMeshes } from './mixture-mesh.js';
import { logPassed, type OutputWindow, steepness } from './output-window.js';
import { type Decay, type FarBounds, NO_DECAY } from './spectral-law.js';
import { LossCells } from './weighted-losses.js';

/** Cells lighter than e^{LEAST_CELL} of the heaviest are left out of the bounds of |φ|. */
const LEAST_CELL = -40;

/**
 * Bounds of |φ| of a pair of normal mixtures at tilt c. A mesh gives masses of cells of losses, and the variation of the tilted density of the loss,
 * f/y′, f = φu₊^c u₋^{1−c}.
 *
 * (log f)″ is at most B = 1 + |c|a₊²/4 + |1−c|a₋²/4 in size, as second derivatives of log u± are variances of shifts. So log f stays within Bh²/8 of
 * its chords. Let a be the larger of a₊, a₋. Then |y″| ≤ ay′ and |y‴| ≤ a²y′ (moments of shifts in [0, a] about their mean). The variation of f/y′ is
 * at most ∫ |f′|/y′ + f|y″|/y′² ≤ |c| + |1−c| + ∫ (f/y′)(|x| + a); log(f/y′) stays within (B + 2a²)h²/8 of its chords. A window is a factor W of f:
 * (log W)″ ∈ [−1/width², 0] adds to B, and |(log W)′| to |x|.
 *
 * Ensures: no less than |φ|.
 *
 * @param logM log M(c) from below; −∞ where it is not known.
 */
export function mixtureDecay(pair: MixtureMeshes, c: number, logM: () => number): Decay {
  const { left, right } = pair;
  const widest = Math.max(left, right);
  const bend = pair.growth + (Math.abs(c) * right * right + Math.abs(1 - c) * left * left) / 4;
  const sharp = bend + 2 * widest * widest;
  const bound = new Lazy(() => shiftedBound(pair, c, logM()));
  const far: FarBounds = (taus) => taus.map((tau) => bound.value(tau));
  const none: Decay = { bounds: NO_DECAY.bounds, beyond: NO_DECAY.beyond, far };
  const reach = 11;
  let h = pair.stepFor(c, 0, 30);
  while (h * h * sharp > 1) h /= 2;
  const [low, high] = pair.rangeFor(c, reach + widest);
  const mesh = pair.covering(h, low, high);
  if (mesh === undefined) return none;
  const { first, loss, lossError, slope } = mesh;
  const n = loss.length;
  const top = topOf(mesh, c, pair.kernel);
  const logs = loss.map((_, j) => logTerm(mesh, c, j) - top);
  let mass = 0;
  for (let j = 0; j < n; j++) mass += exp(Math.max(-700, logs[j]));
  mass *= h;
  // the quadrature error is below 1e-12, and rounding adds to it
  const whole = { low: mass * (1 - 1e-9), high: mass * (1 + 1e-9) };
  const cells = new LossCells(n - 1);
  let variation = 0;
  const density = (j: number): number => exp(logs[j]) / slope[j];
  const steep = (...at: number[]): number =>
    pair.window ? Math.max(...at.map((j) => steepness(pair.window as OutputWindow, h * (first + j)))) : 0;
  for (let j = 0; j < n - 1; j++) {
    const x = Math.max(Math.abs(h * (first + j)), Math.abs(h * (first + j + 1)));
    variation += Math.max(density(j), density(j + 1)) * (x + widest + steep(j, j + 1)) * h;
    const heights = Math.min(logs[j], logs[j + 1]);
    if (heights < LEAST_CELL) continue;
    cells.add(
      loss[j] - 2 * lossError[j],
      loss[j + 1] + 2 * lossError[j + 1],
      ((exp(heights) * h) / whole.high) * exp((-bend * h * h) / 8) * (1 - 1e-9),
    );
  }
  // beyond the mesh f/y′ falls at least like e^{−reach·|x|}; the window's slope |(log W)′| grows by at most 1/width²
  const edges = [0, n - 1].map(
    (j) => density(j) * (Math.abs(h * (first + j)) + widest + steep(j) + pair.growth),
  );
  variation = (variation * exp((sharp * h * h) / 8) + (edges[0] + edges[1]) / (reach - 1)) / whole.low;
  if (!(variation < Infinity)) variation = Infinity;
  const most = (Math.abs(c) + Math.abs(1 - c) + variation) * (1 + 1e-6);
  return cells.decay({ atoms: 0, variation: most }, far);
}

/** Terms of a bound below e^{FAINT} are not summed; each counts as OF_FAINT, which is more. */
const [FAINT, OF_FAINT] = [-60, 1e-26];
/** Above the rounding error of the logarithm of a sum of moduli. */
const SUM_ERROR = 1e-10;
/** Distances from the real axis that `shiftedBound` tries, as fractions of π/max(a₊, a₋); and −log of the relative accuracy of its sums. */
const SHIFTS = [0.01, 0.03, 0.08, 0.16, 0.28, 0.42] as const;
const DEPTH = 36;

/** Sums of |φu₊^z u₋^{1−z}| over outputs x + ia: log terms at τ = 0 (over M), angles that τ multiplies, and the truncation error. */
interface ShiftedNodes {
  readonly log: Float64Array;
  readonly angle: Float64Array;
  readonly truncationError: number;
}

/**
 * An upper bound of log|φ| at and beyond |τ|. Outputs may be taken at x + ia, a ≥ 0. There the integrand has modulus e^{−τψ} times its modulus at τ = 0; ψ = arg u₊(x +
 * ia) + arg u₋(−x + ia) ≥ 0. That of a window is at most e^{a²/2width²}W(x).
 * The strip 0 ≤ Im x ≤ 2a bounds the quadrature error of the trapezoidal rule there, for every τ ≥ 0 at once. Its sum is at most the sum of moduli, which falls with τ.
 */
function shiftedBound(pair: MixtureMeshes, c: number, logM: number): (tau: number) => number {
  if (!(logM > -Infinity)) return () => 0;
  const made = SHIFTS.map((share) => shiftedNodes(pair, c, share, logM));
  return (tau) => {
    let least = 1;
    for (const nodes of made) {
      if (nodes === undefined) continue;
      let sum = nodes.truncationError;
      for (let j = 0; j < nodes.log.length && sum < least; j++) {
        const height = nodes.log[j] - tau * nodes.angle[j];
        if (height > FAINT) sum += exp(height);
      }
      least = Math.min(least, sum + nodes.log.length * OF_FAINT);
    }
    return Math.min(0, log(least) + SUM_ERROR);
  };
}

/**
 * Log moduli and angles of the integrand at the nodes of a path Im x = a, and its truncation and quadrature error. a is given as a fraction of π over
 * the largest shift. Undefined where there are too many nodes.
 */
function shiftedNodes(pair: MixtureMeshes, c: number, share: number, logM: number): ShiftedNodes | undefined {
  const { left, right, window } = pair;
  const a = Math.min((share * Math.PI) / Math.max(left, right), (8 * share) / Math.sqrt(pair.growth));
  // at 2a: growth of the moduli against those on the real axis
  const growth =
    2 * pair.growth * a * a +
    Math.max(0, -c) * -log(cosine(right * a)) +
    Math.max(0, c - 1) * -log(cosine(left * a));
  const h = (2 * Math.PI * a) / (DEPTH + growth);
  const reach = Math.sqrt(2 * (DEPTH + growth)) + 1;
  const [low, high] = pair.rangeFor(c, reach);
  const first = Math.floor(low / h);
  const n = Math.ceil(high / h) + 1 - first;
  if (!(n < MAX_NODES / 4)) return undefined;
  const heights = new Float64Array(n);
  const angle = new Float64Array(n);
  const unit = log(h * INVERSE_SQRT_2PI) - logM + (pair.growth * a * a) / 2;
  let ends = 0;
  for (let j = 0; j < n; j++) {
    const x = h * (first + j);
    const up = pair.turned('plus', x, a);
    const down = pair.turned('minus', -x, a);
    const passed = window ? logPassed(window, x).log : 0;
    heights[j] = unit + c * up.log + (1 - c) * down.log - (x * x) / 2 + passed;
    // rounded down: angles are small where the loss is nearly constant
    angle[j] = Math.max(0, (up.angle + down.angle) * (1 - LONG_SUM) - 1e-300);
    if (j > 0 && j < n - 1) continue;
    const real =
      c * pair.turned('plus', x, 0).log + (1 - c) * pair.turned('minus', -x, 0).log - (x * x) / 2 + passed;
    ends += exp(real - logM + growth + 1e-9);
  }
  return { log: heights, angle, truncationError: 1.01 * (cutTails(ends, h, reach) + 3 * exp(-DEPTH)) };
}
