import { certify as certificateOf } from '../../index.js';
import type { Command } from '../command.js';
import { output, value } from '../flags.js';
import { toJson } from '../output.js';
import { writtenOut } from '../output-path.js';
import { PHASE_FLAGS } from '../phase-flags.js';
import { ACCOUNT_FLAGS, accountedRun, EFFORT_FLAGS, RUN_OPERAND, sourceOf } from '../run-source.js';

export const certify: Command = {
  name: 'certify',
  usage: 'FILE|- --epsilon E',
  summary: 'the delta at an epsilon as a certificate for gdp verify',
  operand: RUN_OPERAND,
  flags: {
    ...PHASE_FLAGS,
    epsilon: value('E', 'a finite number'),
    out: output('PATH', 'write there instead of standard output (-)'),
    ...ACCOUNT_FLAGS,
    ...EFFORT_FLAGS,
  },
  async run(args, context) {
    const given = args.number('epsilon', 'a finite number');
    const epsilon = args.required(given, 'epsilon', 'a certificate is about delta at that epsilon');
    const run = await accountedRun(args, context, await sourceOf(args, context, 'certify'));
    return writtenOut(args, context, toJson(certificateOf(run, { epsilon })));
  },
};
