import { requireNumber, requireOneOf, requireOptions } from '../errors.js';
import { type Bracket, bracket } from '../numeric/bracket.js';
import { padLogProbability } from '../numeric/log-probability.js';
import { FUNCTION_ERROR, TO_12_DIGITS } from '../numeric/rounding.js';
import { erfc, erfcx, exp, inverfc, log, logDeltaGdp, muGdpLog } from '../numeric/scalar.js';
import { turningPoint } from '../numeric/solve.js';
import { epsilonOf } from '../run/epsilon.js';
import { gaussianRun } from '../run/gaussian-run.js';

/** What a Gaussian mechanism must achieve: (ε, δ)-DP for a query of L2 sensitivity `sensitivity` (default 1). */
export interface GaussianRequest {
  /** In [1e-12, 1e6]; for the optimal noise alone also 0. */
  readonly epsilon: number;
  /** In [1e-300, 1). */
  readonly delta: number;
  /** In [1e-150, 1e150]. */
  readonly sensitivity?: number;
}

/** @throws TypeError | RangeError naming the option that is not in its range; `delta` must be below `deltaBelow`. */
function requireRequest(
  request: GaussianRequest,
  deltaBelow = 1,
  zeroToo = false,
): Required<GaussianRequest> {
  requireOptions('a Gaussian mechanism', request, ['epsilon', 'delta', 'sensitivity']);
  return {
    epsilon: requireNumber('epsilon', request?.epsilon, `${zeroToo ? '0 or ' : ''}a number in [1e-12, 1e6]`),
    delta: requireDelta(request.delta, deltaBelow),
    sensitivity: requireNumber('sensitivity', request.sensitivity ?? 1, 'a number in [1e-150, 1e150]'),
  };
}

/** @throws TypeError | RangeError if `delta` is not in [1e-300, below). */
function requireDelta(delta: unknown, below = 1): number {
  return requireNumber('delta', delta, `a number in [1e-300, ${below})`);
}

/**
 * Gaussian mechanisms in closed form (GM: Zhao et al. 2019). All have σ = (x + √(x² + ε))Δ/(ε√2), where x is no smaller than that of the least noise.
 * Brackets come from interval arithmetic: the error of every operation is added to both ends.
 */

/** Bound of the relative error of erfc, erfcx and inverfc, at most 1.5e-15, and of a few roundings. Correctness depends on it. */
const SLACK = 2e-15;

/**
 * The interval widened at each end b by SLACK (|b| + |reach|).
 *
 * Ensures: any value within SLACK of one in [lower, upper] lies in the bracket.
 */
function wider(lower: number, upper: number, reach = 0): Bracket {
  return bracket(lower - SLACK * (Math.abs(lower) + reach), upper + SLACK * (Math.abs(upper) + reach));
}

/**
 * inverfc over a bracket of its argument in (0, 2), which decreases.
 *
 * Ensures: inverfc p lies in the bracket for every p of the one given.
 */
function inverfcOf(p: Bracket): Bracket {
  return wider(inverfc(Math.min(2, p.upper)), inverfc(Math.max(0, p.lower)));
}

/**
 * σ = (x + √(x² + ε))Δ/(ε√2), which grows with x; for x < 0 as Δ/(√2(√(x² + ε) − x)), without cancellation.
 *
 * Ensures: σ lies in the bracket for every x of the one given.
 */
function sigmaOf(x: Bracket, epsilon: number, sensitivity: number): Bracket {
  const at = (point: number): number => {
    const root = Math.sqrt(point * point + epsilon);
    const sum = point < 0 ? 1 / (root - point) : (point + root) / epsilon;
    return (sum * sensitivity) / Math.SQRT2;
  };
  return wider(at(x.lower), at(x.upper));
}

/**
 * √(x² + ε) over a bracket of x, also one that contains 0.
 *
 * Ensures: the root lies in the bracket for every x of the one given.
 */
function rootOf(x: Bracket, epsilon: number): Bracket {
  const squares = [x.lower * x.lower, x.upper * x.upper];
  const least = x.lower <= 0 && x.upper >= 0 ? 0 : Math.min(...squares);
  return wider(Math.sqrt(least + epsilon), Math.sqrt(Math.max(...squares) + epsilon));
}

