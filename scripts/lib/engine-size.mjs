import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** What `import 'gdp-kernel'` loads of a package, the WebAssembly kernel included: files, bytes, bytes gzipped one by one. */
export function engineSize(packageRoot) {
  const seen = new Set();
  const visit = (path) => {
    if (seen.has(path)) return;
    seen.add(path);
    const text = readFileSync(path, 'utf8');
    for (const [, to] of text.matchAll(/(?:from|import)\s*['"](\.[^'"]+)['"]/g))
      visit(join(dirname(path), to));
  };
  visit(join(packageRoot, 'dist/index.js'));
  const contents = [...seen].map((path) => readFileSync(path));
  const sum = (sizes) => sizes.reduce((total, size) => total + size, 0);
  return {
    files: seen.size,
    bytes: sum(contents.map((content) => content.length)),
    gzipped: sum(contents.map((content) => gzipSync(content, { level: 9 }).length)),
  };
}
