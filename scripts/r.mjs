// npm run test:r: the R package, build/r/gdpkernel_VERSION.tar.gz, built and checked as CRAN does, without a network. It installs R and the packages that it
// needs where apt-get may; not part of npm test. With --build (npm run r), the package alone; with --document, NAMESPACE and man/ are written
// anew (roxygen2); with --tasks, ten tasks are timed.
import './lib/setup.mjs';
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Missing } from './lib/native-parts.mjs';
import { assembleR } from './lib/r-package.mjs';
import { ensureBuilt, ensureInstalled, root } from './lib/setup.mjs';

const PACKAGES = ['jsonlite', 'knitr', 'rmarkdown', 'testthat'];
/** Bytes of the package at most. */
const MOST = 2_000_000;
const has = (flag) => process.argv.includes(flag);
const folder = join(root, 'build/r');
const source = join(folder, 'gdpkernel');

try {
  main();
} catch (error) {
  if (!(error instanceof Missing)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(2);
}

function main() {
  ensureInstalled();
  ensureBuilt();
  installR();
  rmSync(folder, { recursive: true, force: true });
  assembleR(source);
  if (has('--document')) writeDocumentation();
  must('R', ['CMD', 'build', '--compression=gzip', 'gdpkernel']);
  const archive = readdirSync(folder).find((name) => name.endsWith('.tar.gz'));
  const bytes = statSync(join(folder, archive)).size;
  if (bytes > MOST) throw new Error(`${archive} has ${bytes} bytes, and may have ${MOST}`);
  if (has('--build')) return void process.stdout.write(`build/r/${archive}: ${bytes} bytes\n`);
  check(archive);
  process.stdout.write(`build/r/${archive}: ${bytes} bytes, R CMD check is clean\n`);
}

function check(archive) {
  const library = join(folder, 'library');
  mkdirSync(library, { recursive: true });
  const said = must('R', ['CMD', 'check', '--as-cran', '--no-manual', '-l', library, archive], {
    // an empty repository in place of those that a network would be asked for
    R_PROFILE: profileOf(emptyRepository()),
    _R_CHECK_CRAN_INCOMING_REMOTE_: 'false',
    _R_CHECK_SYSTEM_CLOCK_: '0',
  });
  const found = [...said.matchAll(/^\* checking (.*) \.\.\.(?: \[.*\])? (?:NOTE|WARNING|ERROR)$/gm)].map(
    ([, what]) => what,
  );
  // an owner's address and a first submission; flags that this machine's R was built with
  const ours = found.filter(
    (what) => !['CRAN incoming feasibility', 'compilation flags used'].includes(what),
  );
  if (ours.length > 0) throw new Error(`R CMD check: ${ours.join(', ')}`);
  const tests = readFileSync(join(folder, 'gdpkernel.Rcheck/tests/testthat.Rout'), 'utf8');
  if (!/FAIL 0 \| WARN 0 \| SKIP 0 \| PASS [1-9]/.test(tests)) throw new Error(tests.slice(-2000));
  const environment = { R_LIBS: library };
  for (const page of ['docs/hosts.md', 'r/README.md'])
    must('Rscript', ['-e', `${linesOf(page)}\n`], environment);
  if (has('--tasks')) must('Rscript', [join(root, 'r/tasks.R')], environment);
}

/** The block of R in a page. */
function linesOf(page) {
  return /```r\n([\s\S]*?)```/.exec(readFileSync(join(root, page), 'utf8'))[1];
}

function installR() {
  const there = () =>
    spawnSync('Rscript', ['-e', `for (p in c(${PACKAGES.map((name) => `"${name}"`)})) loadNamespace(p)`])
      .status === 0 && spawnSync('pandoc', ['--version']).status === 0;
  if (there()) return;
  const names = [
    'r-base-core',
    'r-base-dev',
    'pandoc',
    'qpdf',
    'tidy',
    ...PACKAGES.map((name) => `r-cran-${name}`),
  ];
  spawnSync('apt-get', ['install', '-y', '--no-install-recommends', ...names], { stdio: 'inherit' });
  if (!there()) throw new Missing(`R, pandoc and R's packages ${PACKAGES.join(', ')} are needed`);
}

function emptyRepository() {
  const contrib = join(folder, 'repository/src/contrib');
  mkdirSync(contrib, { recursive: true });
  writeFileSync(join(contrib, 'PACKAGES'), '');
  return pathToFileURL(join(folder, 'repository')).href;
}

function profileOf(repository) {
  const profile = join(folder, 'Rprofile');
  writeFileSync(profile, `options(repos = c(CRAN = "${repository}"))\n`);
  return profile;
}

function writeDocumentation() {
  must('Rscript', [
    '-e',
    `roxygen2::roxygenise("${source}", load_code = "source", roclets = c("namespace", "rd"))`,
  ]);
  for (const name of ['NAMESPACE', 'man']) {
    rmSync(join(root, 'r', name), { recursive: true, force: true });
    if (existsSync(join(source, name)))
      cpSync(join(source, name), join(root, 'r', name), { recursive: true });
  }
}

function must(command, args, environment = {}) {
  const { status, stdout } = spawnSync(command, args, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...environment },
  });
  process.stdout.write(stdout ?? '');
  if (status !== 0) throw new Error(`${command} ${args.slice(0, 2).join(' ')} failed`);
  return stdout;
}
