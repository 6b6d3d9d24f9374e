import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { VERSION } from '../../src/version.js';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

it('tells the version of package.json', () => {
  expect(JSON.parse(read('package.json')).version).toBe(VERSION);
});

it('locks dependencies without naming a registry', () => {
  expect(read('package-lock.json')).not.toMatch(/"resolved"|registry/);
});

it('says in the README why it depends on what it depends on', () => {
  const section = /## Run-time dependencies\n([\s\S]*?)\n## /.exec(read('README.md'))![1]!;
  const named = [...section.matchAll(/^- `([^`]+)`/gm)].map(([, name]) => name);
  expect(named.sort()).toEqual(Object.keys(JSON.parse(read('package.json')).dependencies).sort());
});
