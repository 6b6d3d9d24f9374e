import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { afterAll, describe, expect, it } from 'vitest';
import { gdp } from './harness.js';

const folder = mkdtempSync(join(tmpdir(), 'gdp-ids-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string) => join(folder, name);
const text = (name: string) => readFileSync(at(name), 'utf8');
const RUN = '"history":[[2,1,30]]';

async function batch(input: string, content: string | Uint8Array, out: string) {
  writeFileSync(at(input), content);
  rmSync(at(out), { force: true });
  const words = ['batch', at(input), '--out', at(out), '--workers', '1', '--delta', '1e-5', '--json'];
  const first = await gdp(words);
  // the same command goes on, with nothing to do
  const again = await gdp(words);
  if (first.code === 0)
    expect(JSON.parse(again.stdout)).toMatchObject({ kept: JSON.parse(first.stdout).rows });
  return first;
}

async function idsOf(input: string, content: string | Uint8Array): Promise<unknown[]> {
  await batch(input, content, 'out.jsonl');
  return text('out.jsonl')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map(({ id, error }) => (error === null ? id : [id, error]));
}
const json = (...ids: string[]) => ids.map((id) => `{"id":${id},${RUN}}\n`).join('');
const csv = (...ids: string[]) =>
  `id,noise_multiplier,sample_rate,steps\r\n${ids.map((id) => `${id},2,1,30\r\n`).join('')}`;

describe('ids of a batch', () => {
  it('keep their digits', async () => {
    const big = ['9007199254740993', '1234567890123456789', '12', '1e400', '1.50'];
    expect(await idsOf('in.jsonl', json(...big))).toEqual(big);
    expect(await idsOf('in.csv', csv(...big))).toEqual(big);
    expect(await idsOf('in.csv', csv('007', '7', '1e3', '1000', '+1', 'Infinity'))).toEqual([
      '007',
      '7',
      '1e3',
      '1000',
      '+1',
      'Infinity',
    ]);
  });

  it('are whole numbers where all of the first block are', async () => {
    expect(await idsOf('in.jsonl', json('10', 'null', '-3'))).toEqual([10, null, -3]);
    expect(await idsOf('in.csv', csv('10', '', '9007199254740991'))).toEqual([10, null, 9007199254740991]);
    expect(await idsOf('in.csv', csv('"10"', '11'))).toEqual(['10', '11']);
  });

  it('never meet: a text is not taken for a number of the same digits', async () => {
    expect(await idsOf('in.jsonl', json('7', '"7"'))).toEqual([
      7,
      [null, '"id" must be a whole number as in the first row'],
    ]);
    expect(await idsOf('in.jsonl', json('"7"', '7'))).toEqual([
      '7',
      [null, '"id" must be a text as in the first row'],
    ]);
  });

  it('may hold line breaks, quotation marks and commas, in and out', async () => {
    const ids = ['a,"b"\n=2', 'plain', 'two\r\nlines', '"', ''];
    const cells = ids.map((id) => `"${id.replaceAll('"', '""')}"`);
    expect(await idsOf('in.csv', csv(...cells))).toEqual(ids);
    await batch('in.jsonl', json(...ids.map((id) => JSON.stringify(id))), 'out.csv');
    // cut anywhere, it is gone on with to the same bytes
    const whole = text('out.csv');
    for (const share of [0.1, 0.35, 0.5, 0.7, 0.95]) {
      writeFileSync(at('out.csv'), whole.slice(0, share * whole.length));
      const { code } = await gdp(['batch', at('in.jsonl'), '--out', at('out.csv'), '--workers', '1']);
      expect([code, text('out.csv')]).toEqual([0, whole]);
    }
  });

  it('are not lost behind the mark that Excel puts before a table', async () => {
    expect(await idsOf('in.csv', `\ufeff${csv('a', 'b')}`)).toEqual(['a', 'b']);
    expect(await idsOf('in.jsonl', `\ufeff${json('"a"', '"b"')}`)).toEqual(['a', 'b']);
  });

  it('are no formulas in CSV, and themselves elsewhere', async () => {
    const ids = ['=HYPERLINK("http://x")', '+x', '@SUM(1)', '-1+cmd|x', '\tx', "'=1", '-5', "it's"];
    const lines = json(...ids.map((id) => JSON.stringify(id)));
    expect(await idsOf('in.jsonl', lines)).toEqual(ids);
    await batch('in.jsonl', lines, 'out.parquet');
    const rows = await parquetReadObjects({ file: await asyncBufferFromFile(at('out.parquet')) });
    expect(rows.map((row) => row['id'])).toEqual(ids);
    await batch('in.jsonl', lines, 'out.csv');
    const cells = text('out.csv')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.slice(line.indexOf(',') + 1));
    expect(cells.map((cell) => cell.replace(/,\d.*/, ''))).toEqual([
      `"'=HYPERLINK(""http://x"")"`,
      "'+x",
      "'@SUM(1)",
      "'-1+cmd|x",
      "'\tx",
      "''=1",
      '"-5"',
      "it's",
    ]);
  });

  it('belong to rows that say each number once', async () => {
    expect(
      await idsOf('in.csv', 'id,noise_multiplier,sigma,sample_rate,steps\na,2,1,1,30\nb,2,,1,30\n'),
    ).toEqual([['a', '"noise_multiplier" and "sigma" are two names of one number'], 'b']);
  });

  it('belong to rows that ask nothing of their own, history or phase', async () => {
    const asked = 'id,noise_multiplier,sample_rate,steps,adjacency\na,2,1,30,replace-one\n';
    expect(await idsOf('in.csv', asked)).toEqual([
      ['a', '"adjacency" is asked of all rows alike: give --adjacency'],
    ]);
  });

  it('belong to rows that are no other run than the answer is of', async () => {
    const name = 'id,noise_multiplier,sample_rate,steps,sampling,recordsPerPerson,constructor\n';
    const rows = ['a,2,1,30,shuffled,,x', 'b,2,1,30,,12,', 'c,2,1,30,poisson,1,', 'd,2,1,30,,,x'];
    const why = 'or left out of a table: gdp epsilon answers other runs one by one';
    expect(await idsOf('in.csv', `${name}${rows.join('\n')}\n`)).toEqual([
      ['a', `"sampling" must be "poisson" ${why}`],
      ['b', `"recordsPerPerson" must be 1 ${why}`],
      'c',
      'd',
    ]);
  });

  it('are read by a header that is one', async () => {
    const twice = await batch(
      'in.csv',
      `id,id,noise_multiplier,sample_rate,steps\n1,2,2,1,30\n`,
      'out.jsonl',
    );
    expect(twice).toMatchObject({ code: 2, stderr: expect.stringContaining('it has two columns "id"') });
    const stray = await batch(
      'in.csv',
      `i"d,noise_multiplier,sample_rate,steps\nnoise,2,1,30\n`,
      'out.jsonl',
    );
    expect(stray).toMatchObject({ code: 2, stderr: expect.stringContaining('stray quotation mark') });
  });
});
