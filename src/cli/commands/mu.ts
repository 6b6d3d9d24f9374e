import { type Measurement, measure } from '../../index.js';
import { RATES_SAID } from '../../measure/measurement.js';
import { gdptPlot } from '../../plot/index.js';
import { shortDecimal } from '../../text/decimal.js';
import { type Args, given } from '../args.js';
import { type Command, type Flags, value } from '../command.js';
import { FORMATS, line, printed, row, type Shown, shownOf } from '../output.js';
import { SVG_FLAGS, writeRunSvg } from '../profile-plot.js';
import { engineOf, RUN_OPERAND, runOf } from '../run-source.js';
import { compareWithAnswered, GROUP_FLAGS, grouped, groupOf, groupProvenance } from '../subject-source.js';

export const WINDOW_FLAGS: Flags = {
  'alpha-min': value('A', 'smallest error rate mu speaks of (default 1e-10)', 'a number in (0, 0.5)'),
};

export function windowOf(args: Args): { alphaMin?: number } {
  return given({ alphaMin: args.number('alpha-min') });
}

const WINDOW = `mu compares the run with telling N(0, 1) from N(mu, 1). Sampled runs have no
single such mu, so mu has a window, the error rates for which it holds:

  false negative rate
  1 |\\
    | \\     mu (rates >= 1e-10): both error rates are at least 1e-10
    |  '-._        mu (epsilon <= E): a head of the privacy profile, see gdp measure
    |      ''--.__     mu (all rates): no window; larger, for some runs infinite
  0 +----------------> false positive rate
  1e-10              1
`;

export const mu: Command = {
  name: 'mu',
  usage: 'FILE|-',
  summary: 'mu on a window of error rates: the one to publish',
  examples: ['gdp mu state.json', 'gdp mu state.json --svg mu.svg --digits 4'],
  more: WINDOW,
  operand: RUN_OPERAND,
  flags: { ...WINDOW_FLAGS, ...SVG_FLAGS, ...GROUP_FLAGS },
  async run(args, context) {
    const asked = windowOf(args);
    const { source, run } = await runOf(args, context);
    const measured = measure(grouped(args, run), { ...asked, engine: await engineOf(args, context) });
    if (groupOf(args) === 1)
      compareWithAnswered(source, context, ['alphaMin', measured.alphaMin], ['mu', measured.mu]);
    await writeRunSvg(args, context, () => gdptPlot(run, { measurement: measured }));
    return printed(args, { ...measured, ...groupProvenance(args, run) }, () =>
      measurementText(measured, shownOf(args)),
    );
  },
};

export function measurementText(measured: Measurement, shown: Shown): string {
  const { alphaMin, mu, muAllRates, rates, regret, tier } = measured;
  const window = shortDecimal(alphaMin);
  return [
    line(`mu (rates >= ${window})`, mu, shown, FORMATS.mu),
    line('mu (all rates)', muAllRates, shown, FORMATS.mu),
    line('regret (all rates)', regret, shown),
    row('window', `error rates down to ${window}${RATES_SAID[rates]}`),
    row('tier', `${tier} (mu for rates >= ${window})`),
  ].join('');
}