/**
 * Mechanism 1 (GM thm 4), (ε, δ)-DP for any ε. x = inverfc(2δ/(1 − e^ε erfc(√(v² + ε))/u)), with u = 2δ + e^ε erfc √ε and v =
 * inverfc u. If u ≥ 2, x is 0.
 *
 * It is computed by erfcx(y) = e^{y²} erfc y. Then u = 2δ + erfcx √ε = erfc v, and the quotient by u is erfcx(√(v² + ε))/erfcx(v).
 *
 * Ensures: the σ of the formula lies in the bracket.
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
  // 1 − quotient > 0; if rounding makes it 0, the argument may be anything up to 2
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
 * Ensures: the formula's σ lies in the bracket.
 *
 * @throws TypeError | RangeError naming the option that is not in its range; δ must be below ½.
 * @example
 * mechanism2Sigma({ epsilon: 1, delta: 1e-5 }).upper; // 4.60886
 */
export function mechanism2Sigma(request: GaussianRequest): Bracket {
  const { epsilon, delta, sensitivity } = requireRequest(request, 0.5);
  return sigmaOf(elementary(16 * delta), epsilon, sensitivity);
}

/** √ln(2/(√(z+1) − 1)) = √ln(2(√(z+1) + 1)/z), for 0 < z < 8. Ensures: the root lies in the bracket. */
function elementary(z: number): Bracket {
  const logarithm = log((2 * (Math.sqrt(z + 1) + 1)) / z);
  const slack = SLACK * (1 + logarithm);
  return wider(Math.sqrt(Math.max(0, logarithm - slack)), Math.sqrt(logarithm + slack));
}

/**
 * The smallest σ that is (ε, δ)-probabilistically DP (GM thm 6): erfc x + erfc √(x² + ε) = 2δ. At the upper end the left side is at most 2δ.
 *
 * Ensures: the smallest σ lies in the bracket.
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
  const { low } = turningPoint((x) => sum(x, -1) <= 2 * delta, {
    ...options,
    guess: high,
    reach: TO_12_DIGITS,
  });
  return sigmaOf(bracket(Math.max(floor, low), high), epsilon, sensitivity);
}

/**
 * Mechanism 3 (GM thm 8), (ε, δ)-probabilistically DP: x = inverfc δ.
 *
 * Ensures: the formula's σ lies in the bracket.
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
 * Ensures: the formula's σ lies in the bracket.
 *
 * @throws TypeError | RangeError naming the option that is not in its range.
 * @example
 * mechanism4Sigma({ epsilon: 1, delta: 1e-5 }).upper; // 4.75695
 */
export function mechanism4Sigma(request: GaussianRequest): Bracket {
  const { epsilon, delta, sensitivity } = requireRequest(request);
  return sigmaOf(elementary(8 * delta), epsilon, sensitivity);
}

/** First relative step by which an end of `muBracket` is moved outwards; it doubles until δ is on the right side. Only width depends on it. */
const FIRST_STEP = 2e-15;

/**
 * Bracket of μ_GDP(ε, δ), the largest μ whose Gaussian profile satisfies δ_μ(ε) ≤ delta (Liu et al. 2022, eq. 1).
 *
 * Ensures: δ is at or below `delta` at the lower end, and above it at the upper end.
 *
 * @param epsilon ≥ 0.
 * @param delta In [1e-300, 1).
 */
export function muBracket(epsilon: number, delta: number): Bracket {
  const target = log(delta);
  const guess = muGdpLog(epsilon, target);
  const end = (side: 1 | -1): number => {
    for (let step = FIRST_STEP; ; step *= 2) {
      const mu = guess * (1 + side * step);
      const { lower, upper } = padLogProbability(logDeltaGdp(mu, epsilon));
      const nearest = side > 0 ? lower : upper;
      const isBeyond = side * (nearest - target) > 0;
      if (isBeyond && side * (exp(nearest) * (1 - side * 3 * FUNCTION_ERROR) - delta) >= 0)
        return mu * (1 + side * 3 * FUNCTION_ERROR);
    }
  };
  return bracket(end(-1), end(1));
}

