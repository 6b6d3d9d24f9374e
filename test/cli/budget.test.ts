import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { gdp } from './harness.js';

const folder = mkdtempSync(join(tmpdir(), 'gdp-budget-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string) => join(folder, name);

describe('gdp budget', () => {
  it('opens, spends, refuses and tells what is left', async () => {
    const file = at('team.ledger');
    expect(await gdp(['budget', 'open', file, '--budget', 'zcdp:0.3'])).toMatchObject({
      code: 0,
      stderr: '',
    });
    const spend = ['budget', 'spend', file, '--spend', 'zcdp:0.1'];
    const { code, stdout } = await gdp([...spend, '--id', 'week-1']);
    expect(code).toBe(0);
    expect(stdout).toContain('sum of rho              0.1 of 0.3 spent, 0.2 left\n');
    expect(await gdp([...spend, '--id', 'week-1'])).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^refused: "id" must be new: "week-1" was paid at .* \(release 1\)/),
    });
    expect((await gdp([...spend, '--count', '2'])).code).toBe(0);
    expect(await gdp(spend)).toMatchObject({
      code: 1,
      stdout:
        'refused: the budget does not cover it: the sum of rho would grow by 0.1, and 0 is left of 0.3\n',
    });
    const left = JSON.parse((await gdp(['budget', 'left', file, '--delta', '1e-5', '--json'])).stdout);
    expect(left).toMatchObject({
      budget: { kind: 'zcdp', rho: '0.3' },
      count: 3,
      records: 2,
      readings: [{ sum: 'sum of rho', spent: '0.3', left: '0', largest: 0 }],
      odometer: { delta: 1e-5 },
    });
    // above what the same ρ fixed in advance would give, and not by much
    const fixed = 0.3 + 2 * Math.sqrt(0.3 * Math.log(1e5));
    expect(left.odometer.epsilon).toBeGreaterThan(fixed);
    expect(left.odometer.epsilon).toBeLessThan(1.5 * fixed);
    expect(readFileSync(file, 'utf8')).toContain(left.digest);
  });

  it('takes every kind, as JSON too', async () => {
    for (const [i, [budget, spend]] of [
      ['pure-dp:1', 'pure-dp:0.25'],
      ['approximate-dp:1,1e-5', 'approximate-dp:0.25,2.5e-6'],
      ['gdp:0.5', 'gdp:0.25'],
      ['rdp:2=1,8=2', 'rdp:2=0.25,8=0.5'],
      ['{"kind":"rdp","points":[{"order":2,"epsilon":1}]}', '{"kind":"gdp","mu":0.5}'],
    ].entries()) {
      expect((await gdp(['budget', 'open', at(`${i}`), '--budget', budget])).code).toBe(0);
      const spent = ['budget', 'spend', at(`${i}`), '--spend', spend, '--count', '4'];
      expect(await gdp(spent)).toMatchObject({ code: 0, stderr: '' });
      expect((await gdp(spent)).code).toBe(1);
    }
    const slack = ['budget', 'open', at('slack'), '--budget', 'approximate-dp:1,1e-5,5e-6'];
    expect((await gdp(slack)).stdout).toContain('sum of epsilon^2');
  });

  it('keeps a budget for each record: who has spent it is left out', async () => {
    const file = at('records.ledger');
    const csv = at('charges.csv');
    writeFileSync(csv, 'a,gdp:0.8\nb,gdp:0.8\r\n\nc,gdp:0.1\n');
    expect((await gdp(['budget', 'open', file, '--budget', 'gdp:1', '--per-record'])).code).toBe(0);
    const charge = ['budget', 'spend', file, '--charges', csv];
    expect(await gdp(charge)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('left out                nobody\n'),
    });
    const second = await gdp([...charge, '--json', '--id', 'two']);
    expect(second.code).toBe(1);
    expect(JSON.parse(second.stdout)).toMatchObject({ perRecord: true, count: 2, leftOut: ['a', 'b'] });
    expect(await gdp([...charge, '--id', 'two'])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('refused: "id"'),
    });
    writeFileSync(csv, 'c\nd\n');
    expect((await gdp([...charge, '--spend', 'gdp:0.1'])).code).toBe(0);
    const left = await gdp(['budget', 'left', file, '--record', 'c', '--delta', '1e-5']);
    expect(left.stdout).toContain('sum of mu^2             0.03 of 1 spent, 0.97 left\nloss so far');
    expect(left.stdout).toContain('secret: what a record has spent');
    for (const [argv, message] of [
      [charge, 'charges.csv, line 1: it must be RECORD,COST'],
      [[...charge, '--spend', 'gdp:1', '--count', '2'], '"--count" has no meaning with "--charges"'],
      [['budget', 'spend', file, '--spend', 'gdp:0.1'], '"spend" has no meaning for'],
      [['budget', 'left', file, '--delta', '0.1'], '"delta" has no meaning for'],
      [['budget', 'left', file, '--record', 'a b'], '"record" must be 1 to 128 letters'],
    ] as const)
      expect(await gdp([...argv])).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });

  it.each([
    [['budget'], 'gdp budget needs open, spend, left and one FILE'],
    [['budget', 'close', 'x'], 'gdp budget needs open, spend, left and one FILE'],
    [['budget', 'open', 'x'], '"--budget" is needed'],
    [['budget', 'open', at('none'), '--budget', 'gdp:a'], '"budget.mu" must be a finite number >= 0'],
    [['budget', 'open', at('none'), '--budget', 'gdp:1,2'], 'gdp takes mu and no more'],
    [
      ['budget', 'open', at('none'), '--budget', 'gdp:1', '--id', 'a'],
      '"--id" has no meaning for gdp budget open',
    ],
    [['budget', 'left', at('none')], 'no such file'],
    [['budget', 'spend', at('none'), '--spend', 'gdp:1'], 'no such file'],
    [['budget', 'left', 'package.json'], 'it is not a ledger of gdp budget'],
  ])('%j is refused', async (argv, message) => {
    const { code, stdout, stderr } = await gdp(argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(existsSync(at('none'))).toBe(false);
  });

  it('keeps a number apart from a name that fills its column', async () => {
    const file = at('orders.ledger');
    const { stdout } = await gdp(['budget', 'open', file, '--budget', 'rdp:8=1.2,16=2.5']);
    expect(stdout).toContain('sum of epsilon at order 8 0 of 1.2 spent');
    expect(stdout).toContain('sum of epsilon at order 16 0 of 2.5 spent');
    const long = await gdp([
      'epsilon',
      '--noise-multiplier',
      '2',
      '--steps',
      '1',
      '--sampling-rate',
      '1',
      '--delta',
      '1.23456789012e-5',
    ]);
    expect(long.stdout).toMatch(/^epsilon\(1\.23456789012e-5\) \d/);
  });
});
