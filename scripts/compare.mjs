// npm run compare -- OLD_DIST [options]: asks a kept build and the sources as they are the same questions about seeded random runs, and tells
// where their brackets cannot both be right, where they have become wider, and what each took in CPU time.
//   OLD_DIST       a folder with the index.js of the build to compare with
//   --new DIST     the other build; the sources, compiled anew, unless given
//   --only FAMILY  one family of runs (scripts/lib/compare-families.mjs)
//   --limit N      the first N runs; every stretch of the population has its share of each family
//   --skip N       leaves the first N out
//   --seed S       another population
//   --keep FILE    adds a line of JSON for every run to the file, and asks no run again that stands in it
//   --verbose      tells of every run that took four times as long, too
import './lib/setup.mjs';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { judged, PROMISED, summary } from './lib/compare-answers.mjs';
import { FAMILIES, population } from './lib/compare-families.mjs';
import { compileModules, MODULES } from './lib/modules.mjs';
import { ensureWasm } from './lib/setup.mjs';

const SEED = 20261123;
/** CPU milliseconds, and times those of the old build, from which --verbose tells of a run. */
const SLOW = [100, 4];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    new: { type: 'string' },
    only: { type: 'string' },
    limit: { type: 'string', default: 'Infinity' },
    skip: { type: 'string', default: '0' },
    seed: { type: 'string', default: String(SEED) },
    keep: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
});

function refuse(message) {
  process.stderr.write(`compare: ${message}\n`);
  process.exit(2);
}

function wholeNumber(name) {
  const number = Number(values[name]);
  if (!(number >= 0)) refuse(`--${name} must be a number >= 0; got ${values[name]}`);
  return number;
}

async function buildAt(folder) {
  const path = join(resolve(folder), 'index.js');
  if (!existsSync(path)) refuse(`OLD_DIST and --new must be folders with an index.js; ${path} is none`);
  const lib = await import(pathToFileURL(path).href);
  return { lib, engine: await lib.loadEngine() };
}

function sources() {
  ensureWasm();
  compileModules();
  return join(MODULES, 'src');
}

function answer(lib, run, [kind, argument]) {
  const found = kind === 'mu' ? lib.measure(run, { alphaMin: argument }).mu : run[kind](argument);
  return { lower: found.lower, upper: found.upper };
}

/** What one build says of a case, and the CPU milliseconds it takes. */
function asked({ lib, engine }, { make, settings, questions }) {
  const before = process.cpuUsage();
  let answers;
  try {
    const run = lib.account(engine, make(lib), settings);
    answers = questions.map((question) => answer(lib, run, question));
  } catch (error) {
    answers = questions.map(() => ({ error: `${error.name}: ${error.message}` }));
  }
  const { user, system } = process.cpuUsage(before);
  return { answers, milliseconds: (user + system) / 1e3 };
}

function told(one, question, before, after, what) {
  const { id, text, settings } = one;
  const setting = JSON.stringify({ ...(Array.isArray(text) ? { phases: text } : text), ...settings });
  process.stdout.write(
    `${what} ${id} ${question.join(' ')} ${setting}\n  ${JSON.stringify(before)}\n  ${JSON.stringify(after)}\n`,
  );
}

/** Both builds on one case, the first of them in turns. */
function rowOf(one, index, builds) {
  const found = [];
  for (const i of index % 2 === 0 ? [0, 1] : [1, 0]) found[i] = asked(builds[i], one);
  const cpu = found.map(({ milliseconds }) => milliseconds);
  const answers = one.questions.map((question, i) => {
    const [before, after] = found.map((side) => side.answers[i]);
    const verdict = judged(before, after, Math.max(PROMISED, one.settings.tolerance ?? 0));
    if (verdict.apart) told(one, question, before, after, 'APART');
    else if (verdict.lost) told(one, question, before, after, 'LOST');
    else if (i === 0 && values.verbose && cpu[1] > SLOW[0] && cpu[1] > SLOW[1] * cpu[0])
      told(one, question, cpu[0], cpu[1], 'SLOW');
    return verdict;
  });
  return { id: one.id, family: one.family, cpu, answers };
}

async function main() {
  if (positionals.length !== 1) refuse('give the folder of one build to compare with');
  const { only, keep } = values;
  if (only !== undefined && !(only in FAMILIES))
    refuse(`--only must be one of ${Object.keys(FAMILIES).join(', ')}; got ${only}`);
  const skip = wholeNumber('skip');
  const cases = population(wholeNumber('seed'), only).slice(skip, skip + wholeNumber('limit'));
  const builds = [await buildAt(positionals[0]), await buildAt(values.new ?? sources())];
  const rows =
    keep !== undefined && existsSync(keep)
      ? readFileSync(keep, 'utf8')
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line))
      : [];
  const known = new Set(rows.map(({ id }) => id));
  for (const [index, one] of cases.entries()) {
    if (known.has(one.id)) continue;
    const row = rowOf(one, index, builds);
    rows.push(row);
    if (keep !== undefined) appendFileSync(keep, `${JSON.stringify(row)}\n`);
  }
  process.stdout.write(`${summary(rows)}\n`);
  if (rows.some(({ answers }) => answers.some(({ apart, lost }) => apart || lost))) process.exitCode = 1;
}

await main();
