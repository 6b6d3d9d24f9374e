import { linePlot } from '../src/plot/index.js';
import { type Experiment, type Findings, PAPERS, type Paper, type Table } from './experiment.js';

export interface Reproduced {
  readonly experiment: Experiment;
  readonly findings: Findings;
}

/** The whole document in Markdown, and its figures as SVG by name. */
export async function documentOf(
  done: readonly Reproduced[],
): Promise<{ markdown: string; figures: Map<string, string> }> {
  const figures = new Map<string, string>();
  const parts = [
    '# The papers, reproduced',
    'Every table and figure below is computed by `npm run reproduce`; numbers are those of certified brackets, ' +
      'shown to the digits both ends share. Where a paper prints something else, both stand and the verdict says why.',
  ];
  for (const paper of Object.keys(PAPERS) as Paper[]) {
    const own = done.filter(({ experiment }) => experiment.paper === paper);
    if (own.length === 0) continue;
    parts.push(`## ${paper}`, PAPERS[paper]);
    for (const { experiment, findings } of own) {
      parts.push(`### ${paper}, ${experiment.exhibit}: ${experiment.title}`);
      for (const table of findings.tables ?? []) parts.push(tableOf(table));
      for (const figure of findings.figures ?? []) {
        const { name, ...plot } = figure;
        figures.set(name, await linePlot(plot));
        parts.push(`![${plot.title}](reproduction/${name}.svg)`);
      }
      parts.push(`**Verdict.** ${findings.verdict}`);
    }
  }
  return { markdown: `${parts.join('\n\n')}\n`, figures };
}

function tableOf({ columns, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n');
}
