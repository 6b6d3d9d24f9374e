import type { Adjacency } from '../mechanism/adjacency.js';
import { describeMechanism } from '../mechanism/basic.js';
import { type Step, stepsOf } from '../mechanism/steps.js';
import { bracketText, roundDecimal, shortDecimal } from '../text/decimal.js';
import { DETAIL_TITLES, type Details } from './details.js';
import { type Block, type Fields, paragraph, type ReportDocument, type Table } from './document.js';
import type { Alternative, Report, RunSampling } from './report-types.js';
import {
  answersTaken,
  datasetSizeOf,
  groupsSentence,
  largeDeltaSentence,
  riskSentences,
} from './sentences.js';

const MAX_PHASES_SHOWN = 12;

/** What a report says, in order, whatever it is printed as. Every bracket is rounded outwards. */
export function reportDocument(report: Report): ReportDocument {
  const { alternatives } = report;
  return {
    title: report.title,
    sections: [
      { heading: 'The guarantee', blocks: [guarantee(report), epsilons(report), ...largeDeltas(report)] },
      { heading: 'What it means', blocks: riskSentences(report).map(paragraph) },
      { heading: 'What was run', blocks: mechanism(report) },
      { heading: 'What it is about', blocks: [assumptions(report), details(report)] },
      {
        heading: 'What an attack can do at best',
        blocks: [{ kind: 'figures' }, truePositiveRates(report), tradeoff(report)],
      },
      ...(alternatives.length > 0
        ? [{ heading: 'What would change the numbers', blocks: changes(alternatives, windowText(report)) }]
        : []),
    ],
  };
}

function guarantee(report: Report): Fields {
  const { mu, epsilonHead, regret, tier } = report;
  const finite = mu.upper < Infinity;
  const head = epsilonHead > 0 ? ` (epsilon up to ${roundDecimal(epsilonHead, 'down', { digits: 4 })})` : '';
  return {
    kind: 'fields',
    rows: [
      [
        `mu (rates >= ${windowText(report)})`,
        `${bracketText(mu)}, Gaussian DP for error rates down to ${windowText(report)}${head}`,
      ],
      ['Regret (all rates)', `${bracketText(regret)}, how far the curve of mu is from the run's own`],
      ['Tier', finite ? TIERS[tier] : NO_FINITE_MU],
      ['Advantage', `${bracketText(report.advantage)}, the largest true minus false positive rate`],
      ['Brackets', '[lower, upper] contains the exact value; upper is the safe end.'],
    ],
  };
}

function windowText({ alphaMin, logAlphaMin }: Report): string {
  return alphaMin > 0 ? shortDecimal(alphaMin) : `e^${shortDecimal(logAlphaMin)}`;
}

const TIERS = {
  I: 'I: mu may stand alone, its curve is within 0.01 of the run in both rates. At rates well below 0.01, such as one false positive in 1,000, that closeness says nothing: read the tables there.',
  II: 'II: the curve of mu is 0.01 or more from the run, so mu alone is too coarse; publish the trade-off table below with it.',
  undecided:
    'undecided: not certified to be nearer than 0.01 or not; publish the trade-off table below with mu.',
} as const;

const NO_FINITE_MU = 'none: no finite mu is certified; publish the trade-off table below.';

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
    return [paragraph(`Not stated: the numbers are those of a curve that was given, ${curve}.`)];
  const rows = stepsOf(mechanism);
  if (rows.length === 0)
    return [
      paragraph(
        'No step that reveals anything; nothing was released, and every loss above is 0. If training did take place, what was read was saved before it.',
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
};

const SAMPLING: Readonly<Record<RunSampling | 'unstated', string>> = {
  unstated: 'not stated',
  none: 'none: every step may use every record',
  poisson:
    'Poisson: each record joins each batch independently with the sampling rate (shuffled batches are not covered)',
  'without-replacement':
    'without replacement: each batch is a uniformly random set of its size, drawn afresh (shuffled passes are not covered)',
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
  const both =
    report.adjacency === 'add-remove' ? '; adding and removing composed apart, the worse counts' : '';
  return {
    kind: 'fields',
    rows: [
      ['Adjacency', NEIGHBOURS[report.adjacency]],
      ...(report.adjacency === 'unstated' ? [] : answered(steps, report.adjacency)),
      ['Sampling assumed', SAMPLING[report.sampling]],
      ...(report.mechanism === null
        ? []
        : [['Composition', compositionText(total, both)] satisfies [string, string]]),
      ['Accountant', `gdp-kernel ${report.version}${engineText(report)}: ${METHODS[report.method]}`],
      [
        'Tolerance',
        `relative width ${shortDecimal(report.tolerance)} aimed at; brackets hold whatever it is`,
      ],
      ...(report.groups === undefined
        ? []
        : [['Phases', groupsSentence(report.groups)] satisfies [string, string]]),
      [
        'mu at the tail',
        `${bracketText(report.tailMu)}, a floor of mu as its window opens to 0: mu is never published without its window`,
      ],
      ['Noise', 'exact arithmetic assumed, random numbers that cannot be predicted'],
    ],
  };
}

function compositionText(total: number, both: string): string {
  return `${total === 1 ? 'a single step' : `adaptive, of all ${total} steps`}${both}`;
}

function engineText({ engine }: Report): string {
  return engine === null ? '' : `, ${engine} engine`;
}

function details({ details }: Report): Fields {
  const names = Object.keys(DETAIL_TITLES) as (keyof Details)[];
  return {
    kind: 'fields',
    rows: names.map((name) => {
      const value = details[name];
      return [DETAIL_TITLES[name], value === null ? null : String(value)];
    }),
  };
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
