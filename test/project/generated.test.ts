/** What a script writes is as that script would write it now. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { EXAMPLES } from '../../scripts/lib/mechanism-page.mjs';
import { pythonMechanisms } from '../../scripts/lib/python-mechanisms.mjs';

it('the constructors of mechanisms in Python are those of the schema: npm run docs:python', () => {
  const schema = JSON.parse(readFileSync('schema/mechanism.schema.json', 'utf8'));
  const kinds = EXAMPLES.map(({ kind }) => kind);
  const made = pythonMechanisms(schema, EXAMPLES, kinds);
  expect(readFileSync('python/gdp_kernel/mechanisms.py', 'utf8')).toBe(made);
});
