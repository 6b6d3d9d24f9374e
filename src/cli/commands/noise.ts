import {
  type ClassicalWarning,
  classicalThreshold,
  type GaussianNoise,
  gaussianNoises,
  optimalSigma,
} from '../../index.js';
import { shortDecimal } from '../../text/decimal.js';
import { type Command, value } from '../command.js';
import { DIGITS_FLAGS, endsText, FORMATS, line, printed, row, type Shown, shownOf } from '../output.js';

export const noise: Command = {
  name: 'noise',
  usage: '--epsilon E --delta D',
  summary: 'noise of one Gaussian release, by eight published formulas',
  examples: ['gdp noise --epsilon 1 --delta 1e-5'],
  flags: {
    epsilon: value('E', '0, or in [1e-12, 1e6]'),
    delta: value('D', 'in [1e-300, 1)'),
    sensitivity: value('S', 'L2 sensitivity of the query (default 1)'),
    ...DIGITS_FLAGS,
  },
  async run(args) {
    const number = (flag: string, why: string): number => args.required(args.number(flag), flag, why);
    const epsilon = number('epsilon', 'the epsilon that the noise is to give');
    const delta = number('delta', 'the delta that the noise is to give');
    const sensitivity = args.number('sensitivity') ?? 1;
    const request = { epsilon, delta, sensitivity };
    // at ε = 0, δ is the total variation distance, and the least noise is Δ/(2√2 erf⁻¹ δ) (Zhao et al. 2019, thm 3)
    const noises: GaussianNoise[] =
      epsilon === 0
        ? [{ name: 'optimal', gives: 'DP', sigma: optimalSigma(request), source: 'Zhao et al. 2019, thm 3' }]
        : gaussianNoises(request);
    const thresholds = {
      'dwork-2014': classicalThreshold('dwork-2014', delta),
      'dwork-2006': classicalThreshold('dwork-2006', delta),
    };
    return printed(args, { epsilon, delta, sensitivity, noises, thresholds }, () => {
      const shown = shownOf(args);
      const rows = noises.map(({ name, gives, sigma, source, warning }) => {
        const said = warning === undefined ? '' : `; ${warningText(warning, shown)}`;
        return line(name, sigma, shown, FORMATS.sigma) + row('', `${gives}, ${source}${said}`);
      });
      const limits = Object.entries(thresholds).map(([name, threshold]) => {
        const limit = `${endsText(threshold, shown, FORMATS.sigma)} at delta ${shortDecimal(delta)}`;
        return row(`limit of ${name}`, `proven up to epsilon 1; false beyond ${limit}`);
      });
      return [...rows, ...limits].join('');
    });
  },
};

const STATUS = {
  unproven: 'beyond epsilon 1 its proof does not hold, though the claim does',
  invalid: 'NOT (epsilon, delta)-DP',
  undecided: 'too close to its limit to tell',
} as const;

function warningText({ status, delta, epsilon }: ClassicalWarning, shown: Shown): string {
  return `${STATUS[status]}: delta ${endsText(delta, shown)} at this epsilon, epsilon ${endsText(epsilon, shown)} at this delta`;
}
