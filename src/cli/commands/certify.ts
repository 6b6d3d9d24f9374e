import { certify as certificateOf } from '../../index.js';
import type { Command } from '../command.js';
import { toJson } from '../output.js';
import { writeAndSay } from '../output-path.js';
import { PHASE_FLAGS } from '../phase.js';
import { ACCOUNT_FLAGS, accountedRun, EFFORT_FLAGS, RUN_OPERAND, sourceOf } from '../run-source.js';

export const certify: Command = {
  name: 'certify',
  usage: 'FILE|- --epsilon E',
  summary: 'the delta at an epsilon as a certificate for gdp verify',
  operand: RUN_OPERAND,
  flags: {
    ...PHASE_FLAGS,
    epsilon: { type: 'string', value: 'E', help: 'a finite number' },
    out: {
      type: 'string',
      value: 'PATH',
      file: 'written',
      help: 'write there instead of standard output (-)',
    },
    ...ACCOUNT_FLAGS,
    ...EFFORT_FLAGS,
  },
  async run(args, context) {
    const given = args.number('epsilon', 'a finite number', Number.isFinite);
    const epsilon = args.required(given, 'epsilon', 'a certificate is about delta at that epsilon');
    const run = await accountedRun(args, context, await sourceOf(args, context, 'certify'));
    const text = toJson(certificateOf(run, { epsilon }));
    const path = args.text('out');
    if (path === undefined || path === '-') return text;
    await writeAndSay(context, path, text);
    return '';
  },
};
