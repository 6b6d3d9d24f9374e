import {
  type Audit,
  type AuditClaim,
  type AuditPoint,
  audit as auditOf,
  type Evidence,
  parseEvidence,
  parseScoresCsv,
} from '../../audit/index.js';
import { parseClaim } from '../../lint/index.js';
import { auditPlot, linePlot } from '../../plot/index.js';
import { parseJson } from '../../read/json.js';
import { shortDecimal } from '../../text/decimal.js';
import { type Args, given, UsageError, withPlace } from '../args.js';
import { claimOrRun } from '../claim-source.js';
import { type Command, type Context, input, list, output, value } from '../command.js';
import { nameOf, neededFile, textOf as readInput, requireOneStdin, writeAndSay } from '../files.js';
import { DIGITS_FLAGS, FORMATS, line, printed, row, type Shown, shownOf } from '../output.js';
import { accountedRun, SEARCH_FLAGS } from '../run-source.js';

const OF_RUN = 'is about a claim that is a run';

export const audit: Command = {
  name: 'audit',
  usage: 'EVIDENCE|- [--claim RUN|REPORT|CLAIM]',
  summary: 'what an attack proves, and whether it refutes a claim; exit code 1 if so',
  examples: ['gdp audit evidence.json --claim state.json'],
  operand: `counts or scores of an attack: JSON such as
{"kind": "threshold", "falsePositives": 5, "nonMembers": 1000,
"truePositives": 100, "members": 1000}, "scores" or "one-run",
or CSV with the columns score and member; - is standard input`,
  flags: {
    claim: input(
      'FILE',
      'what is claimed: a run in any format that gdp report reads,\na report as JSON (its mechanism), {"epsilon", "delta"} or {"mu"};\nwithout it no claim is tested',
    ),
    delta: list('D[,D...]', 'where epsilon is bounded (default 1e-5)', 'a number in [0, 1)'),
    confidence: value('C', 'of the bounds (default 0.95)', 'a number from 0.5 to 1 - 1e-15'),
    svg: output('FILE', 'writes claim and evidence in one ROC as SVG'),
    ...DIGITS_FLAGS,
    ...SEARCH_FLAGS,
  },
  async run(args, context) {
    const file = neededFile(args, 'EVIDENCE (- for standard input)');
    const claimFile = args.text('claim');
    requireOneStdin(file, claimFile, 'EVIDENCE and --claim');
    const deltas = args.numbers('delta');
    const confidence = args.number('confidence');
    const picture = args.text('svg');
    if (claimFile === undefined) args.without(Object.keys(SEARCH_FLAGS), OF_RUN);
    const evidence = await evidenceIn(file, context);
    const claim = claimFile === undefined ? undefined : await claimIn(claimFile, args, context);
    const found = auditOf(evidence, given({ deltas, confidence, claim }));
    if (picture !== undefined)
      await writeAndSay(context, picture, await linePlot(auditPlot(found, given({ claim }))));
    const exitCode = found.verdict === 'refuted' ? 1 : 0;
    return printed(args, found, () => textOf(found, shownOf(args)), exitCode);
  },
};

export async function evidenceIn(file: string, context: Context): Promise<Evidence> {
  const text = await readInput(file, context);
  return withPlace(nameOf(file), async () =>
    /^\s*[{[]/.test(text) || text.trim() === '' ? parseEvidence(parseJson(text)) : parseScoresCsv(text),
  );
}

/** The audited claim: (ε, δ) or μ, or a run. */
async function claimIn(file: string, args: Args, context: Context): Promise<AuditClaim> {
  const { claim, source } = await claimOrRun(file, args, context);
  if (source !== undefined) return accountedRun(args, context, source);
  args.without(Object.keys(SEARCH_FLAGS), OF_RUN);
  return withPlace(nameOf(file), async () => statementOf(claim));
}

function statementOf(value: unknown): AuditClaim {
  const { epsilon, delta, mu, alphaMin } = parseClaim(value);
  if (epsilon !== undefined && delta !== undefined) return { epsilon, delta };
  if (epsilon !== undefined) return { epsilon, delta: 0 };
  if (mu === undefined) throw new UsageError('a claim to audit needs "epsilon" and "delta", or "mu"');
  if (alphaMin !== undefined)
    throw new UsageError('a "mu" that holds on a window only cannot be audited: give the run or its report');
  return { mu };
}

function textOf(found: Audit, shown: Shown): string {
  const { kind, counts, confidence, muLower, epsilonLower, points, fprUpper, tprLower, claim, pValue } =
    found;
  const counted = Object.entries(counts).map(([name, n]) => `${name} ${n}`);
  const at = points.find((point) => point.fprUpper === fprUpper);
  return [
    row('evidence', `${kind}: ${[...counted, ...(at === undefined ? [] : [hits(at)])].join(', ')}`),
    row('confidence', shortDecimal(confidence)),
    line('mu at least', muLower, shown, FORMATS.least),
    ...epsilonLower.map(({ delta, epsilon }) =>
      line(`epsilon(${shortDecimal(delta)}) at least`, epsilon, shown, FORMATS.least),
    ),
    // with evidence from a single run there are no such bounds
    fprUpper ? line('false positives at most', fprUpper, shown) : '',
    tprLower ? line('true positives at least', tprLower, shown, { end: 'lower' }) : '',
    ...(pValue === null ? [] : [row('claim', String(claim)), line('p-value of the claim', pValue, shown)]),
    row('verdict', verdictText(found)),
    ...found.assumed.map((each, i) => row(i === 0 ? 'provided that' : '', each)),
  ].join('');
}

function hits({ threshold, falsePositives, truePositives }: AuditPoint): string {
  const where = threshold === undefined ? '' : `, threshold ${shortDecimal(threshold)}`;
  return `falsePositives ${falsePositives}, truePositives ${truePositives}${where}`;
}

function verdictText({ verdict, confidence }: Audit): string {
  if (verdict === 'no evidence') return 'no evidence: not even perfect privacy is refuted';
  if (verdict === 'no claim') return 'no claim was tested; there is evidence of leakage';
  const level = shortDecimal(Number((1 - confidence).toPrecision(12)));
  if (verdict === 'refuted') return `refuted: the p-value is at most ${level}`;
  return 'consistent: the evidence does not refute the claim, and does not prove it';
}
