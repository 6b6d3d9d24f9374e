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

/** The formulas, the optimal one first; of the classical ones their names. */
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
