import { claimOf, type LintResult, lint as lintOf, parseClaim } from '../../lint/index.js';
import { parseJson } from '../../read/json.js';
import { bracketText } from '../../text/decimal.js';
import { UsageError, withPlace } from '../args.js';
import { claimOrRun, MAX_CLAIM_BYTES } from '../claim-source.js';
import { type Command, type Context, input } from '../command.js';
import { nameOf, neededFile, textOf as readInput, requireOneStdin } from '../files.js';
import { printed } from '../output.js';
import { engineOf, READ_FLAGS, readRun, toleranceOf } from '../run-source.js';

/** Numbers of which a claim must have some, for any rule to apply to it; part of a message. */
const NEEDED = 'an epsilon and its delta, say, or another number of the release';

export const lint: Command = {
  name: 'lint',
  usage: 'FILE|- [--claim FILE]',
  summary: 'checks a published claim against what the run supports; exit code 1 on a finding',
  examples: ['gdp lint state.json --claim claim.json'],
  operand: `the run, in any format that gdp report reads, or without
--claim a claim that describes its run itself: JSON such as
{"epsilon": 2, "delta": 1e-5, "noiseMultiplier": 1.1,
"samplingRate": 0.01, "steps": 1000}; - is standard input`,
  flags: {
    ...READ_FLAGS,
    claim: input('FILE', 'the claim, as JSON such as {"epsilon": 2, "delta": 1e-5};\n- is standard input'),
  },
  async run(args, context) {
    const file = neededFile(args);
    const claimFile = args.text('claim');
    requireOneStdin(file, claimFile, 'FILE and --claim');
    const { claim, source } =
      claimFile === undefined
        ? await claimOrRun(file, args, context)
        : { source: await readRun(file, args, context), claim: await readClaim(claimFile, context) };
    const run = source?.read;
    const engine = await engineOf(args, context);
    const result = await withPlace(nameOf(claimFile ?? file), async () =>
      lintOf(engine, parseClaim(claim ?? claimOf(run!)), { ...(run && { run }), ...toleranceOf(args) }),
    );
    if (result.checked.length === 0) {
      const way = claimFile === undefined ? 'give what was published with --claim' : `it needs ${NEEDED}`;
      throw new UsageError(
        `${nameOf(claimFile ?? file)}: no rule could be checked, as no number is claimed: ${way}`,
      );
    }
    return printed(args, result, () => textOf(result), result.findings.length > 0 ? 1 : 0);
  },
};

async function readClaim(file: string, context: Context): Promise<unknown> {
  return withPlace(nameOf(file), async () => parseJson(await readInput(file, context, MAX_CLAIM_BYTES)));
}

function textOf({ findings, checked, skipped }: LintResult): string {
  const blocks = findings.map(({ id, severity, sentence, evidence, wayOut }) =>
    [
      `${id} (${severity})`,
      `  ${sentence}`,
      `  ${evidence.quantity}: ${bracketText(evidence.bracket)}`,
      `  way out: ${wayOut}`,
      '',
    ].join('\n'),
  );
  const counted = `${findings.length} finding${findings.length === 1 ? '' : 's'}; ${checked.length} rule${checked.length === 1 ? '' : 's'} checked, ${skipped.length} skipped (the claim says too little)`;
  return [...blocks, `${counted}\n`].join('\n');
}
