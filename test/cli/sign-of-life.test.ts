import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { signOfLife } from '../../src/cli/progress.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
afterEach(() => void vi.useRealTimers());

function signs(isTTY: boolean) {
  const written: string[] = [];
  const life = signOfLife({ isTTY, write: (text) => written.push(text.replace('\r\u001b[K', '|')) });
  return { ...life, written };
}

test('work of more than two seconds says so on a terminal, with what is left once that can be told, and the line is wiped away', () => {
  const { progress, wipe, end, written } = signs(true);
  vi.advanceTimersByTime(1999);
  expect(written).toEqual([]);
  vi.advanceTimersByTime(1001);
  progress(0.25);
  wipe();
  vi.advanceTimersByTime(1000);
  end();
  vi.advanceTimersByTime(10_000);
  end();
  expect(written).toEqual([
    '|gdp: still working, 2 s',
    '|gdp: still working, 3 s',
    '|',
    '|gdp: still working, 4 s, 25 %, about 8 s left',
    '|',
  ]);
});

test('a log gets a line a minute', () => {
  const { progress, end, written } = signs(false);
  vi.advanceTimersByTime(30_000);
  progress(0.25);
  vi.advanceTimersByTime(155_000);
  end();
  expect(written).toEqual([
    'gdp: still working, 60 s, 25 %, about 60 s left\n',
    // past what was expected: no more of that
    'gdp: still working, 120 s, 25 %\n',
    'gdp: still working, 180 s, 25 %\n',
  ]);
});

test('short work says nothing', () => {
  const { end, written } = signs(true);
  vi.advanceTimersByTime(1900);
  end();
  expect(written).toEqual([]);
});
