import type { Adjacency } from '../mechanism/adjacency.js';
import { describeMechanism } from '../mechanism/pairs.js';
import { type Step, stepsOf } from '../mechanism/steps.js';
import type { Bracket } from '../numeric/bracket.js';
import { bracketText, shortDecimal } from '../text/decimal.js';
import { FORMATS, type Safe, safeText, settingText } from '../text/rounded.js';
import { DETAIL_TITLES, DETAIL_WORDS, type Details } from './details.js';
import {
  type Block,
  type Fields,
  type Headline,
  paragraph,
  type ReportDocument,
  type ReportStyle,
  type Table,
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

/** More are told by their number. */
const MAX_PHASES_SHOWN = 12;

/**
 * What a report says, in order, whatever it is printed as: the claim, what it means, safe ends at a few digits, what was
 * run, what it rests on, and last every bracket, rounded outwards.
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
          epsilonsUp(report, style),
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
          epsilons(report),
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

/** The sentence to publish: safe ends, and no mu without its window. */
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

/** What a caption says of the numbers under it. */
function rounded({ brackets }: ReportStyle): string {
  return brackets === true ? 'rounded outwards' : 'rounded up';
}

function epsilonsUp({ epsilonAtDelta }: Report, style: ReportStyle): Table {
  return {
    kind: 'table',
    caption: `Epsilon, ${rounded(style)}`,
    header: ['at delta', 'epsilon'],
    rows: epsilonAtDelta.map(({ delta, epsilon }) => [shortDecimal(delta), safeText(epsilon, style)]),
  };
}

function ratesUp({ truePositiveRate }: Report, style: ReportStyle): Table {
  return {
    kind: 'table',
    caption: `Best attack: records found, ${rounded(style)}`,
    header: ['False positive rate', 'True positive rate'],
    rows: truePositiveRate.map(({ falsePositiveRate, truePositiveRate: rate }) => [
      `${settingText(Number((100 * falsePositiveRate).toPrecision(15)))} %`,
      rate.upper < 1 || style.brackets === true ? `${safeText(rate, style, { shift: 2 })} %` : 'all',
    ]),
  };
}

/** The eight alpha of REP's tables, each a column. */
function columnsDown({ tradeoff, fixedPoint }: Report, style: ReportStyle): Table {
  const text = (value: Bracket): string => safeText(value, style, FORMATS.missRate);
  return {
    kind: 'table',
    caption: `Trade-off curve f at each alpha, ${style.brackets === true ? 'rounded outwards' : 'rounded down'} (alpha* = f(alpha*))`,
    header: ['at', ...tradeoff.map(({ alpha }) => shortDecimal(alpha)), 'alpha*'],
    rows: [['f', ...tradeoff.map(({ beta }) => text(beta)), text(fixedPoint)]],
  };
}

/** The alternatives that no other section answers: one number has one bracket. */
function besides({ alternatives, sameNoise }: Report): readonly Alternative[] {
  const told = sameNoise?.loaders.some(({ loader, epsilon }) => loader === 'shuffled' && epsilon !== null);
  return told ? alternatives.filter(({ change }) => change !== 'shuffled-batches') : alternatives;
}

function changesUp(report: Report, alternatives: readonly Alternative[], style: ReportStyle): Block[] {
  const computed = alternatives.filter(({ numbers }) => numbers !== null);
  const own = { title: 'As reported', numbers: report };
  const deltas = report.epsilonAtDelta.map(({ delta }) => delta);
  const upper = (value: Bracket, safe?: Safe): string =>
    `${value.lower === 0 && value.upper > 0 && style.brackets !== true ? '<= ' : ''}${safeText(value, style, safe)}`;
  const rows = [own, ...computed];
  const table: Table = {
    kind: 'table',
    caption: `Epsilon with one thing different, ${rounded(style)} (how: appendix)`,
    header: [
      'Change',
      ...deltas.map((delta) => `at ${shortDecimal(delta)}`),
      `mu (>= ${windowText(report)})`,
    ],
    rows: rows.map(({ title, numbers }) => [
      title,
      ...numbers!.epsilonAtDelta.map(({ epsilon }) => upper(epsilon)),
      numbers!.mu === null ? 'no bound' : upper(numbers!.mu, FORMATS.mu),
    ]),
    dots: rows.map(({ numbers }) => numbers!.epsilonAtDelta[0]?.epsilon.upper ?? Infinity),
  };
  return computed.length > 0 ? [table] : [];
}

function epsilons({ epsilonAtDelta }: Report): Table {
  return {
    kind: 'table',
    caption: '(epsilon, delta)-differential privacy',
    header: ['delta', 'epsilon'],
    rows: epsilonAtDelta.map(({ delta, epsilon }) => [shortDecimal(delta), bracketText(epsilon)]),
  };
}

function largeDeltas({ epsilonAtDelta, details, mechanism }: Report): Block[] {
  const size = details.datasetSize ?? (mechanism === null ? undefined : datasetSizeOf(mechanism));
  const deltas = epsilonAtDelta.map(({ delta }) => delta);
  const sentence = size === undefined ? undefined : largeDeltaSentence(deltas, size);
  return sentence === undefined ? [] : [paragraph(sentence)];
}

function answered(steps: readonly Step[], adjacency: Adjacency): [string, string][] {
  const taken = answersTaken(steps, adjacency);
  return taken === undefined ? [] : [['Randomised response', taken]];
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
  const table: Table = {
    kind: 'table',
    caption: 'Phases, all counted',
    header: ['Phase', allGaussian ? 'Noise multiplier' : 'Mechanism', 'Sampling rate', 'Steps'],
    rows: rows
      .slice(0, MAX_PHASES_SHOWN)
      .map((row, i) => [
        String(i + 1),
        row.mechanism.kind === 'gaussian' && allGaussian
          ? shortDecimal(row.mechanism.noiseMultiplier)
          : describeMechanism(row.mechanism),
        shortDecimal(row.rate),
        String(row.count),
      ]),
  };
  const more = rows.length - MAX_PHASES_SHOWN;
  return more > 0 ? [table, paragraph(`... and ${more} more phases, all counted.`)] : [table];
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
  const steps = report.mechanism === null ? [] : stepsOf(report.mechanism);
  const total = steps.reduce((sum, { count }) => sum + count, 0);
  const { adjacency } = report;
  const divisor = adjacency === 'unstated' ? undefined : dividedBy(steps, adjacency);
  const both =
    adjacency === 'add-remove' || adjacency === 'zero-out'
      ? '; computed in both directions, and the worse one counts'
      : '';
  return {
    kind: 'fields',
    rows: [
      ['Adjacency', NEIGHBOURS[adjacency]],
      ...(adjacency === 'unstated' ? [] : answered(steps, adjacency)),
      ['Sampling assumed', SAMPLING[report.sampling]],
      ...(divisor === undefined ? [] : [['Sums divided by', divisor] satisfies [string, string]]),
      ...(report.mechanism === null
        ? []
        : [['Composition', compositionText(total, both)] satisfies [string, string]]),
      ['Accountant', `gdp-kernel ${report.version}${engineText(report)}: ${METHODS[report.method]}`],
      [
        'Tolerance',
        `aims at a relative width of ${shortDecimal(report.tolerance)}; brackets hold at any tolerance`,
      ],
      ...(report.groups === undefined
        ? []
        : [['Phases', groupsSentence(report.groups)] satisfies [string, string]]),
      ['Noise', 'assumes exact noise from an unpredictable source; floating-point noise is not covered'],
    ],
  };
}

function compositionText(total: number, both: string): string {
  return `${total === 1 ? 'a single step' : `adaptive, of all ${total} steps`}${both}`;
}

function engineText({ engine }: Report): string {
  return engine === null ? '' : `, ${engine} engine`;
}

/** What was said of the release, and in one line what was not. */
function details({ details }: Report): Block[] {
  const names = Object.keys(DETAIL_TITLES) as (keyof Details)[];
  const stated = names.filter((name) => details[name] !== null);
  const blank = names.filter((name) => details[name] === null).map((name) => DETAIL_WORDS[name]);
  const rows = stated.map((name) => [DETAIL_TITLES[name], String(details[name])] as const);
  return [
    ...(rows.length > 0 ? [{ kind: 'fields', rows } as const] : []),
    ...(blank.length > 0 ? [paragraph(`These details were not given: ${blank.join(', ')}.`)] : []),
  ];
}

function truePositiveRates({ truePositiveRate }: Report): Table {
  return {
    kind: 'table',
    caption: 'True positive rate of the best membership inference attack',
    header: ['False positive rate', 'True positive rate'],
    rows: truePositiveRate.map(({ falsePositiveRate, truePositiveRate: rate }) => [
      shortDecimal(falsePositiveRate),
      bracketText(rate),
    ]),
  };
}

function tradeoff({ tradeoff: rows, fixedPoint }: Report): Table {
  return {
    kind: 'table',
    caption: 'Trade-off curve: least possible false negative rate f(alpha)',
    header: ['False positive rate alpha', 'f(alpha)'],
    rows: [
      ...rows.map(({ alpha, beta }) => [shortDecimal(alpha), bracketText(beta)]),
      ['alpha* = f(alpha*), largest advantage', bracketText(fixedPoint)],
    ],
  };
}

function changes(alternatives: readonly Alternative[], window: string): Block[] {
  const computed = alternatives.filter(({ numbers }) => numbers !== null);
  const deltas = computed[0]?.numbers?.epsilonAtDelta.map(({ delta }) => delta) ?? [];
  const table: Table = {
    kind: 'table',
    caption: 'The same run with one thing different',
    header: [
      'Change',
      ...deltas.map((delta) => `epsilon at delta ${shortDecimal(delta)}`),
      `mu (rates >= ${window})`,
      'Advantage',
    ],
    rows: computed.map(({ title, numbers }) => [
      title,
      ...numbers!.epsilonAtDelta.map(({ epsilon }) => bracketText(epsilon)),
      numbers!.mu === null ? 'no bound' : bracketText(numbers!.mu),
      bracketText(numbers!.advantage),
    ]),
  };
  const notes: Fields = { kind: 'fields', rows: alternatives.map(({ title, how }) => [title, how]) };
  return computed.length > 0 ? [table, notes] : [notes];
}
