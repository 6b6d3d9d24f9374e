import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

/** Exported for tests alone: tables and limits that a test holds to something, and parts that are checked apart from what uses them. */
const FOR_TESTS = `
  src/account/gaussian-ends comparedEnds
  src/account/gaussian-ends gaussianEnds
  src/audit/points clopperPearson
  src/bounds/composition optimalEpsilon
  src/bounds/composition optimalLogDelta
  src/bounds/led-steps heightOf
  src/bounds/renyi logMomentFromSample
  src/embed/lacking PlainTextDecoder
  src/embed/lacking PlainTextEncoder
  src/gaussian-mechanism/gaussian-noise muBracket
  src/law/exponential-pair boundedRangeShape
  src/law/exponential-pair laplaceShape
  src/law/moment-bounds deltaByMoments
  src/law/moment-bounds largestExcess
  src/law/moment-bounds sampledAt
  src/lint/claim CLAIM_FIELDS
  src/lint/claim CLAIM_METHODS
  src/mechanism/binned-products exchangeableAbove
  src/methods/contour/kernel-step allocationStep
  src/methods/contour/kernel-step exponentialStep
  src/methods/contour/kernel-step mixtureStep
  src/methods/grid/grid-run GridRun
  src/profile/staircase shuffledOrder
  src/read/opacus MAX_PHASES
  src/read/zip inflate
`;

interface Module {
  readonly exports: readonly string[];
  /** [module, name], the name * for all of them. */
  readonly uses: readonly (readonly [string, string])[];
}

/** The values that a file exports by declaring them, and what it takes from others by name. */
function moduleOf(file: string, text: string): Module {
  const declared = text.matchAll(
    /^export (?:declare |abstract |async )*(?:function\*?|const|class) (\w+|[{[][^}\]]*[}\]])/gm,
  );
  const exports = [...declared].flatMap(([, names]) => names.match(/\w+/g) ?? []);
  const uses: [string, string][] = [];
  const source = (to: string): string => join(dirname(file), to).replace(/\.(?:js|tsx?)$/, '');
  for (const [, names, to] of text.matchAll(
    /^(?:import|export) (?:type )?(?:\w+, )?\{([^}]*)\} from '(\.[^']+)'/gm,
  )) {
    for (const name of names.split(',')) {
      const [first] = name
        .trim()
        .replace(/^type /, '')
        .split(' as ');
      if (first !== '') uses.push([source(to), first]);
    }
  }
  for (const [, to] of text.matchAll(/(?:\* as \w+ from|export \* from|\bimport\() ?'(\.[^']+)'/g))
    uses.push([source(to), '*']);
  return { exports, uses };
}

/** Exports that none of `by` takes, as 'module name'. */
function unused(modules: ReadonlyMap<string, Module>, by: readonly Module[], entries: ReadonlySet<string>) {
  const taken = new Set(by.flatMap(({ uses }) => uses.map((use) => use.join(' '))));
  return [...modules]
    .filter(([name]) => !entries.has(name) && !taken.has(`${name} *`))
    .flatMap(([name, { exports }]) => exports.map((each) => `${name} ${each}`))
    .filter((each) => !taken.has(each))
    .sort();
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:m?[jt]s|tsx)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

const read = (folders: readonly string[]): Map<string, Module> =>
  new Map(
    folders
      .flatMap(filesUnder)
      .filter((file) => !file.includes('/generated/'))
      .map((file) => [file.replace(/\.\w+$/, ''), moduleOf(file, readFileSync(file, 'utf8'))]),
  );

test('what is exported is taken by another source, or for a test as it is listed', () => {
  const sources = read(['src', 'bindings']);
  const tools = ['rollup.config.mjs', ...filesUnder('scripts')].map((file) => readFileSync(file, 'utf8'));
  const entries = new Set(
    tools.flatMap((text) =>
      [...text.matchAll(/\b((?:src|bindings)\/[\w/-]+)\.[jt]sx?\b/g)].map(([, name]) => name),
    ),
  );
  const users = [...sources.values(), ...read(['assembly', 'bench', 'reproduce']).values()];
  expect(sources.size).toBeGreaterThan(300);
  expect(unused(sources, users, entries)).toEqual(FOR_TESTS.trim().split(/\n\s*/));
  const tests = [...read(['test']).values()];
  expect(unused(sources, [...users, ...tests], entries)).toEqual([]);
});

test('the check finds what it is for', () => {
  const a = moduleOf(
    'src/a.ts',
    'export const one = 1;\nexport const [two, three] = [2, 3];\nexport class C {}\n',
  );
  const b = moduleOf(
    'src/x/b.ts',
    "import { one, C as Other } from '../a.js';\nexport { two } from '../a.js';\n",
  );
  const modules = new Map([['src/a', a]]);
  expect(unused(modules, [a, b], new Set())).toEqual(['src/a three']);
  expect(unused(modules, [a], new Set(['src/a']))).toEqual([]);
});