/**
 * The smallest σ for which N(0, σ²) noise on a query of L2 sensitivity Δ is (ε, δ)-DP: σ = Δ/μ_GDP(ε, δ)
 * (GM thm 2; Balle, Wang 2018, thm 8). At ε = 0 it is Δ/(2√2 inverf δ) (GM thm 3).
 *
 * Ensures: the smallest σ lies in the bracket; its upper end is (ε, δ)-DP.
 *
 * @throws TypeError | RangeError naming the option that is not in its range (see `GaussianRequest`).
 * @example
 * optimalSigma({ epsilon: 1, delta: 1e-5, sensitivity: 2 }).upper; // 7.46127
 */
export function optimalSigma(request: GaussianRequest): Bracket {
  const { epsilon, delta, sensitivity } = requireRequest(request, 1, true);
  const mu = muBracket(epsilon, delta);
  return bracket(
    (sensitivity / mu.upper) * (1 - FUNCTION_ERROR),
    (sensitivity / mu.lower) * (1 + FUNCTION_ERROR),
  );
}

/** Two older noise formulas, σ = FΔ/ε: F = √(2 ln(2/δ)) (Dwork et al. 2006) and F = √(2 ln(1.25/δ)) (Dwork, Roth 2014). */
export type Classical = 'dwork-2006' | 'dwork-2014';

export const CLASSICAL: readonly Classical[] = ['dwork-2006', 'dwork-2014'];

/** A warning if a classical formula is used for ε > 1; up to ε = 1 it is proven. */
export interface ClassicalWarning {
  /** 'unproven': ε > 1, though (ε, δ)-DP still holds; 'invalid': it does not hold; 'undecided': too close to the threshold to tell. */
  readonly status: 'unproven' | 'invalid' | 'undecided';
  /** G(δ): beyond it the formula is not (ε, δ)-DP. */
  readonly threshold: Bracket;
  /** δ of the formula's σ at the ε asked for. */
  readonly delta: Bracket;
  /** ε of the formula's σ at the δ asked for, in nats. */
  readonly epsilon: Bracket;
}

/** Noise by a classical formula. */
export interface ClassicalSigma {
  /** Standard deviation, in the unit of the query. */
  readonly sigma: Bracket;
  /** Set if ε > 1, beyond the formula's proof. */
  readonly warning?: ClassicalWarning;
}

/** F(δ) of the formula σ = F(δ)Δ/ε, with a few roundings. */
function factor(formula: Classical, delta: number): number {
  return Math.sqrt(
    2 * log((requireOneOf('formula', formula, CLASSICAL) === 'dwork-2006' ? 2 : 1.25) / delta),
  );
}

/**
 * σ of a classical formula, with a warning wherever its proof does not cover ε.
 *
 * @throws TypeError | RangeError naming the option that is not in its range.
 * @example
 * classicalSigma('dwork-2014', { epsilon: 1, delta: 1e-5 }).sigma.upper; // 4.84481
 */
export function classicalSigma(formula: Classical, request: GaussianRequest): ClassicalSigma {
  const { epsilon, delta, sensitivity } = requireRequest(request);
  const value = (factor(formula, delta) * sensitivity) / epsilon;
  const sigma = bracket(value * (1 - SLACK), value * (1 + SLACK));
  if (epsilon <= 1) return { sigma };
  const threshold = classicalThreshold(formula, delta);
  const [most, least] = [
    gaussianRun((sensitivity / sigma.lower) * (1 + SLACK)),
    gaussianRun((sensitivity / sigma.upper) * (1 - SLACK)),
  ];
  const [above, below] = [most.logDelta(epsilon).upper, least.logDelta(epsilon).lower];
  const [large, small] = [most, least].map((run) => epsilonOf(run, log(delta), TO_12_DIGITS));
  return {
    sigma,
    warning: {
      status: epsilon <= threshold.lower ? 'unproven' : epsilon > threshold.upper ? 'invalid' : 'undecided',
      threshold,
      delta: bracket(exp(below) * (1 - SLACK), Math.min(1, exp(above) * (1 + SLACK))),
      epsilon: bracket(small.lower, large.upper),
    },
  };
}

