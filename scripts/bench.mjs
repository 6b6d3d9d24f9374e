// npm run bench: sets up what is missing, and runs bench/run.ts. With --all both of its pages are written, docs/performance.md and docs/latency.md,
// one after the other and nothing else beside them.
//   --all                 both pages, docs/performance.md and docs/latency.md (scripts/bench.mjs)
//   --compare old.json    what became slower since
//   --page                also writes docs/performance.md and its plots
//   --page-of FILE        only writes them, from stored results
//   --rivals              only what else there is, printed and not stored
//   --population          random runs in place of examples, by percentiles (population.ts); --count N of them
//   --shares              only the kernel's share of each verb, printed and not stored
import { ensureBuilt, ensureInstalled, run, timed } from './lib/setup.mjs';

ensureInstalled();
ensureBuilt();
const { compileModules } = await import('./lib/modules.mjs');
compileModules();
const bench = (args) => run(process.execPath, ['build/modules/bench/run.js', ...args]);
const given = process.argv.slice(2);
if (given.includes('--all')) {
  // 48 runs are enough for nine in ten, and 8 schedules for the middle one
  for (const args of [['--page'], ['--population', '--count', '48', '--page']]) {
    const [, seconds] = timed(() => bench(args));
    process.stdout.write(`bench ${args.join(' ')}: ${(seconds / 60).toFixed(1)} minutes\n`);
  }
} else bench(given);
