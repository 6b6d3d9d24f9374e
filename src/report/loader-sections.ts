import { LOADER_NAMES } from '../mechanism/loaders.js';
import type { Bracket } from '../numeric/bracket.js';
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

/** The two questions a reader has of a loader and of people, answered by numbers. */
export function loaderSections(report: Report, style: ReportStyle): Section[] {
  const { sameNoise: table, details } = report;
  if (table === undefined) return [];
  const at = `epsilon at ${shortDecimal(table.delta)}`;
  const computed = table.loaders.filter(({ epsilon }) => epsilon !== null);
  const moved = computed.filter(({ adjacency }) => adjacency !== report.adjacency);
  return [
    {
      heading: 'How were batches formed?',
      blocks: [
        paragraph(
          `Epsilon with the same noise, batch share and number of steps under other loaders (epochs: appendix). ${details.samplingUsed === null ? 'The run does not state its loader. Use the row of yours.' : `Stated: ${details.samplingUsed}.`}`,
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
                `* For one record zeroed out, since these batches have no theorem for ${report.adjacency}.`,
              ),
            ]
          : []),
        ...betweenTwo(computed),
      ],
    },
    {
      heading: 'How many records does a person have?',
      blocks: [
        paragraph(
          details.recordsPerPerson === null
            ? 'Not stated. Use the row for the person with the most records.'
            : `Stated: ${details.recordsPerPerson}.`,
        ),
        {
          kind: 'table',
          caption: 'Epsilon of this run, rounded outwards',
          header: ['Records of one person', at],
          rows: table.records.map(({ records, epsilon }) => [String(records), endsText(epsilon, style)]),
        },
        ...betweenTwo(table.records),
      ],
    },
  ];
}

/** What two numbers of a row mean, if one has two. */
function betweenTwo(rows: readonly { readonly epsilon: Bracket | null }[]): Block[] {
  const open = rows.some(({ epsilon }) => epsilon !== null && !isSettled(epsilon));
  return open
    ? [
        paragraph(
          'Where a row has two numbers, publish the larger one: it holds for every data set. The exact worst case lies between them.',
        ),
      ]
    : [];
}

/** Every bracket of the two, and what was computed. */
export function loaderBrackets(report: Report): Block[] {
  const { sameNoise: table } = report;
  if (table === undefined) return [];
  const at = `epsilon at delta ${shortDecimal(table.delta)}`;
  const computed = table.loaders.filter(({ epsilon }) => epsilon !== null);
  const rows: Table = {
    kind: 'table',
    caption: `The same noise under other loaders, to a relative width of ${shortDecimal(table.tolerance)}`,
    header: ['Batches', at],
    rows: [
      ...computed.map((row) => [titleOf(row, report), bracketText(row.epsilon!)]),
      ...table.records.map(({ records, epsilon }) => [
        records === 1 ? '1 record a person' : `${records} records a person`,
        bracketText(epsilon),
      ]),
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
  return `${LOADER_NAMES[loader]}${moved ? ' *' : ''}${own ? ' (this run)' : ''}`;
}
