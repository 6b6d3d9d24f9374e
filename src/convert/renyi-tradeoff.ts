import { exp, log, log1p } from '../numeric/scalar.js';
import { turningPoint } from '../numeric/solve.js';

/**
 * D_t of the two-point pair a test makes, ((1 − β, β) against (α, 1 − α)): no pair with that trade-off point has less.
 * t ≥ 1; log t − 1 is `logAbove`, −∞ for t = 1.
 */
function divergence(logAbove: number, alpha: number, logBeta: number): number {
  const beta = exp(logBeta);
  const logAlpha = log(alpha);
  const logPower = log1p(-beta);
  const logRest = log1p(-alpha);
  if (logAbove === -Infinity) {
    return (1 - beta) * (logPower - logAlpha) + (beta === 0 ? 0 : beta * (logBeta - logRest));
  }
  const above = exp(logAbove);
  const order = 1 + above;
  const a = order * logPower - above * logAlpha;
  const b = order * logBeta - above * logRest;
  const top = Math.max(a, b);
  return (top + log1p(exp(Math.min(a, b) - top))) / above;
}

/** The same for the exchanged pair. */
function mirrored(logAbove: number, alpha: number, logBeta: number): number {
  const beta = exp(logBeta);
  const a = log1p(-alpha) - logBeta;
  const b = log(alpha) - log1p(-beta);
  if (logAbove === -Infinity) return (1 - alpha) * a + alpha * b;
  const above = exp(logAbove);
  const left = above * a + log1p(-alpha);
  const right = above * b + log(alpha);
  const top = Math.max(left, right);
  return (top + log1p(exp(Math.min(left, right) - top))) / above;
}

/** log of a β that f(α) cannot be below if D_t ≤ `bound` both ways (REP app. A.6), α ∈ (0, 1). */
export function logMissRateAtOrder(logAbove: number, bound: number, alpha: number): number {
  const slack = 1e-12 * (1 + bound);
  const impossible = (logBeta: number): boolean =>
    divergence(logAbove, alpha, logBeta) > bound + slack ||
    mirrored(logAbove, alpha, logBeta) > bound + slack;
  // at β = 1 − α the pair is trivial
  const { low } = turningPoint((logBeta) => !impossible(logBeta), {
    guess: log1p(-alpha) - 1,
    reach: 1,
    floor: -745,
    ceiling: log1p(-alpha),
    relative: 1e-13,
    absolute: 1e-13,
  });
  return low;
}

/** The least β allowed at any of the orders t of an RDP guarantee (as `order`), rounded down. */
export function missRateRdp(points: readonly { order: number; epsilon: number }[], alpha: number): number {
  let best = -Infinity;
  for (const { order, epsilon } of points) {
    best = Math.max(best, logMissRateAtOrder(log(order - 1), epsilon, alpha));
  }
  return lowered(best);
}

/** The same for ρ-zCDP, over all orders t ≥ 1 with the bound ρt. */
export function missRateZcdp(rho: number, alpha: number): number {
  const at = (logAbove: number): number => logMissRateAtOrder(logAbove, rho * (1 + exp(logAbove)), alpha);
  let best = logMissRateAtOrder(-Infinity, rho, alpha);
  let centre = -6;
  for (let i = -12; i <= 28; i++) {
    const value = at(i / 2);
    if (value > best) [best, centre] = [value, i / 2];
  }
  for (let step = 0.25; step > 1e-4; step /= 2) {
    for (const side of [-1, 1]) {
      const value = at(centre + side * step);
      if (value > best) [best, centre] = [value, centre + side * step];
    }
  }
  return lowered(best);
}

function lowered(logBeta: number): number {
  return logBeta === -Infinity ? 0 : exp(logBeta) * (1 - 1e-13);
}
