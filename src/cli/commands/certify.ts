import { certify as certificateOf, verify as verificationOf } from '../../index.js';
import { parseJson } from '../../read/json.js';
import { withPlace } from '../args.js';
import { type Command, output, value } from '../command.js';
import { nameOf, neededFile, textOf, writtenOut } from '../files.js';
import { printed, toJson } from '../output.js';
import { RUN_OPERAND, runOf, TOLD_FLAGS } from '../run-source.js';

export const certify: Command = {
  name: 'certify',
  usage: 'FILE|- --epsilon E',
  summary: 'the delta at an epsilon as a certificate for gdp verify',
  examples: ['gdp certify state.json --epsilon 8 > certificate.json'],
  operand: RUN_OPERAND,
  flags: {
    epsilon: value('E', 'a finite number'),
    out: output('PATH', 'write there instead of standard output (-)'),
    ...TOLD_FLAGS,
  },
  async run(args, context) {
    const given = args.number('epsilon');
    const epsilon = args.required(given, 'epsilon', 'a certificate is about delta at that epsilon');
    const { run } = await runOf(args, context);
    return writtenOut(args, context, toJson(certificateOf(run, { epsilon })));
  },
};

export const verify: Command = {
  name: 'verify',
  usage: 'FILE|-',
  summary: 'checks a certificate by an independent computation',
  examples: ['gdp verify certificate.json'],
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
