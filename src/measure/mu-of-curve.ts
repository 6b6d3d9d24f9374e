import { SLACK } from '../numeric/log-probability.js';
import { ROUNDINGS } from '../numeric/rounding.js';
import { exp, expm1, log, normalQuantileLog } from '../numeric/scalar.js';
import { muAbove } from '../profile/gdp-inverse.js';

/** Width of cells relative to ε, and their largest number. Only tightness and speed depend on them. */
const CELL = 0.02;
const MOST_CELLS = 2000;
/** log δ at whose ε the width of the first cells is chosen. Only tightness depends on it. */
const TYPICAL = -3;
/** The search for an ε with log δ(ε) ≤ TYPICAL tries the powers of two from 2^−OCTAVES to 2^OCTAVES. */
const OCTAVES = 30;

/**
 * A μ with f ≥ G_μ wherever α, f(α) ≥ e^{logAlphaMin}, from an upper bound of log δ(ε) of both directions alone (docs/proofs/regret.md, 6). Lines
 * that touch G_μ there have ε up to E = μz − μ²/2, z = −Φ⁻¹(αMin), so δ(ε) ≤ δ_μ(ε) for these suffices. Both δ and δ_μ fall, so over a cell of ε, δ
 * at its left end is compared with δ_μ at its right end. ∞ if no μ is found with at most MOST_CELLS cells.
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
 * Upper bound of log δ(0). As δ is convex in e^ε, at 0 it is below the chord from −ε to ε, 1 − 2(1 − δ(ε))/(1 + e^ε). The least over several ε is
 * taken. Ensures: no smaller than log δ(0).
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
