// npm test: set-up, then formatting and lint, types, unit tests, and the package as packed; with --long the mutants, too.
// The last line printed is `N passed, N failed`; the exit code is 0 only if nothing failed.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, root, timed } from './lib/setup.mjs';

const long = process.argv.includes('--long');
const bin = (path) => join(root, 'node_modules', path);
/** Files that have not changed are not formatted again. */
const CACHED = ['--cache', '--cache-location', join(root, 'build/prettier.cache')];
const results = join(root, 'build/test-results.json');

const summary = [];
let passed = 0;
let failed = 0;

const [, setupSeconds] = timed(() => {
  ensureInstalled();
  ensureBuilt();
});
summary.push(['set-up', 'done', setupSeconds]);

check('format and lint', [bin('@biomejs/biome/bin/biome'), 'ci', '--log-level=warn', '.']);
check('format of assembly/', [
  bin('prettier/bin/prettier.cjs'),
  '--check',
  '--log-level=warn',
  ...CACHED,
  'assembly',
]);
check('types', [bin('typescript/bin/tsc')]);
unitTests();
if (long) check('mutants', [join(root, 'scripts/mutants.mjs')]);
check('package', [join(root, 'scripts/pack-check.mjs')]);

process.stdout.write('\nSummary\n');
for (const [what, outcome, seconds] of summary) {
  process.stdout.write(`  ${what.padEnd(18)}${outcome.padEnd(28)}${seconds.toFixed(1).padStart(6)} s\n`);
}
const counts = `${passed} passed, ${failed} failed\n`;
writeFileSync(join(root, 'build/test-counts.txt'), counts);
process.stdout.write(`\n${counts}`);
process.exit(failed > 0 ? 1 : 0);

/** A step that passes or fails as a whole counts as one test. */
function check(what, args) {
  process.stdout.write(`\n== ${what}\n`);
  const [status, seconds] = timed(() => node(args));
  if (status === 0) passed++;
  else failed++;
  summary.push([what, status === 0 ? 'passed' : 'FAILED', seconds]);
}

function unitTests() {
  process.stdout.write('\n== unit tests\n');
  mkdirSync(join(root, 'build'), { recursive: true });
  rmSync(results, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`];
  const [status, seconds] = timed(() =>
    node([bin('vitest/vitest.mjs'), 'run', ...reporters], long ? { GDP_LONG_TESTS: '1' } : {}),
  );
  const json = existsSync(results) ? JSON.parse(readFileSync(results, 'utf8')) : null;
  const ran = json?.numPassedTests ?? 0;
  let bad = json?.numFailedTests ?? 0;
  // A file that does not load has no tests to fail; count it as one.
  for (const file of json?.testResults ?? []) {
    if (file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed')) bad++;
  }
  if (status !== 0 && bad === 0) bad = 1;
  passed += ran;
  failed += bad;
  const skipped = json?.numPendingTests ? `, ${json.numPendingTests} skipped` : '';
  summary.push(['unit tests', `${ran} passed, ${bad} failed${skipped}`, seconds]);
}

function node(args, env = {}) {
  return spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } })
    .status;
}
