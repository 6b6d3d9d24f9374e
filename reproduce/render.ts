import { linePlot } from '../src/plot/index.js';
import { type Experiment, type Findings, PAPERS, type Paper, type Table } from './experiment.js';

export interface Reproduced {
  readonly experiment: Experiment;
  readonly findings: Findings;
}

const METHOD = [
  'Every table and figure below is computed by `npm run reproduce`, which writes this page and its drawings; the same ' +
    'sources give the same bytes. The tests compute all of it anew, compare it with what stands here, and compare the ' +
    'numbers with independent ones (mpmath at 40 digits; for DP-SGD a convolution that shares no code).\n',
  '- **Numbers** are brackets that contain the exact value, shown to the digits to which both ends round; where they ' +
    'share none, both ends stand. What a paper prints stands in parentheses or in a column of its own. ' +
    '`ours (theirs)` without a remark agrees to the digits printed.',
  '- **Maxima are certified**, not sampled. Trade-off curves are convex and fall. Between two neighbouring points a ' +
    'convex f lies below its chord; a convex g lies above the chords of the two neighbouring intervals, prolonged, and ' +
    'above its value at the right end. So f − g is there at most a minimum of three lines, which is largest at an end or ' +
    'where two meet. Intervals are divided until no bound is more than 1e-7 above a difference attained, or a millionth of Δ for REP, Figures 5 and 6.',
  '- **μ\\*** is the smallest μ for which f ≥ G_μ wherever both error rates are at least 1e-10, unless another window is ' +
    'named. **Regret** is Δ(f, G_μ\\*) = inf{κ ≥ 0: f(α + κ) − κ ≤ G_μ\\*(α)}.',
  '- **DP-SGD** is T Poisson-sampled Gaussian steps at rate q and noise multiplier σ, under add/remove adjacency.',
].join('\n');

/** One exhibit as Markdown, with its drawings as SVG by name. */
export interface Section extends Reproduced {
  readonly markdown: string;
  readonly figures: ReadonlyMap<string, string>;
}

export async function sectionOf({ experiment, findings }: Reproduced): Promise<Section> {
  const figures = new Map<string, string>();
  const parts = [`### ${experiment.paper}, ${experiment.exhibit}: ${experiment.title}`];
  if (findings.setting !== undefined) parts.push(findings.setting);
  for (const table of findings.tables ?? []) parts.push(tableOf(table));
  for (const figure of findings.figures ?? []) {
    const { name, ...plot } = figure;
    figures.set(name, await linePlot(plot));
    parts.push(`![${plot.title}](reproduction/${name}.svg)`);
  }
  parts.push(`**Verdict.** ${findings.verdict}`);
  return { experiment, findings, markdown: parts.join('\n\n'), figures };
}

/** The whole document in Markdown. */
export function documentOf(sections: readonly Section[]): string {
  const parts = ['# The papers, reproduced', METHOD];
  const errata = errataOf(sections);
  if (errata.rows.length > 0) parts.push('## Where a paper errs', tableOf(errata));
  for (const paper of Object.keys(PAPERS) as Paper[]) {
    const own = sections.filter(({ experiment }) => experiment.paper === paper);
    if (own.length > 0) parts.push(`## ${paper}`, PAPERS[paper], ...own.map(({ markdown }) => markdown));
  }
  return `${parts.join('\n\n')}\n`;
}

/** All that does not stand, in the order of the document. */
function errataOf(done: readonly Reproduced[]): Table {
  return {
    columns: ['Where', 'Printed', 'Exact', 'By how much, and why'],
    rows: done.flatMap(({ experiment, findings }) =>
      (findings.errata ?? []).map(({ where, printed, exact, why }) => [
        `${experiment.paper}, ${where}`,
        printed,
        exact,
        why,
      ]),
    ),
  };
}

function tableOf({ columns, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n');
}
