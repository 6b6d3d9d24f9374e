import type { Bracket } from '../numeric/bracket.js';
import { type ClassicalWarning, classicalSigma } from './classical.js';
import {
  mechanism1Sigma,
  mechanism2Sigma,
  mechanism3Sigma,
  mechanism4Sigma,
  pdpOptimalSigma,
} from './closed-forms.js';
import { optimalSigma } from './optimal.js';
import { type GaussianRequest, requireRequest } from './request.js';

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
  /** Where the formula's proof does not cover ε. */
  readonly warning?: ClassicalWarning;
}

/**
 * Every formula for the noise of a Gaussian mechanism that is defined at (ε, δ), the optimal one first.
 *
 * @throws TypeError | RangeError naming the option that is not in its range (see `GaussianRequest`).
 * @example
 * gaussianNoises({ epsilon: 1, delta: 1e-5 })[0].name; // 'optimal'
 */
export function gaussianNoises(request: GaussianRequest): GaussianNoise[] {
  const { delta } = requireRequest(request);
  const dp = 'DP';
  const pdp = 'probabilistic DP';
  const rows: GaussianNoise[] = [
    {
      name: 'optimal',
      gives: dp,
      sigma: optimalSigma(request),
      source: 'Zhao et al. 2019, thm 2; Balle, Wang 2018',
    },
    { name: 'Mechanism 1', gives: dp, sigma: mechanism1Sigma(request), source: 'Zhao et al. 2019, thm 4' },
  ];
  if (delta < 0.5) {
    rows.push({
      name: 'Mechanism 2',
      gives: dp,
      sigma: mechanism2Sigma(request),
      source: 'Zhao et al. 2019, thm 5',
    });
  }
  rows.push(
    {
      name: 'Dwork-2014',
      gives: dp,
      ...classicalSigma('dwork-2014', request),
      source: 'Dwork, Roth 2014, thm A.1',
    },
    { name: 'Dwork-2006', gives: dp, ...classicalSigma('dwork-2006', request), source: 'Dwork et al. 2006' },
    { name: 'pDP-OPT', gives: pdp, sigma: pdpOptimalSigma(request), source: 'Zhao et al. 2019, thm 6' },
    { name: 'Mechanism 3', gives: pdp, sigma: mechanism3Sigma(request), source: 'Zhao et al. 2019, thm 8' },
    { name: 'Mechanism 4', gives: pdp, sigma: mechanism4Sigma(request), source: 'Zhao et al. 2019, thm 9' },
  );
  return rows;
}
