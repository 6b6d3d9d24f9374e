import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const FOLDER = 'docs/proofs';

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
    const statements = [...text.matchAll(/^(?:\*\*|## )(\d+)\./gm)].map(([, number]) => Number(number));
    const rows = rowsOf(text);
    for (const { numbers, file, title } of rows) {
      expect(existsSync(file), `${name}: ${file}`).toBe(true);
      const titles = readFileSync(file, 'utf8');
      const written = ["'", '"', '`'].some((quote) => titles.includes(`${quote}${title}${quote}`));
      expect(written, `${name}: no test of ${file} is called "${title}"`).toBe(true);
      for (const number of numbers)
        expect(statements, `${name} has no statement ${number}`).toContain(number);
    }
    expect(statements.length, `${name} states nothing by number`).toBeGreaterThan(0);
    const known = new Set(rows.flatMap(({ numbers }) => numbers));
    named += known.size;
    const open = statements.filter((number) => !known.has(number));
    if (open.length > 0) unnamed[name] = open;
  }
  expect(unnamed).toEqual({});
  expect(named).toBeGreaterThan(75);
});
