import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const textsOf = (folder: string, ending: string): string =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => readFileSync(`${folder}/${name}`, 'utf8'))
    .join('\n');

const styled = new Set(
  [
    ...textsOf('src/page/style', '.css')
      .replace(/\/\*[\s\S]*?\*\//g, '')
      .matchAll(/\.([a-z][a-z0-9-]*)/g),
  ].map(([, name]) => name),
);

test('every class in the style sheets is given to something by the page or its drawings', () => {
  const markup = ['src/page', 'src/chart']
    .map((folder) => textsOf(folder, '.ts') + textsOf(folder, '.tsx'))
    .join();
  const words = new Set((markup + readFileSync('src/page/page.html', 'utf8')).match(/[a-z][a-z0-9-]*/g));
  expect([...styled].filter((name) => !words.has(name))).toEqual([]);
});

test('what stands in page.html before any script has its style, the words for readers without JavaScript too', () => {
  const html = readFileSync('src/page/page.html', 'utf8');
  const classes = [...html.matchAll(/class="([a-z-]+)"/g)].map(([, name]) => name);
  // the outermost element only carries the states of those within
  expect(classes.filter((name) => name !== 'app' && !styled.has(name))).toEqual([]);
  expect(classes).toContain('noscript');
});
