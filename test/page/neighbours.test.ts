import { describe, expect, it } from 'vitest';
import { agreeing } from '../../src/page/loaders.js';
import { EXAMPLE } from '../../src/page/state.js';
import { nearText } from '../../src/text/rounded.js';

describe('neighbours', () => {
  it('that were chosen come back when a loader that has others is left, unless others were chosen there', () => {
    const shuffled = agreeing({ ...EXAMPLE, loader: 'shuffled' });
    expect(shuffled.neighbours).toBe('zeroout');
    expect(agreeing({ ...shuffled, loader: 'poisson' })).toEqual(EXAMPLE);
    expect(agreeing({ ...shuffled, loader: 'capped' }).neighbours).toBe('zeroout');
    expect(agreeing({ ...agreeing({ ...shuffled, loader: 'capped' }), loader: 'bins' }).neighbours).toBe(
      'addremove',
    );
    const other = agreeing({ ...shuffled, neighbours: 'replace', chosen: undefined });
    expect(agreeing({ ...other, loader: 'poisson' }).neighbours).toBe('replace');
  });
});

it('estimates are laid out as bounds are', () => {
  expect([nearText(7.40999, 4), nearText(24795.3, 4), nearText(3.14e11, 4)]).toEqual([
    '7.410',
    '24800',
    '3.140e+11',
  ]);
});
