import { LOADER_NAMES } from '../mechanism/loaders.js';
import type { Bracket } from '../numeric/bracket.js';
import { bracketText, shortDecimal } from '../text/decimal.js';
import { endsText, isSettled } from '../text/rounded.js';
import { type Block, fields, paragraph, type ReportStyle, type Section, table } from './document.js';
import type { LoaderRow } from './loaders.js';
import type { Report } from './report-types.js';

/** The sections on loaders and on persons with several records, with ε for each. */
export function loaderSections(report: Report, style: ReportStyle): Section[] {
  const { sameNoise: same, details } = report;
  if (same === undefined) return [];
  const at = `epsilon at ${shortDecimal(same.delta)}`;
  const computed = same.loaders.filter(({ epsilon }) => epsilon !== null);
  const moved = computed.filter(({ adjacency }) => adjacency !== report.adjacency);
  const loader =
    details.samplingUsed === null
      ? 'The run does not state its loader. Use the row of yours.'
      : `Stated: ${details.samplingUsed}.`;
  const most =
    details.recordsPerPerson === null
      ? 'Not stated. Use the row for the person with the most records.'
      : `Stated: ${details.recordsPerPerson}.`;
  const zeroed = `* For one record zeroed out, since these batches have no theorem for ${report.adjacency}.`;
  return [
    {
      heading: 'How were batches formed?',
      blocks: [
        paragraph(
          `Epsilon with the same noise, batch share and number of steps under other loaders (epochs: appendix). ${loader}`,
        ),
        table(
          'Epsilon, rounded outwards',
          ['Batches', at],
          computed.map((row) => [titleOf(row, report), endsText(row.epsilon!, style)]),
        ),
        ...(moved.length > 0 ? [paragraph(zeroed)] : []),
        ...betweenTwo(computed),
      ],
    },
    {
      heading: 'How many records does a person have?',
      blocks: [
        paragraph(most),
        table(
          'Epsilon of this run, rounded outwards',
          ['Records of one person', at],
          same.records.map(({ records, epsilon }) => [String(records), endsText(epsilon, style)]),
        ),
        ...betweenTwo(same.records),
      ],
    },
  ];
}

/** The meaning of the two numbers of a row, if some row has two. */
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

/** The brackets of both tables, and how each was computed. */
export function loaderBrackets(report: Report): Block[] {
  const { sameNoise: same } = report;
  if (same === undefined) return [];
  const rows = [
    ...same.loaders
      .filter(({ epsilon }) => epsilon !== null)
      .map((row) => [titleOf(row, report), bracketText(row.epsilon!)]),
    ...same.records.map(({ records, epsilon }) => [
      records === 1 ? '1 record a person' : `${records} records a person`,
      bracketText(epsilon),
    ]),
  ];
  const caption = `The same noise under other loaders, to a relative width of ${shortDecimal(same.tolerance)}`;
  return [
    table(caption, ['Batches', `epsilon at delta ${shortDecimal(same.delta)}`], rows),
    fields([
      ...same.loaders.map((row) => [titleOf(row, report), row.how] as const),
      ...new Map(same.records.slice(1).map(({ how }) => ['More records a person', how])),
    ]),
  ];
}

function titleOf({ loader, own, adjacency, epsilon }: LoaderRow, report: Report): string {
  const moved = epsilon !== null && adjacency !== report.adjacency;
  return `${LOADER_NAMES[loader]}${moved ? ' *' : ''}${own ? ' (this run)' : ''}`;
}
