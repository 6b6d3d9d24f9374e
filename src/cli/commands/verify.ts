import { verify as verificationOf } from '../../index.js';
import { readText, readTextFile } from '../../node/read-text.js';
import { parseJson } from '../../read/json.js';
import type { Command } from '../command.js';
import { UsageError, withPlace } from '../errors.js';
import { toJson } from '../output.js';

export const verify: Command = {
  name: 'verify',
  usage: 'FILE|-',
  summary: 'checks a certificate by an independent computation',
  operand: 'a certificate made by gdp certify; - is standard input',
  flags: {},
  async run(args, context) {
    const file = args.file();
    if (file === undefined) throw new UsageError('gdp verify needs a FILE (- for standard input)');
    const name = file === '-' ? 'standard input' : file;
    const given = file === '-' ? await readText(context.stdin, name) : await readTextFile(file);
    const result = await withPlace(name, async () => verificationOf(parseJson(given)));
    const { verdict, reason, logDelta, error } = result;
    const value = logDelta === undefined ? '' : ` (log delta ${logDelta} ± ${error?.toExponential(1)})`;
    const text = args.has('json') ? toJson(result) : `${verdict}: ${reason}${value}\n`;
    return { text, exitCode: verdict === 'confirmed' ? 0 : 1 };
  },
};
