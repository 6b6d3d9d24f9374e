import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const FOLDER = 'docs/proofs';

/** Statements that no test is named for yet; the list may only shrink. */
const UNNAMED: Readonly<Record<string, readonly number[]>> = {
  'balls-and-bins.md': [7, 8, 10],
  'capped-poisson.md': [6],
  'contour.md': [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
  'renyi.md': [6],
  'sampling.md': [5, 8],
  'select.md': [7],
  'shuffled.md': [4],
};

/** Rows of the table of tests: '| 1, 2 | `test/x.test.ts`, "title" |'. */
function rowsOf(text: string): { numbers: number[]; file: string; title: string }[] {
  const rows = text.matchAll(/^\| ([\d, ]+) \| `(test\/[^`]+)`, "(.*)" \|$/gm);
  return [...rows].map(([, numbers, file, title]) => ({
    numbers: numbers!.split(', ').map(Number),
    file: file!,
    title: title!.replaceAll('\\|', '|'),
  }));
}

it('every numbered statement names a test that is there, by its file and title', () => {
  const unnamed: Record<string, number[]> = {};
  let named = 0;
  for (const name of readdirSync(FOLDER)) {
    const text = readFileSync(`${FOLDER}/${name}`, 'utf8');
    const statements = [...text.matchAll(/^\*\*(\d+)\./gm)].map(([, number]) => Number(number));
    const rows = rowsOf(text);
    for (const { numbers, file, title } of rows) {
      expect(existsSync(file), `${name}: ${file}`).toBe(true);
      const titles = readFileSync(file, 'utf8');
      const written = ["'", '"', '`'].some((quote) => titles.includes(`${quote}${title}${quote}`));
      expect(written, `${name}: no test of ${file} is called "${title}"`).toBe(true);
      for (const number of numbers)
        expect(statements, `${name} has no statement ${number}`).toContain(number);
    }
    const known = new Set(rows.flatMap(({ numbers }) => numbers));
    named += known.size;
    // a page that has no table yet names at least the file of its tests
    if (rows.length === 0 && !(name in UNNAMED)) {
      const files = [...text.matchAll(/`(test\/[^`]+)`/g)].map(([, file]) => file!);
      if (statements.length > 0)
        expect(
          files.some((file) => existsSync(file)),
          name,
        ).toBe(true);
      continue;
    }
    const open = statements.filter((number) => !known.has(number));
    if (open.length > 0) unnamed[name] = open;
  }
  expect(unnamed).toEqual(UNNAMED);
  expect(named).toBeGreaterThan(40);
});
