// npm run test:r: the R package built and checked without a network, then ten tasks timed. It installs R and the packages it needs where
// apt-get may; not part of npm test. With --document, NAMESPACE and man/ are written anew (roxygen2); with --tasks, the tasks are timed.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBuilt, ensureInstalled, root } from './lib/setup.mjs';

const PACKAGES = ['jsonlite', 'processx', 'knitr', 'rmarkdown', 'testthat'];
/** The command line needs neither the declarations nor the pages and workers of a browser. */
const LEFT_OUT = ['types', 'page.html', 'sweep-web-worker.js', 'gdp.1'];
const document = process.argv.includes('--document');
const folder = join(root, 'build/r');
const source = join(folder, 'gdpkernel');

ensureInstalled();
ensureBuilt();
installR();
assemble();
if (document) writeDocumentation();
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const library = join(folder, 'library');
mkdirSync(library, { recursive: true });
must('R', ['CMD', 'build', 'gdpkernel']);
const said = must('R', ['CMD', 'check', '--no-manual', '-l', library, `gdpkernel_${version}.tar.gz`], {
  // an empty repository in place of those that a network would be asked for
  R_PROFILE: profileOf(emptyRepository()),
});
if (!/^Status: OK$/m.test(said)) throw new Error('R CMD check has found something');
must('R', ['CMD', 'INSTALL', '-l', library, `gdpkernel_${version}.tar.gz`]);
if (process.argv.includes('--tasks')) must('Rscript', [join(root, 'r/tasks.R')], { R_LIBS: library });
process.stdout.write(`build/r/gdpkernel_${version}.tar.gz: R CMD check is clean\n`);

function installR() {
  const has = () =>
    spawnSync('Rscript', ['-e', `for (p in c(${PACKAGES.map((name) => `"${name}"`)})) loadNamespace(p)`])
      .status === 0 && spawnSync('pandoc', ['--version']).status === 0;
  if (has()) return;
  const names = ['r-base-core', 'pandoc', ...PACKAGES.map((name) => `r-cran-${name}`)];
  spawnSync('apt-get', ['install', '-y', '--no-install-recommends', ...names], { stdio: 'inherit' });
  if (!has()) throw new Error(`R, pandoc and R's packages ${PACKAGES.join(', ')} are needed`);
}

/** The sources with the bundle and the vectors that the tests ask. */
function assemble() {
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(root, 'r'), source, { recursive: true });
  const bundle = join(source, 'inst/bundle');
  const dist = join(root, 'dist');
  for (const name of readdirSync(dist))
    if (!LEFT_OUT.includes(name)) cpSync(join(dist, name), join(bundle, name), { recursive: true });
  writeFileSync(join(bundle, 'package.json'), '{ "type": "module" }\n');
  cpSync(join(root, 'conformance/vectors'), join(source, 'tests/testthat/vectors'), { recursive: true });
  const { version, repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const path = join(source, 'DESCRIPTION');
  const url = (repository?.url ?? repository)?.replace(/^git\+|\.git$/g, '');
  const stated = readFileSync(path, 'utf8').replace(/^Version: .*$/m, `Version: ${version}`);
  writeFileSync(path, url === undefined ? stated : `${stated}URL: ${url}\n`);
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
  must('Rscript', ['-e', `roxygen2::roxygenise("${source}", load_code = "source")`]);
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
