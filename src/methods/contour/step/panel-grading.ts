import { ellipseHeight, ellipseReach } from '../../../numeric/bernstein-ellipse.js';
import { log } from '../../../numeric/scalar.js';
import { threeBitsBelow } from './gaussian-range.js';
import { bigShare, growthNear } from './off-axis.js';

/** Parameter of the Bernstein ellipse that panels are laid out for. */
export const RHO = 3.05;
/** Half the length of a panel, at most; and the angle μ·Im x that its first ellipse may reach, and any: the loss is singular at π. */
const LONGEST_HALF = 1.75;
const FIRST_ANGLE = 0.8 * Math.PI;
/** What the first ellipse may lose to a negative tilt, in logarithms. */
const MOST_SHRINK = 4;
/** What the integrand may gain where the first ellipse reaches beyond the cut, in logarithms. */
const MOST_RISE = 4;

/** A stretch of outputs under one rule. */
export interface Panel {
  readonly left: number;
  readonly half: number;
}

/** How often all panels are halved, and the first once more. */
export interface Grading {
  readonly halvings: number;
  readonly grading: number;
}

/** The panels that a tilt needs: short ones for c < 0, for |u|^c grows off the axis; short ones at the cut where φu^c is steep there. */
export function gradingFor(mu: number, q: number, cut: number, c: number): Grading {
  const halvings = halvingsFor(mu, q, c);
  const half = longestHalf(mu) / 2 ** halvings;
  const slope = c * mu * bigShare(mu, q, cut) - cut;
  let grading = 0;
  for (; grading < 12 && (slope * overOf(half, RHO)) / 2 ** grading > MOST_RISE; grading++);
  // in classes, so that many tilts share their panels
  return { halvings: 2 * Math.ceil(halvings / 2), grading: grading <= 2 ? 2 : 4 * Math.ceil(grading / 4) };
}

/** How often panels are halved until their first ellipses lose little to a negative tilt. */
function halvingsFor(mu: number, q: number, c: number): number {
  let half = longestHalf(mu);
  let halvings = 0;
  for (; halvings < 24 && growthNear(mu, q, c, mu * ellipseHeight(half, RHO)) > MOST_SHRINK; halvings++)
    half /= 2;
  return halvings;
}

/** The least tilt, a power of 2 and no less than `least`, for which panels that are halved so often are short enough. */
export function leastTilt(mu: number, q: number, halvings: number, least: number): number {
  let c = -1;
  while (2 * c >= least && halvingsFor(mu, q, 2 * c) <= halvings) c *= 2;
  return c;
}

/** How far an ellipse reaches beyond its panel. */
export function overOf(half: number, rho: number): number {
  return ellipseReach(half, rho) - half;
}

export function gradedPanel(cut: number, first: number, longest: number, k: number): Panel {
  const steps = Math.min(k, Math.ceil(log(longest / first) / Math.LN2 - 1e-9));
  // the lengths 2·first·(1 + 2 + 4 + …), then the longest ones
  let edge = cut;
  let half = first;
  for (let i = 0; i < steps; i++) {
    edge -= 2 * half;
    half = Math.min(2 * half, longest);
  }
  return { left: edge - 2 * half * (k - steps + 1), half };
}

export function longestHalf(mu: number): number {
  return threeBitsBelow(Math.min(LONGEST_HALF, FIRST_ANGLE / (mu * ellipseHeight(1, RHO))));
}
