import { expect, it } from 'vitest';
import { progressLine } from '../../src/cli/progress.js';

function told(isTTY: boolean): { say: (fraction: number, seconds: number) => void; lines: string[] } {
  const lines: string[] = [];
  let time = 0;
  const tell = progressLine(2000, { isTTY, write: (text) => lines.push(text) }, () => time);
  return {
    lines,
    say: (fraction, seconds) => {
      time = 1000 * seconds;
      tell(fraction);
    },
  };
}

it('writes a line a minute to a log', () => {
  const { say, lines } = told(false);
  for (let seconds = 0; seconds <= 200; seconds++) say(seconds / 400, seconds);
  expect(lines).toEqual([
    'gdp: 15.0 % (300 of 2000 rows), about 6 min left\n',
    'gdp: 30.0 % (600 of 2000 rows), about 5 min left\n',
    'gdp: 45.0 % (900 of 2000 rows), about 4 min left\n',
  ]);
});

it('keeps one line of a terminal up to date', () => {
  const { say, lines } = told(true);
  for (const fraction of [0, 0.5, 0.5, 1]) say(fraction, 0);
  expect(lines).toEqual(['\r0.0 %', '\r50.0 %', '\r100.0 %\n']);
});

it('tells a terminal what is left once it can, and wipes what was longer', () => {
  const { say, lines } = told(true);
  say(0.5, 10);
  say(1, 20);
  expect(lines).toEqual([
    '\r50.0 %, about 10 s left',
    `\r${'100.0 %'.padEnd('50.0 %, about 10 s left'.length)}\n`,
  ]);
});
