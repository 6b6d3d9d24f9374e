import { shippedText } from '../../node/page-file.js';
import { UsageError } from '../args.js';
import type { Command } from '../command.js';

/** The shells for which the build makes a script of the commands and their options. */
const SHELLS: readonly string[] = ['bash', 'zsh', 'fish'];

export const completion: Command = {
  name: 'completion',
  usage: SHELLS.join('|'),
  summary: 'a script that completes commands and options in a shell',
  examples: ['gdp completion bash > ~/.local/share/bash-completion/completions/gdp'],
  flags: {},
  async run({ operands }) {
    if (operands.length !== 1 || !SHELLS.includes(operands[0]))
      throw new UsageError(`gdp completion takes one of ${SHELLS.join(', ')}, got "${operands.join(' ')}"`);
    return shippedText(`completion/${operands[0]}`);
  },
};
