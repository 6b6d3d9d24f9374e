import { SLACK } from '../numeric/log-probability.js';
import { ROUNDINGS } from '../numeric/rounding.js';
import { exp, expm1, log, normalQuantileLog } from '../numeric/scalar.js';
import { muAbove } from '../profile/gdp-inverse.js';

/** Relative width of cells, and their number at most. Only tightness and speed depend on them. */
const CELL = 0.02;
const MOST_CELLS = 2000;
/** log δ for which the width of the first cells is chosen. */
const TYPICAL = -3;
/** The search for an ε with log δ(ε) ≤ TYPICAL tries the powers of two from 2^−OCTAVES to 2^OCTAVES. */
const OCTAVES = 30;

/**
 * A μ with f ≥ G_μ on α, f(α) ≥ e^{logAlphaMin}. It comes from a curve alone that bounds δ of both directions from above at ε ≥ 0 (docs/proofs/regret.md, 6). There the
 * lines that touch G_μ have ε up to E = μz − μ²/2, z = −Φ⁻¹(αMin). It is enough that δ(ε) ≤ δ_μ(ε) for these. Both fall, so a cell of ε is looked at where the one is
 * largest and the other least. ∞ where the curve is too high.
 *
 * Ensures: f ≥ G_μ on the window for the μ returned.
 */
export function muOfCurve(logDelta: (epsilon: number) => number, logAlphaMin: number): number {
  const z = -normalQuantileLog(logAlphaMin) * (1 + SLACK);
  let scale = 2 ** -OCTAVES;
  while (scale < 2 ** OCTAVES && logDelta(scale) > TYPICAL) scale *= 2;
  let [epsilon, upper, mu] = [0, atZero(logDelta, scale), 0];
  for (let cell = 0; cell < MOST_CELLS; cell++) {
    const end = epsilon + CELL * Math.max(epsilon, scale);
    mu = Math.max(mu, muAbove(end, upper));
    if (!(mu < Infinity)) return mu;
    if (end > (mu * z - (mu * mu) / 2) * (1 + SLACK)) return mu;
    [epsilon, upper] = [end, Math.min(upper, logDelta(end))];
  }
  return Infinity;
}

/**
 * Upper bound of log δ(0). δ is convex in e^ε, and below the chord from −ε to ε: 1 − 2(1 − δ(ε))/(1 + e^ε) at 0.
 *
 * Ensures: no smaller than log δ(0).
 */
function atZero(logDelta: (epsilon: number) => number, scale: number): number {
  let least = 1;
  for (let i = -12; i <= 3; i++) {
    const epsilon = scale * 2 ** (i / 2);
    const delta = exp(logDelta(epsilon));
    if (delta < 1)
      least = Math.min(least, (-expm1(-epsilon) + 2 * delta * exp(-epsilon)) / (1 + exp(-epsilon)));
  }
  return Math.min(0, log(least) + ROUNDINGS);
}
