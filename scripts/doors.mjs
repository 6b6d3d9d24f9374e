// npm run test:doors: asks every door the same questions (scripts/lib/door-corpus.mjs), each in one process, in order and in reverse, and compares
// the answers with those of gdp serve, letter by letter. It builds libgdp and gdp.wasm where there are compilers; what is missing is skipped, and said.
//   --sample N   of every N vectors and random runs one
//   --only NAME  one door, or one of hosts/
//   --renew      writes the table of docs/hosts.md
// The R package is that of npm run test:r. GDP_PYTHON names a Python, whose wasmtime and mini-racer are asked where they are installed.
import './lib/setup.mjs';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { checksOf, corpus, OWN_FONT } from './lib/door-corpus.mjs';
import { answersOfHost, HOST_NAMES } from './lib/door-hosts.mjs';
import { tableOf, withTable } from './lib/door-table.mjs';
import { kernelInC } from './lib/kernel-c.mjs';
import { ensureBuilt, ensureInstalled, root } from './lib/setup.mjs';

const { values } = parseArgs({
  options: {
    sample: { type: 'string', default: '1' },
    only: { type: 'string' },
    renew: { type: 'boolean', default: false },
  },
});
const folder = join(root, 'build/doors');
const python = process.env.GDP_PYTHON ?? 'python3';
const PAGE = join(root, 'docs/hosts.md');
const asks = [join(folder, 'corpus.jsonl'), join(folder, 'answers.json')];

/** How a door is asked, what it is made of, and what it cannot do without. */
const DOORS = [
  {
    name: 'embed.js in an empty context',
    file: 'dist/embed.js',
    command: [process.execPath, 'test/doors/embed.mjs'],
  },
  {
    name: 'gdp.wasm, WebAssembly of Node',
    file: 'dist/gdp.wasm',
    command: [process.execPath, 'test/doors/module.mjs'],
  },
  {
    name: 'libgdp, Python’s ctypes',
    file: 'build/native/libgdp.so',
    command: [python, 'test/doors/door.py', 'native'],
  },
  {
    name: 'gdp.wasm, Python’s wasmtime',
    file: 'dist/gdp.wasm',
    command: [python, 'test/doors/door.py', 'wasm'],
    module: 'wasmtime',
  },
  {
    name: 'embed.js, Python’s mini-racer',
    file: 'dist/embed.js',
    command: [python, 'test/doors/door.py', 'v8'],
    module: 'py_mini_racer',
  },
  {
    name: 'the R package',
    file: 'build/r/library/gdpkernel/libs/gdpkernel.so',
    command: ['Rscript', 'test/doors/door.R'],
  },
];

ensureInstalled();
ensureBuilt();
mkdirSync(folder, { recursive: true });
let [passed, failed, skipped] = [0, 0, 0];
for (const script of [[], ['--wasm']]) build(script);
const { questions, answers, rows } = await asked();
for (const door of DOORS) {
  if (values.only === undefined || door.name.includes(values.only)) compare(door);
}
for (const name of HOST_NAMES) {
  if (values.only === undefined || name === values.only) compareHost(name);
}
if (values.only === undefined || values.only === 'kernel') compareKernel();
if (values.only === undefined) hostile();
const table = tableOf(rows);
process.stdout.write(`\n${table}`);
if (values.renew) writeFileSync(PAGE, withTable(readFileSync(PAGE, 'utf8'), table));
process.stdout.write(`\n${passed} passed, ${failed} failed, ${skipped} skipped\n`);
process.exit(failed > 0 ? 1 : 0);

function build(flags) {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/native.mjs', ...flags], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) process.stdout.write(`${stderr}\n`);
}

/** The questions, and what Node answers: certificates that it makes are questions too. */
async function asked() {
  const first = corpus({ sample: Number(values.sample) });
  const said = await answersOfNode(first);
  const checks = checksOf(said.answers);
  const last = await answersOfNode(checks);
  const all = [...first, ...checks];
  writeFileSync(asks[0], `${all.map(({ line }) => line).join('\n')}\n`);
  const times = [...said.times, ...last.times];
  const own = { name: '`gdp serve`, a child of the program', size: '', times, ...said.took };
  return { questions: all, answers: [...said.answers, ...last.answers], rows: [own] };
}

