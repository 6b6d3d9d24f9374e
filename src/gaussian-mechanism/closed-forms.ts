/**
 * The closed-form Gaussian mechanisms of GM (Zhao et al.): σ = (x + √(x² + ε))Δ/(ε√2) with an x that bounds
 * the optimal one from above. Each is enclosed by carrying the error of every step to both ends.
 */
import { type Bracket, bracket } from '../numeric/bracket.js';
import { erfc, erfcx, inverfc, log } from '../numeric/scalar.js';
import { turningPoint } from '../numeric/solve.js';
import { type GaussianRequest, requireRequest } from './request.js';

/** Above the relative error of erfc, erfcx and inverfc (`kernel/kernel.ts`: at most 1.5e-15) and of a few roundings. Safety hangs on it. */
export const SLACK = 2e-15;

/** b ± SLACK (|b| + |reach|). */
function wider(lower: number, upper: number, reach = 0): Bracket {
  return bracket(lower - SLACK * (Math.abs(lower) + reach), upper + SLACK * (Math.abs(upper) + reach));
}

/** inverfc over a bracket of its argument, (0, 2). */
function inverfcOf(p: Bracket): Bracket {
  return wider(inverfc(Math.min(2, p.upper)), inverfc(Math.max(0, p.lower)));
}

/** (x + √(x² + ε))Δ/(ε√2), which grows with x; no cancellation for x < 0. */
function sigmaOf(x: Bracket, epsilon: number, sensitivity: number): Bracket {
  const at = (point: number): number => {
    const root = Math.sqrt(point * point + epsilon);
    const sum = point < 0 ? 1 / (root - point) : (point + root) / epsilon;
    return (sum * sensitivity) / Math.SQRT2;
  };
  return wider(at(x.lower), at(x.upper));
}

/** √(x² + ε) over a bracket of x ≥ 0 or of either sign. */
function rootOf(x: Bracket, epsilon: number): Bracket {
  const squares = [x.lower * x.lower, x.upper * x.upper];
  const least = x.lower <= 0 && x.upper >= 0 ? 0 : Math.min(...squares);
  return wider(Math.sqrt(least + epsilon), Math.sqrt(Math.max(...squares) + epsilon));
}

/**
 * Mechanism 1 (GM thm 4), (ε, δ)-DP for any ε:
 * x = inverfc(2δ/(1 − e^ε erfc(√(v² + ε))/u)), u = 2δ + e^ε erfc √ε, v = inverfc u; 0 where u ≥ 2.
 * Scaled: e^ε erfc √ε = erfcx √ε and e^ε erfc(√(v² + ε)) = e^{−v²} erfcx(√(v² + ε)), and u = erfc v, so that
 * the quotient is erfcx(√(v² + ε))/erfcx(v).
 *
 * @throws TypeError | RangeError naming the option that is not in its range.
 * @example
 * mechanism1Sigma({ epsilon: 1, delta: 1e-5 }).upper; // 4.13362
 */
export function mechanism1Sigma(request: GaussianRequest): Bracket {
  const { epsilon, delta, sensitivity } = requireRequest(request);
  const root = Math.sqrt(epsilon);
  const scaled = erfcx(root);
  const u = wider(2 * delta + scaled, 2 * delta + scaled);
  if (u.lower >= 2) return sigmaOf(bracket(0, 0), epsilon, sensitivity);
  const v = inverfcOf(u);
  const r = rootOf(v, epsilon);
  const quotient = wider(erfcx(r.upper) / erfcx(v.lower), erfcx(r.lower) / erfcx(v.upper));
  // 1 − quotient > 0; where rounding leaves nothing of it the argument may be anything up to 2
  const rest = bracket(Math.max(0, 1 - quotient.upper), 1 - quotient.lower);
  const argument = wider(
    (2 * delta) / rest.upper,
    rest.lower > 0 ? Math.min(2, (2 * delta) / rest.lower) : 2,
  );
  const x = inverfcOf(argument);
  return sigmaOf(
    u.upper >= 2 ? bracket(Math.min(0, x.lower), Math.max(0, x.upper)) : x,
    epsilon,
    sensitivity,
  );
}

/**
 * Mechanism 2 (GM thm 5), (ε, δ)-DP for any ε and δ < ½: x = √ln(2/(√(16δ+1) − 1)).
 *
 * @throws TypeError | RangeError naming the option that is not in its range; δ must be below ½.
 * @example
 * mechanism2Sigma({ epsilon: 1, delta: 1e-5 }).upper; // 4.60886
 */
export function mechanism2Sigma(request: GaussianRequest): Bracket {
  const { epsilon, delta, sensitivity } = requireRequest(request, 0.5);
  return sigmaOf(elementary(16 * delta), epsilon, sensitivity);
}

/** √ln(2/(√(z+1) − 1)) = √ln(2(√(z+1) + 1)/z), for 0 < z < 8. */
function elementary(z: number): Bracket {
  const logarithm = log((2 * (Math.sqrt(z + 1) + 1)) / z);
  const slack = SLACK * (1 + logarithm);
  return wider(Math.sqrt(Math.max(0, logarithm - slack)), Math.sqrt(logarithm + slack));
}

/**
 * The smallest σ that is (ε, δ)-probabilistically DP (GM thm 6): erfc x + erfc √(x² + ε) = 2δ. The upper end
 * has been seen to satisfy it.
 *
 * @throws TypeError | RangeError naming the option that is not in its range.
 * @example
 * pdpOptimalSigma({ epsilon: 1, delta: 1e-5 }).upper; // 4.44413
 */
export function pdpOptimalSigma(request: GaussianRequest): Bracket {
  const { epsilon, delta, sensitivity } = requireRequest(request);
  const sum = (x: number, side: 1 | -1): number => {
    const r = Math.sqrt(x * x + epsilon);
    // an error of √(x² + ε) is amplified 2r² times by erfc
    return erfc(x) * (1 + side * SLACK) + erfc(r) * (1 + side * SLACK * (1 + r * r));
  };
  const [floor, ceiling] = [wider(inverfc(2 * delta), inverfc(2 * delta), 1).lower, inverfc(delta) + 1];
  const options = { floor, ceiling, guess: inverfc(delta), reach: 0.1 };
  const { high } = turningPoint((x) => sum(x, 1) <= 2 * delta, options);
  const { low } = turningPoint((x) => sum(x, -1) <= 2 * delta, { ...options, guess: high, reach: 1e-12 });
  return sigmaOf(bracket(Math.max(floor, low), high), epsilon, sensitivity);
}

/**
 * Mechanism 3 (GM thm 8), (ε, δ)-probabilistically DP: x = inverfc δ.
 *
 * @throws TypeError | RangeError naming the option that is not in its range.
 * @example
 * mechanism3Sigma({ epsilon: 1, delta: 1e-5 }).upper; // 4.52761
 */
export function mechanism3Sigma(request: GaussianRequest): Bracket {
  const { epsilon, delta, sensitivity } = requireRequest(request);
  return sigmaOf(inverfcOf(bracket(delta, delta)), epsilon, sensitivity);
}

/**
 * Mechanism 4 (GM thm 9), (ε, δ)-probabilistically DP: x = √ln(2/(√(8δ+1) − 1)).
 *
 * @throws TypeError | RangeError naming the option that is not in its range.
 * @example
 * mechanism4Sigma({ epsilon: 1, delta: 1e-5 }).upper; // 4.75695
 */
export function mechanism4Sigma(request: GaussianRequest): Bracket {
  const { epsilon, delta, sensitivity } = requireRequest(request);
  return sigmaOf(elementary(8 * delta), epsilon, sensitivity);
}
