import { audit } from '../../audit/index.js';
import type { ComposedRun, Report } from '../../index.js';
import { parseJson } from '../../read/json.js';
import { completeDetails } from '../../report/details.js';
import {
  alternatives,
  type Details,
  formatReport,
  type ReportOptions,
  type ReportStyle,
  reportFigures,
  reportHtml,
  reportJson,
  reportMarkdown,
  report as reportOf,
  sameNoise,
} from '../../report/index.js';
import { Sha256 } from '../../text/sha256.js';
import { type Args, given, UsageError, withPlace } from '../args.js';
import { type Command, type Context, input, list, output, toggle, value } from '../command.js';
import { requireOneStdin, writtenOut } from '../files.js';
import { shownOf } from '../output.js';
import { RUN_OPERAND, runOf } from '../run-source.js';
import { GROUP_FLAGS, grouped, groupOf } from '../subject-source.js';
import { evidenceIn } from './audit.js';
import { WINDOW_FLAGS, windowOf } from './mu.js';

const FORMATS = ['text', 'json', 'markdown', 'html'] as const;
type Format = (typeof FORMATS)[number];

/** Details that have an option each; they may also be in the file of --about. */
const DETAIL_FLAGS = ['unit', 'dataset', 'purpose', 'contact'] as const;

export const report: Command = {
  name: 'report',
  usage: 'FILE|- [--format html --out FILE]',
  summary: 'the page to publish: epsilon, mu, regret, attack risks',
  examples: ['gdp report state.json --delta 1e-5', 'gdp report state.json --out report.html'],
  operand: RUN_OPERAND,
  flags: {
    delta: list('D[,D...]', 'deltas to report epsilon at, in (0, 1)', 'a number in [0, 1]'),
    ...WINDOW_FLAGS,
    ...GROUP_FLAGS,
    'paper-columns': toggle(
      "the trade-off curve as one row too, at the eight alpha\nof the papers' tables (JSON: tradeoff, fixedPoint)",
    ),
    format: value('F', "text, json, markdown or html (default: by --out's ending)"),
    out: output('PATH', 'write there instead of standard output (-)'),
    title: value('TEXT', "heading of the report (default: FILE's name)"),
    unit: value('TEXT', 'what one record stands for: "one patient"'),
    dataset: value('TEXT', 'which data were used'),
    purpose: value('TEXT', 'what the release is for'),
    contact: value('TEXT', 'who answers questions'),
    evidence: input(
      'FILE',
      'counts or scores of an attack on the release, as\ngdp audit reads them; - is standard input',
    ),
    provenance: value(
      'DATE',
      'adds this date, YYYY-MM-DD, and the command. Without it\nthe same input makes the same bytes',
    ),
    about: input(
      'PATH',
      'JSON with these and other details: release, datasetSize,\nrecordsPerPerson, samplingUsed, tuning, otherReleases,\ntrust, randomness, date',
    ),
  },
  async run(args, context) {
    const deltas = args.numbers('delta');
    if (deltas.some((delta) => delta === 0 || delta === 1)) {
      throw new UsageError('"--delta" must be in (0, 1) for a report');
    }
    const window = windowOf(args);
    const format = formatOf(args);
    const details = await detailsOf(args, context);
    const made = madeOf(args);
    const digest = new Sha256();
    const { source, run } = await runOf(args, hashing(context, digest));
    const evidenceFile = args.text('evidence');
    requireOneStdin(args.file(), evidenceFile, 'FILE and --evidence');
    const evidence = evidenceFile === undefined ? undefined : await evidenceIn(evidenceFile, context);
    const about = { ...given({ deltas }), ...window };
    const engine = await context.engine(run.settings.engine);
    const size = groupOf(args);
    // three parts that take about equally long
    const changed = size > 1 ? [] : alternatives(engine, run, about);
    context.progress?.(1 / 3);
    const { recordsPerPerson } = details;
    const loaders = given({ delta: deltas.at(0), recordsPerPerson: recordsPerPerson || undefined });
    const table = size > 1 ? undefined : sameNoise(engine, run, loaders);
    context.progress?.(2 / 3);
    const file = args.file() ?? (source.read === undefined ? undefined : '-');
    if (file !== undefined && file !== '-')
      for await (const bytes of context.files.bytes(file)) digest.update(bytes);
    const told = reportOf(grouped(args, run), {
      title:
        args.text('title') ??
        `Privacy report: ${source.title}${size > 1 ? `, for groups of ${size} records` : ''}`,
      details,
      ...(evidence !== undefined && {
        audit: audit(evidence, { claim: run, ...given({ deltas }) }),
      }),
      alternatives: changed,
      sameNoise: table,
      ...(file !== undefined && { input: { name: source.title, sha256: digest.hex() } }),
      ...given({ made }),
      ...about,
    });
    const text = await textOf(format, run, told, {
      ...shownOf(args),
      paperColumns: args.has('paper-columns'),
      files: context.files,
    });
    return writtenOut(args, context, text);
  },
};

