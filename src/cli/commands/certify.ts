import { certify as certificateOf } from '../../index.js';
import { type Command, output, value } from '../command.js';
import { toJson } from '../output.js';
import { writtenOut } from '../output-path.js';
import { PHASE_FLAGS } from '../phase-flags.js';
import { EFFORT_FLAGS, RUN_OPERAND, runOf } from '../run-source.js';

export const certify: Command = {
  name: 'certify',
  usage: 'FILE|- --epsilon E',
  summary: 'the delta at an epsilon as a certificate for gdp verify',
  operand: RUN_OPERAND,
  flags: {
    ...PHASE_FLAGS,
    epsilon: value('E', 'a finite number'),
    out: output('PATH', 'write there instead of standard output (-)'),
    ...EFFORT_FLAGS,
  },
  async run(args, context) {
    const given = args.number('epsilon');
    const epsilon = args.required(given, 'epsilon', 'a certificate is about delta at that epsilon');
    const { run } = await runOf(args, context);
    return writtenOut(args, context, toJson(certificateOf(run, { epsilon })));
  },
};
