// What the scripts of npm run test:scale share: packages from the registry in a folder of their own, and digests of tables.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../../scripts/lib/setup.mjs';

export const FOLDER = join(root, 'build/scale');
export const GDP = join(root, 'dist/cli.js');

/** A package that is no dependency of the project, installed where it harms nobody. */
export async function imported(name) {
  mkdirSync(FOLDER, { recursive: true });
  const own = join(FOLDER, 'package.json');
  if (!existsSync(own)) writeFileSync(own, '{ "private": true }\n');
  if (!existsSync(join(FOLDER, 'node_modules', name)))
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', name], { cwd: FOLDER });
  return import(pathToFileURL(createRequire(own).resolve(name)));
}

export const installed = (command) => spawnSync('which', [command]).status === 0;

export const gdp = (...args) => execFileSync(process.execPath, [GDP, ...args], { encoding: 'utf8' });

/** The rows of tables of CSV, in the order of their index. */
export const rowsOf = (...paths) =>
  paths
    .flatMap((path) => readFileSync(path, 'utf8').trim().split('\n').slice(1))
    .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
export const digestOf = (rows) => createHash('sha256').update(rows.join('\n')).digest('hex');

/** A grid of 240 combinations, each a fraction of a second. */
export const GRID = {
  over: {
    noiseMultiplier: { from: 0.8, to: 3, count: 12 },
    samplingRate: { from: 0.002, to: 0.05, count: 5, scale: 'log' },
    steps: [500, 1000, 2000, 4000],
  },
  adjacency: 'add-remove',
  delta: [1e-5, 1e-7],
  measure: false,
};
