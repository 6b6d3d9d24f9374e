import { shortDecimal } from '../text/decimal.js';
import type { Basic } from './basic.js';

/** A mechanism in a few words, as a table cell: 'Laplace, scale 5, sensitivity 1'. */
export function describeMechanism(mechanism: Basic): string {
  const n = shortDecimal;
  switch (mechanism.kind) {
    case 'gaussian':
      return `Gaussian, noise multiplier ${n(mechanism.noiseMultiplier)}`;
    case 'laplace':
      return `Laplace, scale ${n(mechanism.scale)}, sensitivity ${n(mechanism.sensitivity)}`;
    case 'discrete-gaussian':
      return `discrete Gaussian, sigma ${n(mechanism.sigma)}, sensitivity ${mechanism.sensitivity}`;
    case 'discrete-laplace':
      return `discrete Laplace, scale ${n(mechanism.scale)}, sensitivity ${mechanism.sensitivity}`;
    case 'randomized-response':
      return `randomized response, epsilon ${n(mechanism.epsilon)}, ${mechanism.categories} answers`;
    case 'pure-dp':
      return `${n(mechanism.epsilon)}-DP`;
    case 'approximate-dp':
      return `(${n(mechanism.epsilon)}, ${n(mechanism.delta)})-DP`;
    case 'gdp':
      return `${n(mechanism.mu)}-GDP`;
    case 'zcdp':
      return `${n(mechanism.rho)}-zCDP`;
    case 'rdp':
      return `RDP at ${mechanism.points.length} orders`;
    case 'bounded-range':
      return `bounded range ${n(mechanism.epsilon)}`;
    case 'tabulated':
      return `profile given at ${mechanism.points.length} points`;
  }
}
