// npm run docs:architecture: writes the list of floors and the table of methods into docs/architecture.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withFloors, withPolicy } from './lib/architecture.mjs';
import { root } from './lib/setup.mjs';

const path = join(root, 'docs/architecture.md');
const policy = readFileSync(join(root, 'src/account/policy.ts'), 'utf8');
writeFileSync(path, withPolicy(withFloors(readFileSync(path, 'utf8')), policy));
process.stdout.write('docs/architecture.md written\n');
