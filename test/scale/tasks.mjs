// Ten common tasks by somebody who has the packed package and its README: at most three steps each, with the time of each. Every
// command and option that is used has to stand in the README.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'gdp-kernel-tasks-'));
const project = join(folder, 'project');

function run(command, args, cwd = project) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (error) throw error;
  return { status, stdout, stderr };
}

/** [what is wanted, the commands typed, what has to come of them: text printed or a file made, exit code]. */
const TASKS = [
  ['epsilon of a run', ['gdp epsilon state.json --delta 1e-5'], /^epsilon\(1e-5\) +7\.43$/m],
  ['the sentence to publish', ['gdp report state.json'], /^\(7\.43, 1e-5\)-differentially private$/m],
  ['mu and its window', ['gdp mu state.json'], /^mu \(rates >= 1e-10\) +1\.567$/m],
  ['what an attack finds', ['gdp tradeoff state.json --alpha 0.001'], /^beta\(0\.001\) +0\.9366$/m],
  [
    'noise for a target',
    ['gdp calibrate --epsilon 2 --delta 1e-5 --sampling-rate 0.01 --steps 1000'],
    /^noise multiplier +0\.9592$/m,
  ],
  ['a figure', ['gdp tradeoff state.json --svg curve.svg'], 'curve.svg'],
  ['a model card', ['gdp report state.json --out card.md'], 'card.md'],
  ['a claim checked', ['gdp lint state.json --claim claim.json'], /publish epsilon 7\.425/, 1],
  ['a page that answers while you drag', ['gdp page --out gdp.html'], 'gdp.html'],
  ['the library', ['node first.mjs'], /^mu|My run/m],
];

try {
  const [{ filename }] = JSON.parse(
    run('npm', ['pack', '--json', '--pack-destination', folder], process.cwd()).stdout,
  );
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "name": "empty", "private": true, "type": "module" }\n');
  const installed = run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, filename)]);
  if (installed.status !== 0) throw new Error(installed.stderr);
  const own = join(project, 'node_modules/gdp-kernel');
  const readme = readFileSync(join(own, 'README.md'), 'utf8');
  copyFileSync(join(own, 'examples/cifar10-wrn40.json'), join(project, 'state.json'));
  writeFileSync(join(project, 'claim.json'), '{ "epsilon": 7, "delta": 1e-5 }\n');
  writeFileSync(join(project, 'first.mjs'), /```js\n(.*?)```/s.exec(readme)[1]);
  for (const [task, steps, expected, code = 0] of TASKS) {
    if (steps.length > 3) throw new Error(`${task} takes ${steps.length} steps`);
    const start = performance.now();
    let last = { status: 0, stdout: '', stderr: '' };
    for (const step of steps) {
      const [command, ...args] = step.split(' ');
      const unnamed = args.filter((word) => word.startsWith('--') && !readme.includes(word));
      if (command === 'gdp' && !new RegExp(`\\b${args[0]}\\b`).test(readme)) unnamed.push(args[0]);
      if (unnamed.length > 0) throw new Error(`${task}: the README does not name ${unnamed.join(', ')}`);
      last =
        command === 'gdp' ? run(join(project, 'node_modules/.bin/gdp'), args) : run(process.execPath, args);
    }
    const met =
      typeof expected === 'string' ? existsSync(join(project, expected)) : expected.test(last.stdout);
    if (last.status !== code || !met)
      throw new Error(`${task}: exit code ${last.status}\n${last.stdout}\n${last.stderr}`);
    const seconds = ((performance.now() - start) / 1000).toFixed(2);
    process.stdout.write(
      `${task.padEnd(38)}${steps.length} step${steps.length === 1 ? ' ' : 's'}${seconds.padStart(8)} s\n`,
    );
  }
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
