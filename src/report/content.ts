import { describeMechanism } from '../mechanism/pairs.js';
import { type Step, stepsOf } from '../mechanism/steps.js';
import type { Bracket } from '../numeric/bracket.js';
import { LIMITED_BY } from '../numeric/limited-by.js';
import { bracketText, shortDecimal } from '../text/decimal.js';
import { FORMATS, type Safe, safeText, settingText } from '../text/rounded.js';
import { DETAILS, type Details } from './details.js';
import {
  type Block,
  type Fields,
  fields,
  type Headline,
  paragraph,
  type ReportDocument,
  type ReportStyle,
  stated,
  type Table,
  table,
} from './document.js';
import { auditSection, searchSection } from './evidence.js';
import { guarantee, summary, windowText } from './gaussian-fields.js';
import { loaderBrackets, loaderSections } from './loader-sections.js';
import { type Alternative, type Report, type RunSampling, requireReport } from './report-types.js';
import {
  answersTaken,
  datasetSizeOf,
  dividedBy,
  groupsSentence,
  largeDeltaSentence,
  riskSentences,
} from './sentences.js';

/** The table of phases lists at most this many; a sentence states how many more there are. */
const MAX_PHASES_SHOWN = 12;

/**
 * The report as a document for every printer: the claim, its meaning, the guarantee with few digits, the run, its assumptions. The last section has
 * every bracket, rounded outwards.
 */
export function reportDocument(report: Report, style: ReportStyle = {}): ReportDocument {
  requireReport(report);
  const alternatives = besides(report);
  return {
    title: report.title,
    headline: headlineOf(report, style),
    sections: [
      { heading: 'What it means', blocks: riskSentences(report).map(paragraph) },
      {
        heading: 'The guarantee',
        blocks: [
          epsilonTable(report, `Epsilon, ${rounded(style)}`, 'at delta', (value) => safeText(value, style)),
          ratesUp(report, style),
          ...(style.paperColumns === true ? [columnsDown(report, style)] : []),
          ...largeDeltas(report),
          summary(report, style),
          { kind: 'figures' },
        ],
      },
      { heading: 'What was run', blocks: mechanism(report) },
      ...loaderSections(report, style),
      ...searchSection(report, style),
      ...auditSection(report),
      ...(alternatives.length > 0
        ? [
            {
              heading: 'What would change the numbers',
              blocks: changesUp(report, alternatives, style),
            },
          ]
        : []),
      { heading: 'What it is about', blocks: [assumptions(report), ...details(report)] },
      {
        heading: 'Appendix: brackets',
        blocks: [
          paragraph('Each bracket [lower, upper] contains the exact value. Publish upper.'),
          epsilonTable(report, '(epsilon, delta)-differential privacy', 'delta', (value) =>
            bracketText(value),
          ),
          truePositiveRates(report),
          tradeoff(report),
          guarantee(report),
          ...loaderBrackets(report),
          ...(alternatives.length > 0 ? changes(alternatives, windowText(report)) : []),
        ],
      },
    ],
  };
}

const WHO: Readonly<Record<Report['adjacency'], string>> = {
  unstated: 'neighbours as the curve was made for',
  'add-remove': 'adding or removing one record',
  'replace-one': 'replacing one record',
  'zero-out': 'zeroing out one record',
};
const BATCHES: Readonly<Record<Report['sampling'], string>> = {
  unstated: '',
  none: '',
  poisson: ', Poisson-sampled batches',
  'without-replacement': ', batches drawn without replacement',
  'with-replacement': ', batches drawn with replacement',
  'capped-poisson': ', capped Poisson batches',
  'balls-and-bins': ', balls-and-bins epochs',
  shuffled: ', shuffled epochs',
  fixed: ', batches in a fixed order',
  'fixed-kept': ', batches in a fixed order that no other record moves',
  'cyclic-poisson': ', cyclic Poisson-sampled batches',
  'cyclic-poisson-kept': ', cyclic Poisson-sampled batches of groups that no other record moves',
  divided: ', Poisson-sampled batches divided by an expected size',
  mixture: '',
  mixed: '',
};

