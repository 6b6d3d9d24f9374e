// Mutants: one term of a bound taken out of a copy of the modules that the tests run from, and the tests that must then fail.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { compileModules, MODULES, writeModule } from './modules.mjs';
import { root } from './setup.mjs';

const FOLDER = join(root, 'build/mutants');
const COPY = join(FOLDER, 'modules');
const RESULTS = join(FOLDER, 'results.json');
/** A hang is no death. Milliseconds of one mutant's tests. */
const TIMEOUT = 15 * 60_000;
/** How a test fails that found a number wrong: by an assertion, a matcher of ours, a property, or ends of a bracket that cross. */
const ASSERTED =
  /^(AssertionError|Error: (\[|Property failed|crossed bracket)|TypeError: expected a bracket)/;

/** The source of a mutant with its term taken out; throws unless the text to replace is there exactly once. */
export function mutatedSource({ term, file, find, put }) {
  const source = readFileSync(join(root, file), 'utf8');
  const times = source.split(find).length - 1;
  if (times !== 1) throw new Error(`"${term}": ${file} has its text ${times} times, not once:\n${find}`);
  return source.replace(find, () => put);
}

/** What full names of a test look like that a file calls `title`: what is filled in may be anything. */
export function titlePattern(title) {
  const parts = title.split(/%[sdifjop#]|\$\{[^}]*\}|\$[\w.]+/);
  return parts.map((part) => part.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')).join('.*');
}

/** A copy of the modules as they are. */
export function freshCopy() {
  compileModules();
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  cpSync(MODULES, COPY, { recursive: true });
}

/** Those of `tests` that do not all pass as the code is. */
export function failingNow(tests) {
  const results = runTests(tests);
  return tests.filter(([file, title]) => {
    const found = resultsOf(results, file, title);
    return found.length === 0 || found.some(({ status }) => status !== 'passed');
  });
}

/** The tests of a mutant that do not notice it; each with what happened instead. */
export function blindTests(mutant) {
  writeModule(mutant.file, mutatedSource(mutant), COPY);
  try {
    const results = runTests(mutant.tests);
    return mutant.tests.flatMap(([file, title]) => {
      const found = resultsOf(results, file, title);
      const failed = found.filter(({ status }) => status === 'failed');
      if (failed.some(({ failureMessages }) => failureMessages.some((text) => ASSERTED.test(text))))
        return [];
      const how = failed.length > 0 ? failed[0].failureMessages[0].slice(0, 300) : `${found.length} pass`;
      return [{ file, title, how }];
    });
  } finally {
    writeModule(mutant.file, readFileSync(join(root, mutant.file), 'utf8'), COPY);
  }
}

function resultsOf(results, file, title) {
  const named = new RegExp(`(^| )${titlePattern(title)}$`, 's');
  const ofFile = results.testResults.filter(({ name }) => name === join(root, file));
  return ofFile.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ fullName, status }) => named.test(fullName) && status !== 'skipped'),
  );
}

function runTests(tests) {
  rmSync(RESULTS, { force: true });
  const files = [...new Set(tests.map(([file]) => file))];
  const titles = tests.map(([, title]) => titlePattern(title));
  const args = ['run', ...files, '-t', `(${titles.join('|')})$`, '--no-file-parallelism'];
  const env = { ...process.env, GDP_MODULES: COPY };
  if (files.some((file) => file.endsWith('.long.ts'))) env['GDP_LONG_TESTS'] = '1';
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, 'node_modules/vitest/vitest.mjs'), ...args, '--reporter=json', `--outputFile=${RESULTS}`],
    { cwd: root, env, timeout: TIMEOUT },
  );
  if (!existsSync(RESULTS)) throw new Error(`no results of ${files.join(', ')}:\n${stdout}${stderr}`);
  return JSON.parse(readFileSync(RESULTS, 'utf8'));
}
