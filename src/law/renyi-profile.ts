import { exp, log, log1p } from '../scalar.js';
import type { Atoms } from './atomic-law.js';
import { tabulatedAtoms } from './tabulated-atoms.js';

/** Tables are cut where δ falls below e^{−700}. */
const DEPTH = 700;
const POINTS = 4000;

/** The profile table of anything ρ-zCDP: Rényi divergence ρα at every order α > 1. */
export function zcdpAtoms(rho: number): Atoms {
  const top = rho + 2 * Math.sqrt(rho * DEPTH);
  // log δ(ε) ~ −ε²/4ρ
  return profileAtoms(top, Math.sqrt(2 * rho), (epsilon) => {
    // the best order of the simpler bound (α−1)(ρα − ε) is near; the minimum is taken over a few around it
    const centre = Math.max(1e-6, (epsilon - rho) / (2 * rho));
    let best = 0;
    for (let i = -12; i <= 12; i++) {
      const above = centre * exp(i / 12);
      best = Math.min(best, logDeltaFromRenyi(1 + above, above, rho * (1 + above), epsilon));
    }
    return best;
  });
}

/** The profile table of anything with the Rényi divergences listed. */
export function rdpAtoms(points: readonly { order: number; epsilon: number }[]): Atoms {
  let top = Infinity;
  for (const { order, epsilon } of points) top = Math.min(top, epsilon + DEPTH / (order - 1));
  return profileAtoms(top, Infinity, (epsilon) => {
    let best = 0;
    for (const point of points) {
      best = Math.min(best, logDeltaFromRenyi(point.order, point.order - 1, point.epsilon, epsilon));
    }
    return best;
  });
}

/** log δ = (α−1)(D − ε) + (α−1) log(1 − 1/α) − log α (Canonne, Kamath, Steinke 2020, prop. 12; Asoodeh et al. 2020), rounded up. */
export function logDeltaFromRenyi(order: number, above: number, divergence: number, epsilon: number): number {
  const value = above * (divergence - epsilon) + above * log1p(-1 / order) - log(order);
  return value + 1e-14 * (1 + above * (Math.abs(divergence) + Math.abs(epsilon) + 1 / order) + log(order));
}

function profileAtoms(top: number, tailMu: number, logDelta: (epsilon: number) => number): Atoms {
  const points: { epsilon: number; delta: number }[] = [];
  for (let i = 0; i <= POINTS; i++) {
    const epsilon = (top * i) / POINTS;
    points.push({ epsilon, delta: exp(Math.min(0, logDelta(epsilon))) });
  }
  const atoms = tabulatedAtoms(points);
  const beyond = Math.max(atoms.infinity, atoms.minusInfinity);
  return { ...atoms, infinity: 0, minusInfinity: 0, beyond, gdpMu: Infinity, tailMu };
}
