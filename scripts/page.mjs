// Writes dist/page.html: the library, its readers and the interface in one file that opens from disk.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { pageHtml } from './lib/page.mjs';
import { root } from './lib/setup.mjs';

/** Bytes, gzipped, that the page may have. */
const LIMIT = 412_000;

const html = await pageHtml();
const size = gzipSync(html, { level: 9 }).length;
if (size > LIMIT) throw new Error(`page.html is ${size} bytes gzipped, more than ${LIMIT}`);
mkdirSync(join(root, 'dist'), { recursive: true });
writeFileSync(join(root, 'dist/page.html'), html);
process.stdout.write(`dist/page.html: ${html.length} bytes, ${size} gzipped\n`);
