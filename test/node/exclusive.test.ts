import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { claimFile } from '../../src/node/exclusive.js';
import { startThread } from '../../src/node/start-thread.js';

const folder = mkdtempSync(join(tmpdir(), 'gdp-claim-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string) => join(folder, name);
const locks = () => readdirSync(folder).filter((name) => name.endsWith('.lock'));

/** Another process that claims a file and holds it until it is killed. */
async function holder(path: string) {
  const script = `import { claimFile } from ${JSON.stringify(new URL('../../build/modules/src/node/exclusive.js', import.meta.url))};
    await claimFile(${JSON.stringify(path)}); console.log('held'); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
  await once(child.stdout, 'data');
  return child;
}

describe('the one writer of a file', () => {
  it('keeps others out until it is done, by whatever name of the file', async () => {
    const release = await claimFile(at('table.csv'));
    symlinkSync(at('table.csv'), at('alias.csv'));
    await expect(claimFile(at('alias.csv'))).rejects.toThrow(
      `alias.csv: it is being written by another gdp: process ${process.pid}`,
    );
    const other = await claimFile(at('other.csv'));
    await other();
    await release();
    expect(locks()).toEqual([]);
    await (await claimFile(at('table.csv')))();
  });

  it('keeps other processes out, and needs no clearing up when it is killed', async () => {
    const child = await holder(at('killed.csv'));
    await expect(claimFile(at('killed.csv'))).rejects.toThrow(`process ${child.pid}`);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const release = await claimFile(at('killed.csv'));
    expect(locks()).toHaveLength(1);
    await release();
  });

  it('is not one whose number another process has now, nor one from before the machine was started', async () => {
    const release = await claimFile(at('again.csv'));
    const [name] = locks();
    const mine = JSON.parse(readFileSync(at(name), 'utf8'));
    await release();
    const stale = (change: object) =>
      writeFileSync(at('.again.csv.1-0123456789ab.lock'), JSON.stringify({ ...mine, ...change }));
    for (const change of [{ started: '1' }, { boot: 'another' }, { pid: 2 ** 22 + 1 }]) {
      stale(change);
      const next = await claimFile(at('again.csv'));
      expect(locks()).toHaveLength(1);
      await next();
    }
    // of these it cannot be known whether they run
    for (const change of [{ host: 'elsewhere' }, { space: 'pid:[1]' }]) {
      stale(change);
      await expect(claimFile(at('again.csv'))).rejects.toThrow(/if that has ended, remove ".*\.lock"$/);
      expect(locks()).toHaveLength(1);
    }
    rmSync(at('.again.csv.1-0123456789ab.lock'));
    expect(mine.host).toBe(hostname());
  });

  it('is at most one of many that begin at once', async () => {
    const script = `import { claimFile } from ${JSON.stringify(new URL('../../build/modules/src/node/exclusive.js', import.meta.url))};
      import { existsSync, rmSync, writeFileSync } from 'node:fs';
      const mark = ${JSON.stringify(at('inside'))};
      let held = 0;
      for (let i = 0; i < 10; i++) {
        const release = await claimFile(${JSON.stringify(at('race.csv'))}).catch(() => undefined);
        if (release === undefined) continue;
        held++;
        writeFileSync(mark, '', { flag: 'wx' });
        await new Promise((resolve) => setTimeout(resolve, 5));
        rmSync(mark);
        await release();
      }
      console.log(held);`;
    const children = Array.from({ length: 4 }, () =>
      spawn(process.execPath, ['--input-type=module', '-e', script], {
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
    );
    const held = await Promise.all(
      children.map(async (child) => {
        let said = '';
        child.stdout.on('data', (text) => (said += text));
        expect(await once(child, 'close')).toEqual([0, null]);
        return Number(said);
      }),
    );
    expect(held.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(4);
    expect(locks()).toEqual([]);
  });
});

it('ends with the thread that made it, as every file does that is not finished', async () => {
  const file = at('.table.csv.1-000000000000.lock');
  writeFileSync(file, '');
  const told = JSON.stringify({ unfinished: file, there: true });
  const script = `import { parentPort } from 'node:worker_threads';
    parentPort.on('message', () => { parentPort.postMessage(${told}); parentPort.postMessage({ answer: 1 }); });`;
  const start = startThread<number, number>(new URL(`data:text/javascript,${encodeURIComponent(script)}`));
  await new Promise<void>((resolve) => {
    const worker = start(
      () => worker.end(),
      () => resolve(),
    );
    worker.post(0);
  });
  expect(locks()).toEqual([]);
});

it('lets one of several gdp batch write a table', async () => {
  const rows = Array.from({ length: 400 }, (_, id) => JSON.stringify({ id, history: [[2 + id / 7, 1, 30]] }));
  writeFileSync(at('in.jsonl'), `${rows.join('\n')}\n`);
  const words = [
    'build/modules/src/cli/bin.js',
    'batch',
    at('in.jsonl'),
    '--out',
    at('out.jsonl'),
    '--workers',
    '1',
  ];
  const ended = await Promise.all(
    [1, 2, 3].map(async () => {
      const child = spawn(process.execPath, words, { stdio: 'ignore' });
      const [code] = await once(child, 'exit');
      return code;
    }),
  );
  // whoever came when another was there is refused; whoever came after has nothing left to do
  expect(ended).toContain(0);
  expect(ended.every((code) => code === 0 || code === 2)).toBe(true);
  const table = readFileSync(at('out.jsonl'), 'utf8').trim().split('\n');
  expect(table.map((line) => JSON.parse(line).index)).toEqual(rows.map((_, i) => i));
  const again = spawnSync(process.execPath, [...words, '--json'], { encoding: 'utf8' });
  expect(JSON.parse(again.stdout)).toMatchObject({ rows: 400, kept: 400 });
});
