// npm run test:doors: asks every door the same questions (scripts/lib/door-corpus.mjs), each in one process, in order (some in reverse, too), and compares
// the answers with those of gdp serve, letter by letter. It builds libgdp and gdp.wasm where there are compilers; what is missing is skipped, and said.
//   --sample N   of every N vectors and random runs one
//   --only NAME  the doors whose row has that word
//   --renew      writes the table of docs/hosts.md, if no door is missing
// The R package is that of npm run test:r. GDP_PYTHON names a Python, whose wasmtime and mini-racer are asked where they are installed.
import './lib/setup.mjs';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { checksOf, corpus, OWN_FONT } from './lib/door-corpus.mjs';
import { DOORS, folderOf, KERNEL, missingOf, tableOf, withTable } from './lib/door-list.mjs';
import { askHost, statedVectors } from './lib/kernel-host.mjs';
import { python } from './lib/native-parts.mjs';
import { ensureBuilt, ensureInstalled, root, timed } from './lib/setup.mjs';

const { values } = parseArgs({
  options: {
    sample: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    renew: { type: 'boolean', default: false },
  },
});
const folder = join(root, 'build/doors');
const PAGE = join(root, 'docs/hosts.md');
const [NODE, ...OTHERS] = DOORS;

ensureInstalled();
ensureBuilt();
mkdirSync(folder, { recursive: true });
let [passed, failed, skipped] = [0, 0, 0];
for (const flags of [[], ['--wasm']]) build(flags);
const questions = corpusWithChecks();
const node = answersOf(NODE, questions);
const rows = [rowOf(NODE, node)];
for (const door of OTHERS.filter(isAsked)) compare(door, questions, node.answers);
if (isAsked(KERNEL)) compareKernel();
if (values.only === '') hostile();
const table = tableOf(rows);
process.stdout.write(`\n${table}`);
if (values.renew && skipped === 0) writeFileSync(PAGE, withTable(readFileSync(PAGE, 'utf8'), table));
process.stdout.write(`\n${passed} passed, ${failed} failed, ${skipped} skipped\n`);
process.exit(failed > 0 ? 1 : 0);

function isAsked({ who, door }) {
  return `${who} ${door}`.includes(values.only);
}

function build(flags) {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/native.mjs', ...flags], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) process.stdout.write(`${stderr}\n`);
}

/** The questions. Certificates that Node makes are questions too. */
function corpusWithChecks() {
  const first = corpus({ sample: Number(values.sample) });
  const makers = first.filter(({ line }) => line.includes('"method":"certify"'));
  return [...first, ...checksOf(answersOf(NODE, makers).answers)];
}

/**
 * What a door answers in order, or also in reverse, and what it takes (test/doors/ask.py).
 *
 * @returns {{ answers: string[], reverse: string[], compiled: number, open: number, first: number, memory: number, times: number[] }}
 */
function answersOf(door, asked) {
  const [lines, out] = [join(folder, 'corpus.txt'), join(folder, 'answers.json')];
  writeFileSync(lines, `${asked.map(({ line }) => line).join('\n')}\n`);
  const { status, stderr } = spawnSync(
    python,
    [join(root, 'test/doors/ask.py'), lines, out, ...(door.reverse ? ['--reverse'] : []), ...door.command],
    { cwd: folderOf(door), encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(stderr.slice(-2000));
  return JSON.parse(readFileSync(out, 'utf8'));
}

function rowOf(door, took) {
  if (door.file === undefined) return { ...door, size: '', ...took };
  const path = join(root, door.file);
  const [bytes, packed] = [statSync(path).size, gzipSync(readFileSync(path)).length];
  return { ...door, size: `${(bytes / 1e6).toFixed(2)} (${(packed / 1e6).toFixed(2)})`, ...took };
}

/** Asks a door, counts it as passed, failed or skipped, and adds its row to the table. */
function compare(door, asked, wanted) {
  const name = door.door.replace(/\[(.*?)\]\(.*?\)/g, '$1');
  try {
    const missing = missingOf(door);
    if (missing !== undefined) {
      skipped++;
      process.stdout.write(`${name}: skipped, ${missing}\n`);
      return;
    }
    const [found, seconds] = timed(() => answersOf(door, asked));
    const unlike = asked
      .map(({ id }, i) => ({ id, want: wanted[i], got: [found.answers[i], found.reverse[i]] }))
      .filter(({ id, want, got }) => !got.every((text) => text === (id === OWN_FONT ? got[0] : want)));
    if (unlike.length === 0) passed++;
    else failed++;
    const same = `${asked.length - unlike.length} of ${asked.length} the same${door.reverse ? ', in reverse, too' : ''}`;
    const slowest = Math.max(...found.times);
    process.stdout.write(
      `${name}: ${same}; ${seconds.toFixed(0)} s, the slowest question ${(slowest / 1000).toFixed(1)} s of CPU (${asked[found.times.indexOf(slowest)].id})\n`,
    );
    for (const each of unlike.slice(0, 3)) process.stdout.write(`  ${firstDifference(each)}\n`);
    rows.push(rowOf(door, found));
  } catch (error) {
    failed++;
    process.stdout.write(`${name}: FAILED\n${error.message}\n`);
  }
}

/** The kernel alone, in C, against the same functions under Node. */
function compareKernel() {
  const vectors = statedVectors();
  const asked = vectors.map(({ id, quantity, at, phases }) => ({
    id,
    line: [
      quantity,
      at,
      phases.length,
      ...phases.flatMap(({ noise, rate, steps }) => [noise, rate, steps]),
    ].join(' '),
  }));
  const wanted = vectors.map(({ phases, quantity, at }) => {
    const { end, lower, upper } = askHost(phases, quantity, at);
    return [end, bitsOf(lower), bitsOf(upper)].join(' ');
  });
  compare(KERNEL, asked, wanted);
}

function bitsOf(x) {
  if (Number.isNaN(x)) return 'nan';
  return Buffer.from(new Float64Array([x]).buffer)
    .reverse()
    .toString('hex');
}

/** What must not end a process with libgdp in it, or make it grow. */
function hostile() {
  const library = join(root, 'build/native/libgdp.so');
  const { status, stdout, stderr } = spawnSync(python, ['test/doors/hostile.py', library], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status === 0) passed++;
  else failed++;
  process.stdout.write(`hostile requests, threads, 100,000 questions: ${stdout}${stderr.slice(-1000)}`);
}

function firstDifference({ id, want, got }) {
  const other = got.find((text) => text !== want) ?? got[0];
  const at = [...want].findIndex((letter, i) => letter !== other[i]);
  return `${id}: …${want.slice(Math.max(0, at - 60), at + 60)}…, not …${other.slice(Math.max(0, at - 60), at + 60)}…`;
}
