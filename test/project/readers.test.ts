import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { CIFAR, gdp } from '../cli/harness.js';

/** docs/readers.md: questions of a new reader, each answered by words of one text. */
const page = readFileSync('docs/readers.md', 'utf8');
const sections = page
  .split('\n## ')
  .slice(1)
  .map((section) => {
    const [surface, ...lines] = section.split('\n');
    const rows = lines.filter((line) => /^\| (?!Question|---)/.test(line));
    return [surface!, rows.map((row) => row.split(' | '))] as const;
  });

const flat = (text: string): string => text.replace(/\s+/g, ' ');

/** What a reader of a surface has before them. */
async function textOf(surface: string): Promise<string> {
  if (surface.endsWith('.md')) return readFileSync(surface, 'utf8');
  if (surface === 'gdp --help') return (await gdp(['--help'])).stdout;
  if (surface === 'gdp risk') return (await gdp(['risk', CIFAR])).stdout;
  if (surface === 'gdp report') return (await gdp(['report', CIFAR])).stdout;
  const sources = readdirSync('src/page', { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.tsx?$/.test(name),
  );
  return sources.map((name) => readFileSync(`src/page/${name}`, 'utf8')).join('\n');
}

test('there are six surfaces with ten questions each', () => {
  expect(sections.map(([, rows]) => rows.length)).toEqual([10, 10, 10, 10, 10, 10]);
});

describe.each(sections)('%s', (surface, rows) => {
  test('answers every question in its own words', async () => {
    const text = flat(await textOf(surface));
    const gone = rows
      .map((row) => /“(.+)”/.exec(row[2]!)![1]!)
      .filter((words) => !text.includes(words) && !text.includes(words.replaceAll('`', '')));
    expect(gone).toEqual([]);
  });
});
