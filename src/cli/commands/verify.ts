import { verify as verificationOf } from '../../index.js';
import { parseJson } from '../../read/json.js';
import type { Command } from '../command.js';
import { withPlace } from '../errors.js';
import { nameOf, neededFile, textOf } from '../input.js';
import { printed } from '../output.js';

export const verify: Command = {
  name: 'verify',
  usage: 'FILE|-',
  summary: 'checks a certificate by an independent computation',
  operand: 'a certificate made by gdp certify; - is standard input',
  flags: {},
  async run(args, context) {
    const file = neededFile(args);
    const given = await textOf(file, context);
    const result = await withPlace(nameOf(file), async () => verificationOf(parseJson(given)));
    const { verdict, reason, logDelta, error } = result;
    const value = logDelta === undefined ? '' : ` (log delta ${logDelta} ± ${error?.toExponential(1)})`;
    return printed(args, result, () => `${verdict}: ${reason}${value}\n`, verdict === 'confirmed' ? 0 : 1);
  },
};
