import { existsSync, readFileSync } from 'node:fs';
import { transformSync } from 'oxc-transform';
import { expect, it } from 'vitest';
import { MUTANTS } from '../../scripts/mutants/index.mjs';

// `npm run mutants` runs the tests named; here it is only held that the table still speaks of the code as it is.

it('every mutant finds its text exactly once, and what it makes of it parses', () => {
  for (const file of new Set(MUTANTS.map((mutant) => mutant.file))) {
    const source = readFileSync(file, 'utf8');
    const places = MUTANTS.filter((mutant) => mutant.file === file).map(({ term, find, put }) => {
      expect(put, term).not.toBe(find);
      expect(source.split(find).length - 1, `${term}: its text in ${file}`).toBe(1);
      const from = source.indexOf(find);
      return { from, to: from + find.length, put };
    });
    for (const apart of apartFromEachOther(places))
      expect(transformSync(file, replaced(source, apart)).errors, file).toEqual([]);
  }
});

interface Place {
  readonly from: number;
  readonly to: number;
  readonly put: string;
}

/** Sets of places that do not overlap: a file is parsed once for all of a set. */
function apartFromEachOther(places: readonly Place[]): Place[][] {
  const sets: Place[][] = [];
  for (const place of [...places].sort((a, b) => a.from - b.from)) {
    const set = sets.find((each) => each.at(-1)!.to <= place.from);
    if (set) set.push(place);
    else sets.push([place]);
  }
  return sets;
}

const replaced = (source: string, places: readonly Place[]): string =>
  places.reduceRight((text, { from, to, put }) => text.slice(0, from) + put + text.slice(to), source);

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