/** The sentence to publish: upper ends of brackets, and no μ without the range of error rates for which it holds. */
function headlineOf(report: Report, { digits }: ReportStyle): Headline {
  const { epsilonAtDelta, mu, adjacency, sampling } = report;
  const [first] = epsilonAtDelta;
  const gaussian =
    mu.upper < Infinity
      ? `mu <= ${safeText(mu, { digits }, FORMATS.mu)} for error rates down to ${windowText(report)}`
      : 'no finite mu is certified';
  const under = `for ${WHO[adjacency]}${BATCHES[sampling]}`;
  if (first === undefined)
    return { claim: 'Gaussian-differentially private', under: `${under}; ${gaussian}` };
  const delta = shortDecimal(first.delta);
  const claim =
    first.epsilon.upper < Infinity
      ? `(${safeText(first.epsilon, { digits })}, ${delta})-differentially private`
      : `No guarantee at delta ${delta}`;
  return { claim, under: `${under}; ${gaussian}` };
}

/** The part of a caption that says how the numbers were rounded. */
function rounded({ brackets }: ReportStyle): string {
  return brackets === true ? 'rounded outwards' : 'rounded up';
}

type Digits = (value: Bracket, safe?: Safe) => string;

function epsilonTable({ epsilonAtDelta }: Report, caption: string, delta: string, text: Digits): Table {
  const rows = epsilonAtDelta.map((each) => [shortDecimal(each.delta), text(each.epsilon)]);
  return table(caption, [delta, 'epsilon'], rows);
}

function ratesUp({ truePositiveRate }: Report, style: ReportStyle): Table {
  const rows = truePositiveRate.map(({ falsePositiveRate, truePositiveRate: rate }) => [
    `${settingText(Number((100 * falsePositiveRate).toPrecision(15)))} %`,
    rate.upper < 1 || style.brackets === true ? `${safeText(rate, style, { shift: 2 })} %` : 'all',
  ]);
  return table(`Best attack: records found, ${rounded(style)}`, RATES, rows);
}

const RATES = ['False positive rate', 'True positive rate'];

/** The trade-off curve as one row: a column for each α of `tradeoff`, and one for the fixed point α* = f(α*). */
function columnsDown({ tradeoff, fixedPoint }: Report, style: ReportStyle): Table {
  const text = (value: Bracket): string => safeText(value, style, FORMATS.missRate);
  const caption = `Trade-off curve f at each alpha, ${style.brackets === true ? 'rounded outwards' : 'rounded down'} (alpha* = f(alpha*))`;
  const header = ['at', ...tradeoff.map(({ alpha }) => shortDecimal(alpha)), 'alpha*'];
  return table(caption, header, [['f', ...tradeoff.map(({ beta }) => text(beta)), text(fixedPoint)]]);
}

/** The alternatives that no other section shows, so that no number is printed twice with different brackets. */
function besides({ alternatives, sameNoise }: Report): readonly Alternative[] {
  const told = sameNoise?.loaders.some(({ loader, epsilon }) => loader === 'shuffled' && epsilon !== null);
  return told ? alternatives.filter(({ change }) => change !== 'shuffled-batches') : alternatives;
}

const isComputed = ({ numbers }: Alternative): boolean => numbers !== null;

/** A row of an alternative: ε at each δ, and μ. */
function changed({ title, numbers }: Pick<Alternative, 'title' | 'numbers'>, text: Digits): string[] {
  const { epsilonAtDelta, mu } = numbers!;
  const epsilons = epsilonAtDelta.map(({ epsilon }) => text(epsilon));
  return [title, ...epsilons, mu === null ? 'no bound' : text(mu, FORMATS.mu)];
}

function changesUp(report: Report, alternatives: readonly Alternative[], style: ReportStyle): Block[] {
  const upper = (value: Bracket, safe?: Safe): string =>
    `${value.lower === 0 && value.upper > 0 && style.brackets !== true ? '<= ' : ''}${safeText(value, style, safe)}`;
  const rows = [{ title: 'As reported', numbers: report }, ...alternatives.filter(isComputed)];
  if (rows.length === 1) return [];
  const deltas = report.epsilonAtDelta.map(({ delta }) => `at ${shortDecimal(delta)}`);
  const shown = table(
    `Epsilon with one thing different, ${rounded(style)} (how: appendix)`,
    ['Change', ...deltas, `mu (>= ${windowText(report)})`],
    rows.map((each) => changed(each, upper)),
  );
  const dots = rows.map(({ numbers }) => numbers!.epsilonAtDelta[0]?.epsilon.upper ?? Infinity);
  return [{ ...shown, dots }];
}

