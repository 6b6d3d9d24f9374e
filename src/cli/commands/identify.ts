import { identify as identifyOf } from '../../index.js';
import type { Command } from '../command.js';
import { FORMATS, line, printed, row, shownOf } from '../output.js';
import { profileSvg, SVG_FLAGS, writeSvg } from '../profile-plot.js';
import { RUN_OPERAND } from '../run-source.js';
import { FORMULA_FLAGS, subjectOf } from '../subject-source.js';

/** Largest ε of the plotted privacy profile. */
const PLOTTED = 10;

export const identify: Command = {
  name: 'identify',
  usage: 'FILE|-',
  summary: 'whether the run is Gaussian DP at all; exit code 1 if not',
  examples: ['gdp identify state.json', 'gdp identify --formula laplace:2'],
  operand: RUN_OPERAND,
  flags: { ...SVG_FLAGS, ...FORMULA_FLAGS },
  async run(args, context) {
    const { title, subject, provenance } = await subjectOf(args, context);
    const found = identifyOf(subject);
    await writeSvg(args, context, () => profileSvg({ name: title, subject }, PLOTTED));
    const text = () => {
      // a limit of 0 is a trivial lower bound of μ, and is not printed
      const { tailMu } = found;
      const known = typeof tailMu !== 'number' && tailMu.upper !== 0;
      const verdict = found.verdict === 'gdp' ? 'Gaussian DP' : 'not Gaussian DP for any mu';
      return [
        row('verdict', `${verdict} (${found.standing})`),
        known ? line('mu (all rates)', tailMu, shownOf(args), FORMATS.mu) : '',
        row('reason', found.reason),
      ].join('');
    };
    return printed(args, { ...found, ...provenance() }, text, found.verdict === 'not-gdp' ? 1 : 0);
  },
};
