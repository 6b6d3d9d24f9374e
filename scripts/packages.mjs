// npm run test:packages: the real Opacus 1.1 to 1.6, dp_accounting, jax_privacy and riskcal beside the readers and the Python package.
// It installs them from PyPI into build/packages (5 GB, with PyTorch), trains tiny models, and reads what they saved; not part of npm test.
// With --renew, the small files that the tests read are written anew. GDP_PYTHON names the Python to make the environment with.
import './lib/setup.mjs';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBuilt, ensureInstalled, root } from './lib/setup.mjs';

const OPACUS = ['1.1.3', '1.2.0', '1.3.0', '1.4.0', '1.5.4', '1.6.0'];
const SHARED = [
  ...['torch==2.7.1', 'numpy', 'scipy', 'opt_einsum'],
  ...['dp-accounting==0.6.0', 'jax_privacy==2.0.0', 'riskcal==1.5.1'],
];
const folder = join(root, 'build/packages');
const python = join(folder, 'env/bin/python');
const tests = join(root, 'test/packages');
const FIXTURE = join(root, 'test/read/fixtures/opacus-versions.json');

ensureInstalled();
ensureBuilt();
installed();
let failed = 0;
const kept = new Map();
const read = await import(pathToFileURL(join(root, 'dist/read.js')).href);
for (const version of OPACUS) {
  const path = [join(folder, `opacus-${version}`), join(root, 'python')].join(':');
  const out = join(folder, 'files', version);
  rmSync(out, { recursive: true, force: true });
  run(python, [join(tests, 'opacus_files.py'), out], { PYTHONPATH: path });
  const { files } = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'));
  for (const file of files) keep(version, out, file);
  report(
    `Opacus ${version}: ${files.length} files, the readers`,
    files.map((file) => faultOf(out, file)),
  );
  report(`Opacus ${version}: the Python package`, doors(join(tests, 'opacus_door.py'), out, path));
  report(`Opacus ${version}: the stand-in`, doors(join(root, 'python/tests/opacus_shape.py'), version, path));
}
report(
  'dp_accounting and jax_privacy',
  doors(join(tests, 'events.py'), join(folder, 'files'), join(root, 'python')),
);
report('riskcal', doors(join(tests, 'risks.py'), '', join(root, 'python')));
if (process.argv.includes('--renew')) writeFileSync(FIXTURE, fixture());
else if (lasting(readFileSync(FIXTURE, 'utf8')) !== lasting(fixture()))
  report('the fixture', [`${FIXTURE} is not what the packages write: --renew`]);
process.exit(failed > 0 ? 1 : 0);

function installed() {
  mkdirSync(folder, { recursive: true });
  const pip = (args) =>
    run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...args]);
  if (!existsSync(python)) run(process.env.GDP_PYTHON ?? 'python3', ['-m', 'venv', join(folder, 'env')]);
  const list = join(folder, 'env/installed.txt');
  if (!existsSync(list) || readFileSync(list, 'utf8') !== SHARED.join('\n')) pip(SHARED);
  writeFileSync(list, SHARED.join('\n'));
  for (const version of OPACUS) {
    const target = join(folder, `opacus-${version}`);
    if (!existsSync(target)) pip(['--no-deps', '--target', target, `opacus==${version}`]);
  }
}

function run(command, args, env = {}) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    env: { ...process.env, GDP_KERNEL_NODE: process.execPath, ...env },
  });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

/** The faults that a Python script prints, one a line. */
function doors(script, argument, path) {
  return run(python, [script, argument], { PYTHONPATH: path }).split('\n').filter(Boolean);
}

function report(what, faults) {
  const found = faults.filter(Boolean);
  failed += found.length;
  process.stdout.write(`${what}: ${found.length === 0 ? 'right' : `${found.length} FAULTS`}\n`);
  for (const fault of found) process.stdout.write(`  ${fault}\n`);
}

/** What is wrong in reading a file; nothing where it is read right, or refused as it should be. */
function faultOf(out, { file, phases, refused, lost, error }) {
  if (error !== undefined) return undefined;
  try {
    const { mechanism, notes } = read.recognise(new Uint8Array(readFileSync(join(out, file))));
    const seen = JSON.stringify(
      mechanism.parts.map(({ count, inner }) => [inner.inner.noiseMultiplier, inner.rate, count]),
    );
    if (refused !== undefined) return `${file} is read, where it should be refused: ${refused}`;
    if (lost !== undefined)
      return notes.some((note) => note.includes('steps are missing'))
        ? undefined
        : `${file} lost steps in silence`;
    return seen === JSON.stringify(phases)
      ? undefined
      : `${file} is read as ${seen}, and is ${JSON.stringify(phases)}`;
  } catch ({ message }) {
    return refused !== undefined && message.startsWith(refused) ? undefined : `${file}: ${message}`;
  }
}

/** Small files, each once, with the versions that write it. */
function keep(version, out, { file, phases, refused, lost, error }) {
  if (
    error !== undefined ||
    !/^(?:rdp-two|gdp-one|prv-one\.(?:state|accountant)-4|\w+-asked|door)/.test(file)
  )
    return;
  // with addresses of memory
  if (/tensors\.pkl$|gdp-one\.engine/.test(file)) return;
  if (
    /-[05]\.pkl$|\.(?:nested|key-history|legacy|engine|tensors)\.\w+$|gdp-one\..*\.pt$/.test(file) &&
    version !== '1.5.4'
  )
    return;
  const bytes = readFileSync(join(out, file));
  const row = kept.get(`${file} ${bytes.toString('base64')}`) ?? {
    file,
    versions: [],
    phases,
    refused,
    lost,
    base64: bytes.toString('base64'),
  };
  row.versions.push(version);
  kept.set(`${file} ${row.base64}`, row);
}

/** What is the same in every run: the pickle of an engine has addresses of memory in it. */
function lasting(text) {
  const rows = JSON.parse(text);
  return JSON.stringify(rows.map((row) => (row.file.includes('engine') ? { ...row, base64: '' } : row)));
}

function fixture() {
  const rows = [...kept.values()].map((row) => `  ${JSON.stringify(row)}`);
  return `[\n${rows.join(',\n')}\n]\n`;
}