/** A context that computes the digest of standard input while it is read. */
function hashing(context: Context, digest: Sha256): Context {
  async function* read() {
    for await (const bytes of context.stdin) {
      digest.update(bytes);
      yield bytes;
    }
  }
  // standard input is opened when it is first read
  return Object.defineProperty(Object.create(context) as Context, 'stdin', { get: read });
}

function madeOf(args: Args): ReportOptions['made'] {
  const date = args.text('provenance');
  if (date === undefined) return undefined;
  if (!/^\d{4}-\d\d-\d\d$/.test(date) || Number.isNaN(Date.parse(date)))
    throw new UsageError(`"--provenance" must be a date as YYYY-MM-DD, got "${date}"`);
  return { date, command: args.words(['provenance']) };
}

const ENDINGS: Readonly<Record<string, Format>> = {
  json: 'json',
  md: 'markdown',
  markdown: 'markdown',
  html: 'html',
  htm: 'html',
  txt: 'text',
  text: 'text',
};

function formatOf(args: Args): Format {
  const asked = args.oneOf('format', FORMATS);
  if (args.has('json') && asked !== undefined && asked !== 'json')
    throw new UsageError(`"--json" and "--format ${asked}" ask for two formats`);
  if (args.has('json') || asked !== undefined) return asked ?? 'json';
  const ending = /\.([^./\\]*)$/.exec(args.text('out') ?? '')?.[1]?.toLowerCase() ?? 'text';
  if (Object.hasOwn(ENDINGS, ending)) return ENDINGS[ending];
  throw new UsageError(
    `"--out" ends in ".${ending}", which names no format: .txt, .md, .html and .json do, or give --format`,
  );
}

async function textOf(
  format: Format,
  run: ComposedRun,
  report: Report,
  { files, ...style }: ReportStyle & Pick<Context, 'files'>,
): Promise<string> {
  if (format === 'json') return reportJson(report);
  if (format === 'markdown') return reportMarkdown(report, style);
  if (format === 'text') return formatReport(report, style);
  const faces = await files.fontFaces();
  return reportHtml(report, {
    ...style,
    ...(faces !== undefined && { fontFaces: faces }),
    // the figures show the run itself
    ...(report.mechanism !== null && { figures: reportFigures(run, report) }),
  });
}

/** The details from --about and from options; an option overrides the file. */
async function detailsOf(args: Args, { files }: Context): Promise<Details> {
  const path = args.text('about');
  const text = path === undefined ? '{}' : await files.text(path);
  const file = await withPlace(path ?? '', async () => {
    const details = parseJson(text) as Details;
    completeDetails(details);
    return details;
  });
  const told = DETAIL_FLAGS.filter((flag) => args.has(flag)).map((flag) => [flag, args.text(flag)]);
  return { ...file, ...Object.fromEntries(told) };
}
