import {
  type ClassicalWarning,
  classicalThreshold,
  type GaussianNoise,
  gaussianNoises,
  optimalSigma,
} from '../../index.js';
import { bracketText, shortDecimal } from '../../text/decimal.js';
import type { Command } from '../command.js';
import { line, toJson } from '../output.js';

export const noise: Command = {
  name: 'noise',
  usage: '--epsilon E --delta D',
  summary: 'noise of one Gaussian release, by every formula in use',
  flags: {
    epsilon: { type: 'string', value: 'E', help: '0, or in [1e-12, 1e6]' },
    delta: { type: 'string', value: 'D', help: 'in [1e-300, 1)' },
    sensitivity: { type: 'string', value: 'S', help: 'L2 sensitivity of the query (default 1)' },
  },
  async run(args) {
    const number = (flag: string, why: string): number =>
      args.required(args.number(flag, 'a finite number', Number.isFinite), flag, why);
    const epsilon = number('epsilon', 'the epsilon that the noise is to give');
    const delta = number('delta', 'the delta that the noise is to give');
    const sensitivity = args.number('sensitivity', 'a finite number', Number.isFinite) ?? 1;
    const request = { epsilon, delta, sensitivity };
    // delta at epsilon 0 is a total variation distance: Δ/(2√2 inverf δ) (GM thm 3)
    const noises: GaussianNoise[] =
      epsilon === 0
        ? [{ name: 'optimal', gives: 'DP', sigma: optimalSigma(request), source: 'GM thm 3' }]
        : gaussianNoises(request);
    const thresholds = {
      'dwork-2014': classicalThreshold('dwork-2014', delta),
      'dwork-2006': classicalThreshold('dwork-2006', delta),
    };
    if (args.has('json')) return toJson({ epsilon, delta, sensitivity, noises, thresholds });
    const rows = noises.map(({ name, gives, sigma, source, warning }) => {
      const said = warning === undefined ? '' : `; ${warningText(warning)}`;
      return `${line(name, sigma)}${''.padEnd(24)}${gives}, ${source}${said}\n`;
    });
    const limits = Object.entries(thresholds).map(
      ([name, threshold]) =>
        `${`limit of ${name}`.padEnd(24)}proven up to epsilon 1; false beyond ${bracketText(threshold)} at delta ${shortDecimal(delta)}\n`,
    );
    return rows.join('') + limits.join('');
  },
};

const STATUS = {
  unproven: 'beyond epsilon 1 its proof does not hold, though the claim does',
  invalid: 'NOT (epsilon, delta)-DP',
  undecided: 'too close to its limit to tell',
} as const;

function warningText({ status, delta, epsilon }: ClassicalWarning): string {
  return `${STATUS[status]}: delta ${bracketText(delta)} at this epsilon, epsilon ${bracketText(epsilon)} at this delta`;
}
