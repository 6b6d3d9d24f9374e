import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PAPERS } from '../../reproduce/experiment.js';
import { experiments } from '../../reproduce/experiments.js';
import { documentOf } from '../../reproduce/render.js';
import { wasm } from '../helpers/runs.js';

const written = readFileSync('docs/reproduction.md', 'utf8');

test('every exhibit stands in the document, with its verdict and pictures', () => {
  for (const { paper, exhibit, title } of experiments) {
    expect(written).toContain(`### ${paper}, ${exhibit}: ${title}`);
  }
  expect(written.match(/\*\*Verdict\.\*\* .{30,}/g)).toHaveLength(experiments.length);
  for (const [, file] of written.matchAll(/\]\((reproduction\/[^)]+\.svg)\)/g)) {
    expect(existsSync(`docs/${file}`), file).toBe(true);
  }
  for (const citation of Object.values(PAPERS)) expect(written).toContain(citation);
});

// the slow ones, REP table 2 and figures 3 and 4, compose dozens of DP-SGD runs
const quick = experiments.filter(
  ({ paper, exhibit }) => !(paper === 'REP' && ['Table 2', 'Figure 3', 'Figure 4'].includes(exhibit)),
);

test.each(quick.map((experiment) => [`${experiment.paper} ${experiment.exhibit}`, experiment] as const))(
  '%s: the document says what is computed now',
  async (_name, experiment) => {
    const findings = await experiment.run(wasm);
    const { markdown, figures } = await documentOf([{ experiment, findings }]);
    const section = markdown.slice(markdown.indexOf('### '));
    expect(written).toContain(section.trimEnd());
    for (const [name, svg] of figures) {
      expect(svg === readFileSync(`docs/reproduction/${name}.svg`, 'utf8'), name).toBe(true);
    }
  },
);