function largeDeltas({ epsilonAtDelta, details, mechanism }: Report): Block[] {
  const size = details.datasetSize ?? (mechanism === null ? undefined : datasetSizeOf(mechanism));
  const deltas = epsilonAtDelta.map(({ delta }) => delta);
  const sentence = size === undefined ? undefined : largeDeltaSentence(deltas, size);
  return sentence === undefined ? [] : [paragraph(sentence)];
}

function mechanism({ mechanism, curve }: Report): Block[] {
  if (mechanism === null)
    return [paragraph(`Not stated. The numbers come from a curve that was given, ${curve}.`)];
  const rows = stepsOf(mechanism);
  if (rows.length === 0)
    return [
      paragraph(
        'Nothing was released, so every loss above is 0. If training did take place, the file was saved before it.',
      ),
    ];
  const allGaussian = rows.every((row) => row.mechanism.kind === 'gaussian');
  const noise = ({ mechanism: step }: Step): string =>
    allGaussian && step.kind === 'gaussian' ? shortDecimal(step.noiseMultiplier) : describeMechanism(step);
  const shown = rows
    .slice(0, MAX_PHASES_SHOWN)
    .map((row, i) => [String(i + 1), noise(row), shortDecimal(row.rate), String(row.count)]);
  const header = ['Phase', allGaussian ? 'Noise multiplier' : 'Mechanism', 'Sampling rate', 'Steps'];
  const more = rows.length - MAX_PHASES_SHOWN;
  return [
    table('Phases, all counted', header, shown),
    ...(more > 0 ? [paragraph(`... and ${more} more phases, all counted.`)] : []),
  ];
}

const NEIGHBOURS: Readonly<Record<Report['adjacency'], string>> = {
  unstated: 'whichever the curve was made for: both roles of the neighbours are counted',
  'add-remove': 'data sets that differ by one record, added or removed',
  'replace-one': 'data sets of one size that differ by one record, replaced by another',
  'zero-out':
    'data sets of one size that differ by one record, zeroed out: it is still drawn and counted, but contributes nothing',
};

const SAMPLING: Readonly<Record<RunSampling | 'unstated', string>> = {
  unstated: 'not stated',
  none: 'none: every step may use every record',
  poisson:
    'Poisson: each record joins each batch independently, with the sampling rate as probability (shuffled batches are not covered)',
  'without-replacement':
    'without replacement: each batch is a uniformly random set of its size, drawn afresh (shuffled passes are not covered)',
  'with-replacement':
    'with replacement: each batch is drawn record by record, so one record may be in it several times. Upper ends hold for every data set, and some data set needs at least the lower ends',
  'capped-poisson':
    'capped Poisson: each record joins each batch independently, and a batch above the cap keeps a random part of that size. Batch sizes are not published. Upper ends hold for every data set, and some data set needs at least the lower ends',
  'balls-and-bins':
    'balls and bins: each record joins one batch of each epoch, chosen uniformly and independently. Batch sizes are not published (batches cut from a permutation are not covered)',
  shuffled:
    'shuffled: batches of fixed size cut from a new random order each epoch. Upper ends assume no amplification and hold for every data set. Some data set needs at least the lower ends',
  fixed:
    'none: batches in the order of the data set. Adding or removing a record would move every later one, and is not covered',
  'fixed-kept':
    'none: batches in a fixed order. Each record has its place by itself, so adding or removing one moves no other',
  'cyclic-poisson':
    'cyclic Poisson: groups of records take turns, and each record of the current group joins the batch independently. Groups follow the order of the data set. Adding or removing a record would move others, and is not covered',
  'cyclic-poisson-kept':
    'cyclic Poisson: groups of records take turns, and each record of the current group joins the batch independently. Each record has its group by itself',
  divided:
    'Poisson: each record joins each batch independently. Sums are divided by the expected size of a batch, which changes when a record is added or removed. Upper ends hold for every data set, and some data set needs at least the lower ends',
  mixture:
    'as the mixture states: each step draws a new shift, as when each record of a person is drawn independently',
  mixed:
    'as each phase states; sampled batches are drawn afresh at random (shuffled batches are not covered)',
};

