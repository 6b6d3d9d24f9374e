import { type Measurement, measure } from '../../index.js';
import { muOfOpenWindow } from '../../measure/measurement.js';
import { gdptPlot } from '../../plot/index.js';
import { shortDecimal } from '../../text/decimal.js';
import type { Args } from '../args.js';
import type { Command } from '../command.js';
import type { Flags } from '../flags.js';
import { DIGITS_FLAGS, FORMATS, line, type Shown, shownOf, toJson } from '../output.js';
import { PHASE_FLAGS } from '../phase.js';
import { SVG_FLAGS, writeRunSvg } from '../profile-plot.js';
import { accountedRun, engineOf, RUN_FLAGS, RUN_OPERAND, sourceOf } from '../run-source.js';
import { compareWithAnswered, GROUP_FLAGS, grouped, groupOf, groupProvenance } from '../subject-source.js';

export const WINDOW_FLAGS: Flags = {
  'alpha-min': {
    type: 'string',
    value: 'A',
    help: 'smallest error rate mu speaks of (default 1e-10)',
  },
};

export function windowOf(args: Args): { alphaMin?: number } {
  const alphaMin = args.number('alpha-min', 'a number in (0, 0.5)', (x) => x > 0 && x < 0.5);
  return alphaMin === undefined ? {} : { alphaMin };
}

export const mu: Command = {
  name: 'mu',
  usage: 'FILE|-',
  summary: 'mu over error rates from a window up: the one to publish',
  operand: RUN_OPERAND,
  flags: { ...PHASE_FLAGS, ...WINDOW_FLAGS, ...SVG_FLAGS, ...DIGITS_FLAGS, ...GROUP_FLAGS, ...RUN_FLAGS },
  async run(args, context) {
    const asked = windowOf(args);
    const source = await sourceOf(args, context, 'mu');
    const run = await accountedRun(args, context, source);
    const measured = measure(grouped(args, run), { ...asked, engine: await engineOf(args, context) });
    if (groupOf(args) === 1)
      compareWithAnswered(source, context, ['alphaMin', measured.alphaMin], ['mu', measured.mu]);
    await writeRunSvg(args, () => gdptPlot(run, { measurement: measured }));
    if (args.has('json')) {
      const { tailMu: _, ...rest } = measured;
      const tailMu = muOfOpenWindow(measured);
      return toJson({ ...rest, ...(tailMu && { tailMu }), ...groupProvenance(args, run) });
    }
    return measurementText(measured, shownOf(args));
  },
};

/** What is said of a window that holds none of a run's rates. */
const RATES = { some: '', none: '; this run has none', unknown: '; this run may have none' } as const;

export function measurementText(measured: Measurement, shown: Shown): string {
  const { alphaMin, mu, rates, regret, tier } = measured;
  const window = shortDecimal(alphaMin);
  const tail = muOfOpenWindow(measured);
  return [
    line(`mu (rates >= ${window})`, mu, shown, FORMATS.mu),
    line('regret (all rates)', regret, shown),
    tail === undefined ? '' : line('tail mu', tail, shown, FORMATS.mu),
    `${'window'.padEnd(24)}error rates down to ${window}${RATES[rates]}\n`,
    `${'tier'.padEnd(24)}${tier} (mu for rates >= ${window})\n`,
  ].join('');
}
