// npm run docs:architecture: writes the list of floors into docs/architecture.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withFloors } from './lib/architecture.mjs';
import { root } from './lib/setup.mjs';

const path = join(root, 'docs/architecture.md');
writeFileSync(path, withFloors(readFileSync(path, 'utf8')));
process.stdout.write('docs/architecture.md written\n');
