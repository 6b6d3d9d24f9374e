// npm run docs:architecture: writes the list of floors and the table of methods into docs/architecture.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withFloors, withPolicy } from './lib/architecture.mjs';
import { compileModules } from './lib/modules.mjs';
import { root } from './lib/setup.mjs';

compileModules();
const { POLICY } = await import('../build/modules/src/account/policy.js');
const path = join(root, 'docs/architecture.md');
writeFileSync(path, withPolicy(withFloors(readFileSync(path, 'utf8')), POLICY));
process.stdout.write('docs/architecture.md written\n');
