import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { VERSION } from '../src/version.js';

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

it('tells the version of package.json', () => {
  expect(JSON.parse(read('package.json')).version).toBe(VERSION);
});

it('locks dependencies without naming a registry', () => {
  expect(read('package-lock.json')).not.toMatch(/"resolved"|registry/);
});

it('depends on nothing at run time', () => {
  expect(JSON.parse(read('package.json')).dependencies).toBeUndefined();
});
