import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { rulesOf, withFloors, withPolicy } from '../../scripts/lib/architecture.mjs';
import { FLOORS } from '../../scripts/lib/layers.mjs';
import { FOLDERS } from '../../scripts/lib/modules.mjs';
import { POLICY } from '../../src/account/policy.js';

const floorOf = new Map(FLOORS.flatMap((rooms, floor) => rooms.map(([room]) => [room, floor] as const)));
const HOST_ROOMS = ['node', 'cli'];

interface Import {
  readonly from: string;
  readonly to: string;
}

/** The longest prefix of a file's path that the list names. */
function roomOf(file: string): string {
  let place = file.replace(/^src\//, '').replace(/\.tsx?$/, '');
  while (!floorOf.has(place)) {
    const above = dirname(place);
    if (above === place || above === '.')
      throw new Error(`${file} stands in no room of scripts/lib/layers.mjs`);
    place = above;
  }
  return place;
}

/** Every import and re-export of a source, types included. */
function importsOf(file: string, source: string): Import[] {
  const found = source.matchAll(/\bfrom\s+'([^']+)'|\bimport\(?\s*'([^']+)'/g);
  return [...found].map(([, named, bare]) => {
    const to = named ?? bare;
    const local = to.startsWith('.');
    return { from: file, to: local ? normalize(join(dirname(file), to)).replace(/\.js$/, '.ts') : to };
  });
}

/** What is wrong with an import, or nothing. */
function offence({ from, to }: Import): string | undefined {
  const room = roomOf(from);
  if (to.startsWith('node:'))
    return HOST_ROOMS.includes(room) ? undefined : `${from} imports ${to}: only node/ and cli/ may`;
  if (!/^(src|bindings|assembly)\//.test(to)) return undefined;
  const other = roomOf(to);
  if (room === other) return undefined;
  return floorOf.get(other)! < floorOf.get(room)!
    ? undefined
    : `${from} imports ${to}: ${other} is not below ${room}`;
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** The assembler's own texts stand in for files of the same name. */
const kernel = filesUnder('assembly').filter((file) => !/\.simd\.ts$|\.d\.ts$|host\.ts$/.test(file));
const files = [...filesUnder('src'), ...filesUnder('bindings'), ...kernel];
const imports = files.flatMap((file) => importsOf(file, readFileSync(file, 'utf8')));

/** The first circle that a walk along the imports of values meets, as the files on it. */
function circle(edges: readonly Import[]): string[] {
  const next = new Map<string, string[]>();
  for (const { from, to } of edges) next.set(from, [...(next.get(from) ?? []), to]);
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): string[] => {
    const seen = path.indexOf(file);
    if (seen >= 0) return path.slice(seen);
    if (done.has(file)) return [];
    done.add(file);
    for (const to of next.get(file) ?? []) {
      const found = visit(to, [...path, file]);
      if (found.length > 0) return found;
    }
    return [];
  };
  for (const file of next.keys()) {
    const found = visit(file, []);
    if (found.length > 0) return found;
  }
  return [];
}

describe('layers', () => {
  test('no import goes upward, and node: stays in its rooms', () => {
    expect(imports.length).toBeGreaterThan(500);
    expect(imports.map(offence).filter((found) => found !== undefined)).toEqual([]);
  });

  test('no file imports itself through others', () => {
    expect(circle(imports)).toEqual([]);
  });

  test('every room of the list has files, and its folder stands where it says', () => {
    const used = new Set(files.map(roomOf));
    expect([...floorOf.keys()].filter((room) => !used.has(room))).toEqual([]);
  });

  test('docs/architecture.md prints the list, and the policy of account', () => {
    const page = readFileSync('docs/architecture.md', 'utf8');
    const policy = readFileSync('src/account/policy.ts', 'utf8');
    expect(rulesOf(policy)).toEqual(POLICY.map(({ name }) => name));
    expect(page).toBe(withPolicy(withFloors(page), policy));
  });

  test('the folder map of README has every folder once, lowest first, in twenty lines', () => {
    const [, map] = /```\nsrc\/\n(.*?)```/s.exec(readFileSync('README.md', 'utf8'))!;
    const lines = map.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(20);
    const folders = lines.map((line) =>
      [.../^ {2}((?:[./\w-]+\/ {1,2})+)/.exec(line)![1].matchAll(/([\w-]+)\//g)].map(([, folder]) => folder),
    );
    const floor = new Map<string, number>();
    for (const [room, at] of floorOf) floor.set(room.split('/')[0], at);
    const drawn = folders.flat();
    const loose = ['errors', 'version', 'engine', 'engine-sync', 'index'];
    expect(drawn.toSorted()).toEqual([...floor.keys()].filter((room) => !loose.includes(room)).toSorted());
    const floors = folders.map((each) => each.map((folder) => floor.get(folder)!));
    for (const [i, each] of floors.entries())
      if (i > 0) expect(Math.min(...each), lines[i]).toBeGreaterThan(Math.max(...floors[i - 1]));
  });

  test('what is run as modules imports modules alone', () => {
    const outside = FOLDERS.flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .flatMap((name) => importsOf(`${folder}/${name}`, readFileSync(join(folder, name), 'utf8')))
        .filter(({ to }) => /^\w+\/.*\.ts$/.test(to) && !FOLDERS.includes(to.split('/')[0])),
    );
    expect(outside).toEqual([]);
  });

  test('only five files stand loose in src', () => {
    const loose = readdirSync('src', { withFileTypes: true }).filter((entry) => entry.isFile());
    expect(loose.map(({ name }) => name).sort()).toEqual([
      'engine-sync.ts',
      'engine.ts',
      'errors.ts',
      'index.ts',
      'version.ts',
    ]);
  });

  test('the drawing of a question names rooms and files that stand', () => {
    const [, drawing] = /## The way of a question\n[\s\S]*?```\n([\s\S]*?)```/.exec(
      readFileSync('docs/architecture.md', 'utf8'),
    )!;
    const named = drawing.match(/\b[a-z]+\/[a-z-]+(?![\w(])/g) ?? [];
    expect(named.length).toBeGreaterThan(6);
    for (const name of named) expect([`src/${name}.ts`, `src/${name}`].some(existsSync), name).toBe(true);
  });

  test('the check finds what it is for', () => {
    const turned = { from: 'src/numeric/bracket.ts', to: 'src/account/account.ts' };
    expect(offence(turned)).toContain('src/numeric/bracket.ts imports src/account/account.ts');
    expect(offence({ from: 'src/plot/svg.ts', to: 'node:fs' })).toContain('only node/ and cli/');
    const up = { from: 'assembly/functions/scan.ts', to: 'bindings/transforms.ts' };
    expect(offence(up)).toContain('bindings is not below assembly');
    const round = [turned, { from: turned.to, to: turned.from }];
    expect(circle(round)).toEqual([turned.from, turned.to]);
    expect(() => roomOf('src/unknown/file.ts')).toThrow('stands in no room');
  });
});
