// Compares what the built package computes, bit by bit, under this Node and others:
//   node scripts/bits.mjs 24 26 /path/to/another/node
// A version is installed from npm (the package `node`) into a temporary folder. Exit code 1 if a bit differs.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBuilt, ensureInstalled, root } from './lib/setup.mjs';

ensureInstalled();
ensureBuilt();
const { bundle } = await import('./lib/bundle.mjs');
const folder = mkdtempSync(join(tmpdir(), 'gdp-kernel-bits-'));
try {
  writeFileSync(join(folder, 'probe.js'), (await bundle(join(root, 'test/browser/probe.ts'))).code);
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  writeFileSync(join(folder, 'run.js'), script());

  const nodes = [process.execPath, ...process.argv.slice(2).map(nodeOf)];
  const seen = nodes.map(probed);
  let differences = 0;
  for (const { version, v8, found } of seen.slice(1)) {
    const names = Object.keys(seen[0].found);
    const differing = names.filter((name) => found[name] !== seen[0].found[name]);
    differences += differing.length + Math.abs(Object.keys(found).length - names.length);
    process.stdout.write(
      `Node ${version} (V8 ${v8}) against ${seen[0].version} (V8 ${seen[0].v8}): ${names.length - differing.length} of ${names.length} the same bits\n`,
    );
    for (const name of differing)
      process.stdout.write(`  ${name}: ${found[name]}, not ${seen[0].found[name]}\n`);
  }
  if (seen.length === 1) process.stdout.write(`${JSON.stringify(seen[0].found, null, 2)}\n`);
  process.exitCode = differences > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function nodeOf(wanted) {
  if (!/^\d+(\.\d+)*$/.test(wanted)) return wanted;
  const home = join(folder, `node-${wanted}`);
  mkdirSync(home);
  writeFileSync(join(home, 'package.json'), '{ "private": true }\n');
  must('npm', ['install', `node@${wanted}`, '--no-audit', '--no-fund', '--loglevel=error'], home);
  return join(home, 'node_modules/.bin/node');
}

function probed(node) {
  return JSON.parse(must(node, [join(folder, 'run.js')], folder));
}

function script() {
  const from = (path) => JSON.stringify(pathToFileURL(join(root, path)).href);
  return `import { readFileSync } from 'node:fs';
import * as library from ${from('dist/index.js')};
import { parseOpacusState } from ${from('dist/read.js')};
import { probe } from './probe.js';
const state = readFileSync(new URL(${from('examples/cifar10-wrn40.json')}), 'utf8');
const found = await probe(library, parseOpacusState(state));
console.log(JSON.stringify({ version: process.versions.node, v8: process.versions.v8, found }));
`;
}

function must(command, args, cwd) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0)
    throw new Error(`${command} ${args.join(' ')} failed:\n${error?.message ?? ''}${stdout}${stderr}`);
  return stdout;
}
