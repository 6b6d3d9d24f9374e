import type { Loader } from '../mechanism/loaders.js';
import { bracketText, shortDecimal } from '../text/decimal.js';
import { endsText, isSettled } from '../text/rounded.js';
import {
  type Block,
  type Fields,
  paragraph,
  type ReportStyle,
  type Section,
  type Table,
} from './document.js';
import type { LoaderRow } from './loaders.js';
import type { Report } from './report-types.js';

const TITLES: Readonly<Record<Loader, string>> = {
  poisson: 'Poisson samples',
  'balls-and-bins': 'Balls and bins',
  shuffled: 'Cut from a shuffled data set',
  'capped-poisson': 'Poisson samples with a cap',
  'without-replacement': 'Samples of a fixed size',
  fixed: 'The same batches every epoch',
  all: 'Every record in every step',
};

/** The two questions a reader has of a loader and of people, answered by numbers. */
export function loaderSections(report: Report, style: ReportStyle): Section[] {
  const { sameNoise: table, details } = report;
  if (table === undefined) return [];
  const at = `epsilon at ${shortDecimal(table.delta)}`;
  const computed = table.loaders.filter(({ epsilon }) => epsilon !== null);
  const moved = computed.filter(({ adjacency }) => adjacency !== report.adjacency);
  const open = [...computed, ...table.records].some(({ epsilon }) => !isSettled(epsilon!));
  return [
    {
      heading: 'How were batches formed?',
      blocks: [
        paragraph(
          `The same noise, shares and steps under every loader (epochs: appendix). ${details.samplingUsed === null ? 'What formed the batches is not stated beside the run: read the row of what did.' : `Stated: ${details.samplingUsed}.`}`,
        ),
        {
          kind: 'table',
          caption: 'Epsilon, rounded outwards',
          header: ['Batches', at],
          rows: computed.map((row) => [titleOf(row, report), endsText(row.epsilon!, style)]),
        },
        ...(moved.length > 0
          ? [
              paragraph(
                `* For one record left out in its place: nothing is proved of these batches for ${report.adjacency}.`,
              ),
            ]
          : []),
      ],
    },
    {
      heading: 'How many records has a person?',
      blocks: [
        paragraph(
          details.recordsPerPerson === null
            ? 'Not stated: read the row of the most that one person has.'
            : `Stated: ${details.recordsPerPerson}.`,
        ),
        {
          kind: 'table',
          caption: 'Epsilon of this run, rounded outwards',
          header: ['Records of one person', at],
          rows: table.records.map(({ records, epsilon }) => [String(records), endsText(epsilon, style)]),
        },
        ...(open
          ? [
              paragraph(
                'Where two numbers stand, the exact worst case is not known: the larger holds for every data set, and for some data set nothing below the smaller does.',
              ),
            ]
          : []),
      ],
    },
  ];
}

/** Every bracket of the two, and what was computed. */
export function loaderBrackets(report: Report): Block[] {
  const { sameNoise: table } = report;
  if (table === undefined) return [];
  const at = `epsilon at delta ${shortDecimal(table.delta)}`;
  const computed = table.loaders.filter(({ epsilon }) => epsilon !== null);
  const rows: Table = {
    kind: 'table',
    caption: `The same noise under every loader, other rows to ${shortDecimal(table.tolerance)} relatively`,
    header: ['Batches', at],
    rows: [
      ...computed.map((row) => [titleOf(row, report), bracketText(row.epsilon!)]),
      ...table.records.map(({ records, epsilon }) => [`${records} records a person`, bracketText(epsilon)]),
    ],
  };
  const notes: Fields = {
    kind: 'fields',
    rows: [
      ...table.loaders.map((row) => [titleOf(row, report), row.how] as const),
      ...new Map(table.records.slice(1).map(({ how }) => ['More records a person', how])),
    ],
  };
  return [rows, notes];
}

function titleOf({ loader, own, adjacency, epsilon }: LoaderRow, report: Report): string {
  const moved = epsilon !== null && adjacency !== report.adjacency;
  return `${TITLES[loader]}${moved ? ' *' : ''}${own ? ' (this run)' : ''}`;
}
