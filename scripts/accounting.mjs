// npm run docs:accounting: draws the pictures of docs/accounting.md into docs/accounting/.
import './lib/setup.mjs';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accountingPictures } from './lib/accounting-pictures.mjs';
import { ensureInstalled, root } from './lib/setup.mjs';

ensureInstalled();
const folder = join(root, 'docs/accounting');
mkdirSync(folder, { recursive: true });
const pictures = Object.entries(await accountingPictures());
for (const [name, svg] of pictures) writeFileSync(join(folder, name), svg);
process.stdout.write(`${pictures.length} pictures in docs/accounting/\n`);
