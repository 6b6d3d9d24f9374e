import { COMMON_FLAGS, type Command } from '../command.js';
import { completionScript, SHELLS } from '../completion.js';
import { UsageError } from '../errors.js';

export const completion: Command = {
  name: 'completion',
  usage: SHELLS.join('|'),
  summary: 'a script that completes commands and options in a shell',
  flags: {},
  async run(args, _, all) {
    const [name, extra] = args.operands;
    const shell = SHELLS.find((each) => each === name);
    if (shell === undefined || extra !== undefined)
      throw new UsageError(
        `gdp completion takes one of ${SHELLS.join(', ')}, got "${args.operands.join(' ')}"`,
      );
    return completionScript(
      shell,
      all.map((command) => ({ command, flags: { ...command.flags, ...COMMON_FLAGS } })),
    );
  },
};