/** One question after the other. Times are of the clock, as a child's are: it answers on other threads. */
function answersOfNode(lines) {
  const child = spawn(process.execPath, ['dist/cli.js', 'serve', '--stdio', '--no-files', '--workers', '1'], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const found = { answers: [], times: [], took: {} };
  const started = performance.now();
  let since = started;
  const next = () => {
    since = performance.now();
    child.stdin.write(`${lines[found.answers.length].line}\n`);
  };
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (JSON.parse(line).method === '$/progress') return;
      found.answers.push(line);
      found.times.push(performance.now() - since);
      if (found.answers.length === 1)
        found.took = { open: 0, first: found.times[0], memory: memoryOf(child.pid) };
      if (found.answers.length < lines.length) next();
      else child.stdin.end();
    });
    child.on('error', reject).on('exit', () => resolve(found));
    next();
  });
}

function memoryOf(pid) {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
}

function compare({ name, file, command, module }) {
  const missing = !existsSync(join(root, file))
    ? `${file} is not built`
    : module !== undefined && spawnSync(python, ['-c', `import ${module}`]).status !== 0
      ? `Python has no ${module}`
      : undefined;
  if (missing !== undefined) {
    skipped++;
    process.stdout.write(`${name}: skipped, ${missing}\n`);
    return;
  }
  const { status, stdout, stderr } = spawnSync(command[0], [...command.slice(1), ...asks], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) {
    failed++;
    process.stdout.write(`${name}: FAILED\n${stderr.slice(-2000)}\n`);
    return;
  }
  const found = JSON.parse(readFileSync(asks[1], 'utf8'));
  const unlike = questions
    .map(({ id }, i) => ({ id, want: answers[i], got: [found.answers[i], found.reverse[i]] }))
    .filter(
      ({ id, want, got }) => !(id === OWN_FONT ? got[0] === got[1] : got.every((text) => text === want)),
    );
  if (unlike.length === 0) passed++;
  else failed++;
  process.stdout.write(
    `${name}: ${questions.length - unlike.length} of ${questions.length} the same, in order and in reverse\n`,
  );
  for (const each of unlike.slice(0, 3)) process.stdout.write(`  ${firstDifference(each)}\n`);
  const bytes = readFileSync(join(root, file));
  const size = `${(statSync(join(root, file)).size / 1e6).toFixed(2)} (${(gzipSync(bytes).length / 1e6).toFixed(2)})`;
  rows.push({ name, size, ...JSON.parse(stdout) });
}

/** A host of hosts/, asked in order. */
function compareHost(name) {
  const { answers: got, missing, failed: why } = answersOfHost(name, asks[0], join(folder, name));
  if (missing !== undefined) {
    skipped++;
    process.stdout.write(`hosts/${name}: skipped, ${missing}\n`);
    return;
  }
  const unlike =
    why === undefined ? questions.filter(({ id }, i) => id !== OWN_FONT && got[i] !== answers[i]) : questions;
  if (unlike.length === 0) passed++;
  else failed++;
  const same = `${questions.length - unlike.length} of ${questions.length} the same`;
  process.stdout.write(`hosts/${name}: ${why ?? same}\n`);
}

/** The kernel alone, in C, against the same functions under Node. */
function compareKernel() {
  const { asked: count, unlike, missing, failed: why } = kernelInC(join(folder, 'kernel'));
  if (missing !== undefined) skipped++;
  else if (unlike?.length === 0) passed++;
  else failed++;
  const same = `${count - unlike?.length} of ${count} vectors the same${unlike?.length > 0 ? `, not ${unlike[0]}` : ''}`;
  process.stdout.write(`hosts/kernel: ${missing === undefined ? (why ?? same) : `skipped, ${missing}`}\n`);
}

/** What must not end a process with libgdp in it, or make it grow. */
function hostile() {
  if (!existsSync(join(root, DOORS[2].file))) return;
  const { status, stdout, stderr } = spawnSync(python, ['test/doors/hostile.py', DOORS[2].file], {
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
