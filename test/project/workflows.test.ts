import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const FOLDER = '.github/workflows';
const WORKFLOWS = readdirSync(FOLDER).map(
  (name) => [name, readFileSync(`${FOLDER}/${name}`, 'utf8')] as const,
);

it.each(WORKFLOWS)(
  '%s pins every action by commit and may only read unless a job says otherwise',
  (_, text) => {
    const used = [...text.matchAll(/uses: (.*)/g)].map(([, what]) => what);
    expect(used.length).toBeGreaterThan(1);
    for (const what of used) expect(what).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    expect(text).toContain('\npermissions:\n  contents: read\n');
  },
);

it('the install lines of the texts name the file that npm pack makes of this version', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  for (const path of ['README.md', 'docs/guide/quick-start.md', 'scripts/site.mjs'])
    expect(readFileSync(path, 'utf8'), path).toContain(`npm install --global ./gdp-kernel-${version}.tgz`);
});
