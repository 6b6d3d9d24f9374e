import { requireOneOf } from '../errors.js';
import { MECHANISM_KINDS } from './parse.js';

/** What is known of a kind of mechanism whatever its numbers are. */
export interface MechanismFacts {
  readonly title: string;
  /** 'exact': the mechanism's own curve; 'bound': what a stated guarantee implies; 'inner': that of what it is made of. */
  readonly standing: 'exact' | 'bound' | 'inner';
  readonly adjacency: string;
  /** δ(ε) as ε → ∞, and the tail limit μ_t. */
  readonly tail: string;
  readonly source: string;
}

type Row = readonly [title: string, standing: MechanismFacts['standing'], tail: string, source: string];

const NONE = 'losses are bounded: delta is 0 from some epsilon on, mu_t = 0';
const FREE = 'either: the guarantee is taken to hold under the adjacency of the account';
const DOUBLED = 'add-remove; replace-one doubles the sensitivity';

const ROWS: Readonly<Record<string, Row>> = {
  gaussian: ['Gaussian noise', 'exact', 'Gaussian, mu_t = 1/noiseMultiplier', 'Balle, Wang 2018, thm 8'],
  laplace: ['Laplace noise', 'exact', NONE, 'Dwork, McSherry, Nissim, Smith 2006'],
  'discrete-gaussian': [
    'Discrete Gaussian noise',
    'exact',
    'Gaussian, mu_t = sensitivity/sigma',
    'Canonne, Kamath, Steinke 2020',
  ],
  'discrete-laplace': ['Discrete Laplace noise', 'exact', NONE, 'Ghosh, Roughgarden, Sundararajan 2009'],
  'randomized-response': ['Randomised response', 'exact', NONE, 'Warner 1965'],
  'pure-dp': ['Pure DP', 'bound', NONE, 'Kairouz, Oh, Viswanath 2015'],
  'approximate-dp': [
    '(epsilon, delta)-DP',
    'bound',
    'delta stays: mu_t is infinite, unless delta is 0',
    'Kairouz, Oh, Viswanath 2015',
  ],
  gdp: ['Gaussian DP', 'bound', 'Gaussian, mu_t = mu', 'Dong, Roth, Su 2022, cor. 2.13'],
  zcdp: ['zCDP', 'bound', 'Gaussian, mu_t = sqrt(2 rho)', 'Bun, Steinke 2016'],
  rdp: ['Renyi DP', 'bound', 'exponential: mu_t is infinite', 'Mironov 2017'],
  'bounded-range': ['Bounded range', 'bound', NONE, 'Durfee, Rogers 2019'],
  tabulated: [
    'Tabulated profile',
    'bound',
    'delta stays at its least listed value: mu_t is infinite, unless that is 0',
    'the largest profile under the points: convex in e^epsilon',
  ],
  'dp-sgd': ['DP-SGD', 'exact', 'Gaussian, mu_t = sqrt(steps)/noiseMultiplier', 'Abadi et al. 2016'],
  'poisson-subsampled': [
    'Poisson sample',
    'inner',
    'that of the inner mechanism, in the direction of removal',
    'Balle, Barthe, Gaboardi 2018, thm 8',
  ],
  'without-replacement': [
    'Sample without replacement',
    'inner',
    'that of the inner mechanism',
    'Balle, Barthe, Gaboardi 2018',
  ],
  repeat: [
    'Repetition',
    'inner',
    'mu_t = sqrt(count) times that of the inner mechanism',
    'Dong, Roth, Su 2022, cor. 3.3',
  ],
  compose: [
    'Composition',
    'inner',
    'mu_t^2 is the sum of those of the parts',
    'Dong, Roth, Su 2022, cor. 3.3',
  ],
};

const ADJACENCY: Readonly<Record<string, string>> = {
  gaussian: DOUBLED,
  laplace: DOUBLED,
  'discrete-gaussian': DOUBLED,
  'discrete-laplace': DOUBLED,
  'dp-sgd': 'add-remove',
  'poisson-subsampled': 'add-remove',
  'without-replacement': 'replace-one',
  repeat: 'that of the inner mechanism',
  compose: 'one that all parts share',
};

/**
 * The adjacency, the tail, the standing and the source of a kind of mechanism.
 *
 * @throws TypeError | RangeError if `kind` is not one of `MECHANISM_KINDS`.
 */
export function factsOf(kind: string): MechanismFacts {
  const [title, standing, tail, source] = ROWS[requireOneOf('kind', kind, MECHANISM_KINDS)];
  return { title, standing, adjacency: ADJACENCY[kind] ?? FREE, tail, source };
}
