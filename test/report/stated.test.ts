import { describe, expect, test } from 'vitest';
import { account, compose, dividedSgd, dpSgd, gaussian, repeat } from '../../src/index.js';
import { formatReport, report, reportHtml, reportMarkdown } from '../../src/report/index.js';
import { wasm } from '../helpers/runs.js';
import { sampleReport } from '../helpers/sample-report.js';

const EIGHT = ['1e-10', '1e-8', '1e-6', '1e-4', '0.001', '0.01', '0.1', 'alpha*'];
const run = account(wasm, repeat(gaussian({ noiseMultiplier: 2 }), 4), { adjacency: 'add-remove' });
const made = report(run);

/** Names and numbers of the row, as a Markdown table has them. */
function columnsOf(markdown: string): [string[], string[]] {
  const lines = markdown.split('\n');
  const at = lines.findIndex((line) => line.startsWith('| at | 1e-10'));
  const cells = (line: string) => line.replaceAll('\\', '').slice(2, -2).split(' | ').slice(1);
  return [cells(lines[at]!), cells(lines[at + 2]!)];
}

describe("the eight alpha of the papers' tables", () => {
  test('are columns on request, and f is rounded down', () => {
    const [names, values] = columnsOf(reportMarkdown(made, { paperColumns: true }));
    expect(names).toEqual(EIGHT);
    // Phi(Phi^-1(1 - alpha) - 1) and Phi(-1/2), by mpmath, cut
    const exact = [
      0.999999958697, 0.999998005947, 0.99991278238, 0.996726182764, 0.981701531594, 0.907637751926,
      0.610856308354, 0.308537538725,
    ];
    values.forEach((value, i) => {
      expect(Number(value), names[i]).toBeLessThanOrEqual(exact[i]!);
      expect(Number(value), names[i]).toBeGreaterThan(exact[i]! - 1e-4);
    });
  });

  test('fit a line of text, stand on the page, and are nowhere unless asked for', () => {
    const text = formatReport(made, { paperColumns: true });
    expect(text).toMatch(/\n {2}at {3}1e-10 .* alpha\*\n {2}f {4}0\.\d+ .* 0\.3085\n/);
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    const html = reportHtml(made, { paperColumns: true });
    expect(html).toContain('<i>α</i>*</th>');
    for (const print of [formatReport, reportMarkdown, reportHtml])
      expect(print(made)).not.toContain('Trade-off curve f at');
    expect(() => formatReport(made, { paperColumns: 'yes' as never })).toThrow(
      '"paperColumns" must be true or false, got "yes"',
    );
  });

  test('have both ends where brackets are asked for', () => {
    const [, values] = columnsOf(reportMarkdown(made, { paperColumns: true, brackets: true }));
    for (const value of values) expect(value).toMatch(/^\[0\.\d+, 0\.\d+\]$/);
  });
});

describe('divided by', () => {
  const phase = { noiseMultiplier: 1, samplingRate: 0.01, steps: 100 };
  const divided = (divisor: 'expected' | 'expected-whole') =>
    dividedSgd({ ...phase, divisor, parameters: 1000, datasetSize: 50_050 });
  const said = (
    mechanism: Parameters<typeof account>[1],
    adjacency: 'add-remove' | 'zero-out' = 'add-remove',
  ) =>
    /\| \*\*Sums divided by\*\* \| (.*) \|/.exec(reportMarkdown(sampleReport({ mechanism, adjacency })))?.[1];

  test('is not stated of sampled steps, and is no question where nothing is drawn', () => {
    expect(said(dpSgd(phase))).toBe('not stated. The numbers assume a public constant');
    expect(said(gaussian({ noiseMultiplier: 1 }))).toBeUndefined();
  });

  test('is said where the kind says it', () => {
    expect(said(divided('expected'))).toBe(
      'the expected size of a batch, q n, not cut. What a record changes of it is counted',
    );
    expect(said(divided('expected-whole'))).toContain('q n, cut to a whole number. What a record');
    expect(said(divided('expected-whole'), 'zero-out')).toContain('Neighbours have the same one');
    expect(said(compose([divided('expected'), dpSgd(phase)]))).toMatch(
      /^of some phases, .* Of the others, not stated/,
    );
  });
});