const METHODS: Readonly<Record<Report['method'], string>> = {
  'closed-form': 'closed form',
  grid: 'privacy-loss grid (FFT), bounded on both sides',
  spectral: 'contour integral of the moment generating function, bounded on both sides',
};

function assumptions(report: Report): Fields {
  const { adjacency, groups, engine } = report;
  const steps = report.mechanism === null ? [] : stepsOf(report.mechanism);
  const total = steps.reduce((sum, { count }) => sum + count, 0);
  const both =
    adjacency === 'add-remove' || adjacency === 'zero-out'
      ? '; computed in both directions, and the worse one counts'
      : '';
  const composed = `${total === 1 ? 'a single step' : `adaptive, of all ${total} steps`}${both}`;
  const known = adjacency === 'unstated' ? undefined : adjacency;
  return fields(
    stated(
      ['Adjacency', NEIGHBOURS[adjacency]],
      ['Randomised response', known && answersTaken(steps, known)],
      ['Sampling assumed', SAMPLING[report.sampling]],
      ['Sums divided by', known && dividedBy(steps, known)],
      ['Composition', report.mechanism === null ? undefined : composed],
      [
        'Accountant',
        `gdp-kernel ${report.version}${engine === null ? '' : `, ${engine} engine`}: ${METHODS[report.method]}`,
      ],
      [
        'Tolerance',
        `aims at a relative width of ${shortDecimal(report.tolerance)}; brackets hold at any tolerance${report.limitedBy === 'tolerance' ? '' : `; ${LIMITED_BY[report.limitedBy]}`}`,
      ],
      ['Phases', groups === undefined ? undefined : groupsSentence(groups)],
      ['Noise', 'assumes exact noise from an unpredictable source; floating-point noise is not covered'],
    ),
  );
}

/** The details that were given, and a list of those that were not. */
function details({ details, input, made }: Report): Block[] {
  const names = Object.keys(DETAILS) as (keyof Details)[];
  const given = names.filter((name) => details[name] !== null);
  const blank = names.filter((name) => details[name] === null).map((name) => DETAILS[name][1]);
  const rows = given.map((name) => [DETAILS[name][0], String(details[name])] as const);
  // the digest is printed in two halves, to fit lines of 80 columns
  const digest = input && `${input.name}, SHA-256 ${input.sha256.slice(0, 32)} ${input.sha256.slice(32)}`;
  const making = made && `${made.date}, by ${made.command}`;
  return [
    fields(
      stated(['Input', digest], ['Report made', making], ...rows, [
        'Not given',
        blank.join('; ') || undefined,
      ]),
    ),
  ];
}

function truePositiveRates({ truePositiveRate }: Report): Table {
  const rows = truePositiveRate.map(({ falsePositiveRate, truePositiveRate: rate }) => [
    shortDecimal(falsePositiveRate),
    bracketText(rate),
  ]);
  return table('True positive rate of the best membership inference attack', RATES, rows);
}

function tradeoff({ tradeoff: rows, fixedPoint }: Report): Table {
  return table(
    'Trade-off curve: least possible false negative rate f(alpha)',
    ['False positive rate alpha', 'f(alpha)'],
    [
      ...rows.map(({ alpha, beta }) => [shortDecimal(alpha), bracketText(beta)]),
      ['alpha* = f(alpha*), largest advantage', bracketText(fixedPoint)],
    ],
  );
}

function changes(alternatives: readonly Alternative[], window: string): Block[] {
  const computed = alternatives.filter(isComputed);
  const notes = fields(alternatives.map(({ title, how }) => [title, how]));
  if (computed.length === 0) return [notes];
  const deltas = computed[0].numbers!.epsilonAtDelta.map(
    ({ delta }) => `epsilon at delta ${shortDecimal(delta)}`,
  );
  const rows = computed.map((each) => [
    ...changed(each, (value) => bracketText(value)),
    bracketText(each.numbers!.advantage),
  ]);
  const header = ['Change', ...deltas, `mu (rates >= ${window})`, 'Advantage'];
  return [table('The same run with one thing different', header, rows), notes];
}
