import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeModule } from '../../scripts/lib/modules.mjs';
import { mutatedSource } from '../../scripts/lib/mutants.mjs';
import { MUTANTS } from '../../scripts/mutants/index.mjs';

// `npm run mutants` runs the tests named; here it is only held that the table still speaks of the code as it is.

it('every mutant finds its text exactly once, and what it makes of it parses', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gdp-mutants-'));
  try {
    for (const mutant of MUTANTS) {
      expect(mutant.put, mutant.term).not.toBe(mutant.find);
      // throws unless the text is there once
      writeModule(mutant.file, mutatedSource(mutant), folder);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('every mutant has a name of its own and tests that are there, by file and title', () => {
  expect(new Set(MUTANTS.map(({ term }) => term)).size).toBe(MUTANTS.length);
  for (const { term, tests } of MUTANTS) {
    expect(tests.length, term).toBeGreaterThan(0);
    for (const [file, title] of tests) {
      expect(existsSync(file), `${term}: ${file}`).toBe(true);
      const written = ["'", '"', '`'].some((quote) =>
        readFileSync(file, 'utf8').includes(`${quote}${title}${quote}`),
      );
      expect(written, `${term}: no test of ${file} is called "${title}"`).toBe(true);
    }
  }
});
