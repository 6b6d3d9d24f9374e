// npm run docs:python: writes python/gdp_kernel/mechanisms.py from the schema of mechanisms.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXAMPLES } from './lib/mechanism-page.mjs';
import { pythonMechanisms } from './lib/python-mechanisms.mjs';
import { root } from './lib/setup.mjs';

const schema = JSON.parse(readFileSync(join(root, 'schema/mechanism.schema.json'), 'utf8'));
const kinds = EXAMPLES.map(({ kind }) => kind);
writeFileSync(join(root, 'python/gdp_kernel/mechanisms.py'), pythonMechanisms(schema, EXAMPLES, kinds));
process.stdout.write('python/gdp_kernel/mechanisms.py written\n');