/**
 * G(δ) of GM thm 1: the ε beyond which the formula's σ = F(δ)Δ/ε is not (ε, δ)-DP. With μ = ε/F, δ_μ(ε) grows
 * with ε, since dδ/dε = φ(t)(1/F − R(t + μ)) and R(x) < 1/x.
 *
 * Ensures: G(δ) lies in the bracket.
 *
 * @throws TypeError | RangeError if `delta` is not in [1e-300, 1).
 * @example
 * classicalThreshold('dwork-2014', 1e-5).lower; // 8.41977
 */
export function classicalThreshold(formula: Classical, delta: number): Bracket {
  const f = factor(formula, requireDelta(delta));
  const target = log(delta);
  // the factor f has a rounding error, by which μ is moved to either side
  const at = (epsilon: number, side: 1 | -1) =>
    padLogProbability(logDeltaGdp((epsilon / f) * (1 + side * SLACK), epsilon));
  const options = { guess: 9, ceiling: 1e6 };
  const fails = turningPoint((epsilon) => at(epsilon, -1).lower > target, options);
  const may = turningPoint((epsilon) => at(epsilon, 1).upper > target, {
    ...options,
    guess: fails.high,
    reach: 1e-11 * fails.high,
  });
  return bracket(Math.max(0, may.low), fails.high);
}

/** One way to choose the noise of a Gaussian mechanism. */
export interface GaussianNoise {
  /** Name of the formula. */
  readonly name: string;
  /** What the noise is meant to give: (ε, δ)-DP, or the stronger probabilistic DP, which bounds the loss itself. */
  readonly gives: 'DP' | 'probabilistic DP';
  /** Standard deviation, in the unit of the query. */
  readonly sigma: Bracket;
  /** The theorem it comes from; codes stand in docs/bibliography.md. */
  readonly source: string;
  /** Set if the formula's proof does not cover ε. */
  readonly warning?: ClassicalWarning;
}

/** The formulas, the optimal one first; for the classical ones, their names. */
const FORMULAS = [
  ['optimal', 'DP', optimalSigma, 'Zhao et al. 2019, thm 2; Balle, Wang 2018'],
  ['Mechanism 1', 'DP', mechanism1Sigma, 'Zhao et al. 2019, thm 4'],
  ['Mechanism 2', 'DP', mechanism2Sigma, 'Zhao et al. 2019, thm 5'],
  ['Dwork-2014', 'DP', 'dwork-2014', 'Dwork, Roth 2014, thm A.1'],
  ['Dwork-2006', 'DP', 'dwork-2006', 'Dwork et al. 2006'],
  ['pDP-OPT', 'probabilistic DP', pdpOptimalSigma, 'Zhao et al. 2019, thm 6'],
  ['Mechanism 3', 'probabilistic DP', mechanism3Sigma, 'Zhao et al. 2019, thm 8'],
  ['Mechanism 4', 'probabilistic DP', mechanism4Sigma, 'Zhao et al. 2019, thm 9'],
] as const;

/**
 * Every formula for the noise of a Gaussian mechanism that is defined at (ε, δ), the optimal one first.
 *
 * @throws TypeError | RangeError naming the option that is not in its range (see `GaussianRequest`).
 * @example
 * gaussianNoises({ epsilon: 1, delta: 1e-5 })[0].name; // 'optimal'
 */
export function gaussianNoises(request: GaussianRequest): GaussianNoise[] {
  const { delta } = requireRequest(request);
  return FORMULAS.filter(([, , formula]) => formula !== mechanism2Sigma || delta < 0.5).map(
    ([name, gives, formula, source]) => {
      const { sigma, ...warned } =
        typeof formula === 'string' ? classicalSigma(formula, request) : { sigma: formula(request) };
      return { name, gives, sigma, ...warned, source };
    },
  );
}
