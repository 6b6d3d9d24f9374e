/** What a script writes is as that script would write it now. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { accountingPictures } from '../../scripts/lib/accounting-pictures.mjs';
import { EXAMPLES } from '../../scripts/lib/mechanism-page.mjs';
import { pythonMechanisms } from '../../scripts/lib/python-mechanisms.mjs';

it('the constructors of mechanisms in Python are those of the schema: npm run docs:python', () => {
  const schema = JSON.parse(readFileSync('schema/mechanism.schema.json', 'utf8'));
  const kinds = EXAMPLES.map(({ kind }) => kind);
  const made = pythonMechanisms(schema, EXAMPLES, kinds);
  expect(readFileSync('python/gdp_kernel/mechanisms.py', 'utf8')).toBe(made);
});

it('the pictures of docs/accounting.md are drawn as the library draws them now, and shown: npm run docs:accounting', async () => {
  const pictures = await accountingPictures();
  expect(readdirSync('docs/accounting').sort()).toEqual(Object.keys(pictures).sort());
  const text = readFileSync('docs/accounting.md', 'utf8');
  for (const [name, svg] of Object.entries(pictures)) {
    expect(readFileSync(`docs/accounting/${name}`, 'utf8')).toBe(svg);
    expect(text).toContain(`](accounting/${name})`);
  }
});
