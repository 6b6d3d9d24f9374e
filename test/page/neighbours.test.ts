import { describe, expect, it } from 'vitest';
import { answerTo } from '../../src/page/compute.js';
import { agreeing } from '../../src/page/loaders.js';
import type { PageAnswer } from '../../src/page/messages.js';
import { EXAMPLE, phaseOf, settingOf } from '../../src/page/state.js';
import { sameNoise } from '../../src/report/loaders.js';
import { nearText } from '../../src/text/rounded.js';
import { runOf, wasm } from '../helpers/runs.js';

describe('neighbours', () => {
  it('that were chosen come back when a loader that has others is left, unless others were chosen there', () => {
    const shuffled = agreeing({ ...EXAMPLE, loader: 'shuffled' });
    expect(shuffled.neighbours).toBe('zero-out');
    expect(agreeing({ ...shuffled, loader: 'poisson' })).toEqual(EXAMPLE);
    expect(agreeing({ ...shuffled, loader: 'capped-poisson' }).neighbours).toBe('zero-out');
    expect(
      agreeing({ ...agreeing({ ...shuffled, loader: 'capped-poisson' }), loader: 'balls-and-bins' })
        .neighbours,
    ).toBe('add-remove');
    const other = agreeing({ ...shuffled, neighbours: 'replace-one', chosen: undefined });
    expect(agreeing({ ...other, loader: 'poisson' }).neighbours).toBe('replace-one');
  });
});

it('estimates are laid out as bounds are', () => {
  expect([nearText(7.40999, 4), nearText(24795.3, 4), nearText(3.14e11, 4)]).toEqual([
    '7.410',
    '24800',
    '3.140e+11',
  ]);
});

it('steps are no fewer than the epochs ask for, and whole numbers that rounding blurs are kept', () => {
  const stepsOf = (change: object) => phaseOf({ ...EXAMPLE, ...change }).steps;
  expect(stepsOf({})).toBe(2000);
  expect(stepsOf({ batch: 10, size: 60_000, epochs: 1e9 })).toBe(6e12);
  expect(stepsOf({ batch: 7, size: 50, epochs: 3 })).toBe(22);
  expect(stepsOf({ batch: 256, size: 60_000, epochs: 1e9 + 0.01 })).toBe(234_375_000_003);
  expect(stepsOf({ rate: 0.1, epochs: 0.3 })).toBe(3);
});

it('what a shuffle would make of ε has both ends, as the table of loaders has them', () => {
  const setting = { ...settingOf(EXAMPLE), sigma: 1.1, batch: 500, epochs: 10 };
  const question = { id: 1, since: 0, task: 'fine', setting, alpha: 1e-3 } as const;
  const parts = [...answerTo(wasm, question)].flatMap((part) =>
    part?.kind === 'answer' ? [part.answer] : [],
  );
  const answer: PageAnswer = Object.assign({}, ...parts);
  const shown = answer.changes!.find(({ change }) => change === 'shuffled-batches')!.epsilon;
  const told = sameNoise(wasm, runOf([[1.1, 0.01, 1000]]))!.loaders.find(
    ({ loader }) => loader === 'shuffled',
  )!.epsilon!;
  expect(shown.lower).toBeCloseTo(told.lower, 6);
  expect(shown.upper).toBeCloseTo(told.upper, 6);
  expect(shown.lower).toBeGreaterThan(answer.epsilon.upper);
});
