import { requireNumber, requireOptions, requireWhole, wrongValue } from '../errors.js';
import { exactly } from '../numeric/bracket.js';
import { down, FEW_ROUNDINGS, FUNCTION_ERROR, ROUNDINGS, TO_LAST_DIGITS, up } from '../numeric/rounding.js';
import { expm1, log } from '../numeric/scalar.js';
import { turningPoint } from '../numeric/solve.js';
import { quadraticCeiling } from './gdp-inverse.js';
import { aroundLog, type Profile } from './profile.js';
import { type Peak, refinedProfile } from './refine.js';

/**
 * The profile of the family of analyses with noise σ = A ε⁻¹ √log(B/δ) (noisy SGD and others; IAM's second running example): δ̂(ε) = min(1, B
 * e^{−(σε/A)²}), refined by the partial order of IAM thm 2.1. It is GDP, with μ_t = A/(√2 σ).
 *
 * @param options A, σ > 0 with σ/A in [1e-9, 1e9], B ≥ 1.
 * @throws TypeError | RangeError for values outside.
 * @example
 * sgdFamilyProfile({ A: 2, B: 1, sigma: 2 }).logDelta(1).upper; // -1.06962
 */
export function sgdFamilyProfile(options: { A: number; B: number; sigma: number }): Profile {
  requireOptions('sgdFamilyProfile', options, ['A', 'B', 'sigma']);
  const a = positive('A', options?.A);
  const b = requireNumber('B', options.B, 'a number >= 1', (x) => x >= 1 && x < 1e300);
  const sigma = positive('sigma', options.sigma);
  if (!(sigma / a >= 1e-9 && sigma / a <= 1e9))
    throw wrongValue('sigma', `such that sigma/A is in [1e-9, 1e9] (A is ${a})`, sigma);
  const rate = (sigma / a) ** 2;
  const spread = a / (Math.SQRT2 * sigma);
  const constant = log(b);
  const naive: Profile = {
    title: `SGD family (A = ${a}, B = ${b}, sigma = ${sigma})`,
    standing: 'bound',
    adjacency: 'unstated',
    tail: {
      mu: { lower: down(spread, FEW_ROUNDINGS), upper: up(spread, FEW_ROUNDINGS) },
      reason: 'log delta falls as -epsilon^2/(2 mu_t^2)',
      ceiling: (epsilon) => quadraticCeiling({ spread, linear: 0, constant }, epsilon),
    },
    logDelta: (epsilon) => {
      if (epsilon === Infinity) return exactly(-Infinity);
      const fall = rate * epsilon * epsilon;
      const value = Math.min(0, constant - fall);
      return value === 0 ? exactly(0) : widened(value, constant + fall);
    },
  };
  // with r = (σ/A)², (1 − δ̂)/(−δ̂′) = (e^{rε²}/B − 1)/(2rε) rises where δ̂ < 1, and 1 + e^{−ε} falls: they cross once
  const first = Math.sqrt(constant / rate);
  return refinedProfile(
    naive,
    crossing(first, (x) => expm1(rate * x * x - constant) / (2 * rate * x)),
  );
}

/**
 * The invisibility cloak encoder (IAM's third running example) for n users and m messages, m > 10 log(n/(εδ)). Its profile is
 * δ̂(ε) = min(1, n e^{−m/10}/ε), refined by the partial order of IAM thm 2.1. It is not GDP.
 *
 * @throws TypeError | RangeError if `messages` is not a positive number or `users` not a whole number ≥ 1.
 * @example
 * identify(iceaProfile({ messages: 1000, users: 100 })).verdict; // 'not-gdp'
 */
export function iceaProfile(options: { messages: number; users: number }): Profile {
  requireOptions('iceaProfile', options, ['messages', 'users']);
  const messages = positive('messages', options?.messages);
  const users = requireWhole('users', options.users, 1, Number.MAX_SAFE_INTEGER);
  const logLevel = log(users) - messages / 10;
  const naive: Profile = {
    title: `ICEA (m = ${messages}, n = ${users})`,
    standing: 'bound',
    adjacency: 'unstated',
    tail: {
      mu: exactly(Infinity),
      reason: 'delta falls only as 1/epsilon, slower than any Gaussian profile',
      ceiling: () => Infinity,
    },
    logDelta: (epsilon) => {
      if (epsilon === Infinity) return exactly(-Infinity);
      const value = epsilon === 0 ? 0 : Math.min(0, logLevel - log(epsilon));
      return value === 0
        ? exactly(0)
        : widened(value, Math.abs(logLevel) + Math.abs(log(epsilon)) + messages);
    },
  };
  // with k = n e^{−m/10}, (1 − δ̂)/(−δ̂′) = ε²/k − ε rises where δ̂ < 1
  const level = expm1(logLevel) + 1;
  return refinedProfile(
    naive,
    crossing(level, (x) => x * (x / level - 1)),
  );
}

/** The ε at which a rising ratio (1 − δ̂)/(−δ̂′), 0 at `first`, passes 1 + e^{−ε}. There the derivative of (1 − δ̂)/(1 + e^ε) changes sign. */
function crossing(first: number, ratio: (x: number) => number): Peak {
  const { low, high } = turningPoint((x) => ratio(x) >= 2 + expm1(-x), {
    guess: first + 1,
    floor: first,
    ceiling: 1e12,
    relative: TO_LAST_DIGITS,
    absolute: 1e-300,
  });
  const slack = ROUNDINGS * (1 + high);
  return { low: Math.max(first, low - slack), high: high + slack };
}

/** Returns `value` if it is a number in (0, 1e300). @throws TypeError | RangeError otherwise. */
function positive(option: string, value: unknown): number {
  return requireNumber(option, value, 'a number in (0, 1e300)');
}

/** A bracket of a logarithm with the rounding error of terms of the given size. */
function widened(value: number, size: number) {
  const slack = FUNCTION_ERROR * size;
  return { lower: aroundLog(value - slack).lower, upper: Math.min(0, aroundLog(value + slack).upper) };
}
