import { HALF_LOG_2PI } from '../numeric/constants.js';
import { log } from '../numeric/scalar.js';
import { turningPoint } from '../numeric/solve.js';

/**
 * A μ with δ(x) ≤ δ_μ(x) for all x ≥ ε, from a quadratic bound on log δ there, −ε²/(2 spread²) + linear·ε + constant; ∞ if none is found.
 *
 * With b = x/μ + μ/2 and t = b − μ ≥ 0, log δ_μ(x) = −x²/2μ² + x/2 − μ²/8 − ½ log 2π + log(R(t) − R(b)), and
 * R(t) − R(b) ≥ μ/(b² + 3) because the Mills ratio has −R' = 1 − xR > 1/(x² + 3) (its continued fraction). The
 * difference to the bound has a slope of at least x(1/spread² − 1/μ²) + ½ − linear − 2/(x + μ²/2), which
 * rises with x: both need to be non-negative at ε alone.
 */
export function quadraticCeiling(
  { spread, linear, constant }: Readonly<Record<'spread' | 'linear' | 'constant', number>>,
  epsilon: number,
): number {
  const holds = (mu: number): boolean => {
    if (!(epsilon >= (mu * mu) / 2 && epsilon > 0)) return false;
    const gain = (1 / spread - 1 / mu) * (1 / spread + 1 / mu);
    const b = epsilon / mu + mu / 2;
    const slope = epsilon * gain + 0.5 - linear - 2 / (epsilon + (mu * mu) / 2);
    const above =
      (epsilon * epsilon * gain) / 2 +
      (0.5 - linear) * epsilon -
      constant -
      (mu * mu) / 8 -
      HALF_LOG_2PI +
      log(mu / (b * b + 3));
    return slope > 0 && above > 1e-13 * (1 + (epsilon * epsilon) / (spread * spread));
  };
  if (holds(spread)) return spread;
  const found = turningPoint(holds, {
    guess: spread,
    reach: 1e-3 * spread,
    floor: spread,
    ceiling: Math.sqrt(2 * epsilon),
    relative: 1e-9,
  });
  return found.high;
}
