import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { MUTANTS } from '../../scripts/mutants/index.mjs';

const FOLDER = 'docs/proofs';

/** Rows of the table of tests: '| 1, 2 | `test/x.test.ts`, "title" |'. */
function rowsOf(text: string): { numbers: number[]; file: string; title: string }[] {
  const rows = text.matchAll(/^\| ([\d, ]+)[^|]* \| `(test\/[^`]+)`, "(.*)" \|$/gm);
  return [...rows].map(([, numbers, file, title]) => ({
    numbers: numbers!.split(', ').filter(Boolean).map(Number),
    file: file!,
    title: title!.replaceAll('\\|', '|'),
  }));
}

const PROOFS = readdirSync(FOLDER).map((name) => {
  const text = readFileSync(`${FOLDER}/${name}`, 'utf8');
  const statements = [...text.matchAll(/^(?:\*\*|## )(\d+)\./gm)].map(([, number]) => Number(number));
  return { name, statements, rows: rowsOf(text) };
});

/**
 * Tests in the tables, or files of them, that follow the words of a statement and call nothing of the library that could be taken out of it: other
 * tests, of a mutant of the statement, hold the library to it.
 */
const WORDS: readonly string[] = [
  'test/law/statements.test.ts',
  'test/methods/contour/statements.test.ts',
  'off the axis functionals of one and of two steps are within their bounds, and no bound far from them serves',
  'the best reconstruction of an enumerated game is within the bound, and reaches it',
  'one record removed from batches of one, in turn +1 and −1, moves all later ones: μ is √(4(t − 1) + 1)',
];

/** Tests in the tables that no mutant of their statement is known to fail. This list may only become shorter. */
const UNPROVEN: readonly string[] = [
  'thresholds from the scores, all orders of four and four',
  'one run: the p-value rises with mu',
  'brackets from cuts far apart intersect, whatever the widths asked for',
  'lines on either side of the pole agree where both serve',
  'tables hold what they interpolate, within what they state',
  '%s, two steps composed, both directions',
  'a person of three records, in the plane',
];

it('every numbered statement names a test that is there, by its file and title', () => {
  const unnamed: Record<string, number[]> = {};
  let named = 0;
  for (const { name, statements, rows } of PROOFS) {
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
  expect(named).toBeGreaterThan(60);
});

it('every statement has a mutant, which takes a term of it out of the library', () => {
  for (const { name, statements } of PROOFS)
    for (const number of statements) {
      expect(
        MUTANTS.map(({ proof }) => proof),
        'statements',
      ).toContain(`${name} ${number}`);
    }
  const stated = PROOFS.flatMap(({ name, statements }) => statements.map((number) => `${name} ${number}`));
  for (const { term, proof } of MUTANTS) if (proof !== undefined) expect(stated, term).toContain(proof);
});

it('every test named for a statement fails for a mutant of it', () => {
  for (const { name, rows } of PROOFS)
    for (const { numbers, file, title } of rows) {
      if ([file, title].some((one) => WORDS.includes(one)) || UNPROVEN.includes(title)) continue;
      const guards = MUTANTS.filter(({ proof }) => numbers.some((number) => proof === `${name} ${number}`));
      const named = guards.flatMap(({ tests }) => tests.map((test) => test.join(': ')));
      expect(named, `${name} ${numbers}`).toContain(`${file}: ${title}`);
    }
});
