import { describe, expect, test } from 'vitest';
import { UsageError, withPlace } from '../../src/cli/args.js';
import { describeFailure } from '../../src/cli/errors.js';
import { loadEngineSync } from '../../src/engine-sync.js';
import {
  InputRangeError,
  InputSyntaxError,
  InputTypeError,
  isInputError,
  UnreadableInput,
} from '../../src/errors.js';
import { parseSweepGrid } from '../../src/sweep/index.js';
import { answerRow, errorOf, sweepColumns } from '../../src/sweep/rows.js';

const ours = [
  new InputTypeError('"a" must be a number'),
  new InputRangeError('"a" must be positive'),
  new InputSyntaxError('it is empty'),
];

/** What a slip of ours throws: the same classes as the user's, from the host. */
function slips(): unknown[] {
  const nothing = undefined as never as { x: { y: number } };
  return [() => nothing.x.y, () => new Array(-1), () => JSON.parse('{'), () => BigInt(0.5)].map((slip) => {
    try {
      slip();
      throw new Error('no slip');
    } catch (error) {
      return error;
    }
  });
}

describe('errors of the user and bugs', () => {
  test('are told apart though both are TypeErrors, RangeErrors, SyntaxErrors', () => {
    expect(ours[0]).toBeInstanceOf(TypeError);
    expect(ours[1]).toBeInstanceOf(RangeError);
    expect(ours[2]).toBeInstanceOf(SyntaxError);
    for (const error of ours) expect(isInputError(error)).toBe(true);
    const classes = slips().map((error) => (error as Error).constructor);
    expect(classes).toEqual([TypeError, RangeError, SyntaxError, RangeError]);
    for (const error of slips()) expect(isInputError(error)).toBe(false);
  });

  test('leave the command line with 2 and with 1', () => {
    for (const error of [...ours, new UsageError('no'), new UnreadableInput('absent')])
      expect(describeFailure(error)).toEqual({ message: error.message, exitCode: 2 });
    for (const error of slips()) {
      const { message, exitCode } = describeFailure(error);
      expect(exitCode).toBe(1);
      expect(message).toMatch(/^internal error \(a bug in gdp-kernel\): (Type|Range|Syntax)Error: .+$/);
    }
    expect(describeFailure(new Error(`a\n${'b'.repeat(1e5)}`)).message).toHaveLength(46);
    expect(describeFailure(new Error('b'.repeat(1e5))).message.length).toBeLessThan(400);
    expect(describeFailure('thrown text')).toEqual({
      message: 'internal error (a bug in gdp-kernel): thrown text',
      exitCode: 1,
    });
  });

  test('only those of the user are said to be of a file', async () => {
    for (const error of ours) {
      const placed = withPlace('run.json', () => Promise.reject(error));
      await expect(placed).rejects.toThrow(new UsageError(`run.json: ${error.message}`));
    }
    for (const error of slips())
      await expect(withPlace('run.json', () => Promise.reject(error))).rejects.toBe(error);
  });

  test('a row of a sweep tells a refusal, and does not hide a bug', () => {
    const engine = loadEngineSync({ kernel: 'reference' });
    const grid = parseSweepGrid({
      over: { sigma: [1, -1] },
      mechanism: { kind: 'gaussian', noiseMultiplier: '$sigma' },
      adjacency: 'add-remove',
    });
    expect(errorOf(sweepColumns(grid), answerRow(engine, grid, 1))).toMatch(
      /noiseMultiplier" must be 0 or a number/,
    );
    const { kernel } = engine;
    const broken = {
      kernel: Object.create(kernel, {
        name: {
          get: () => {
            throw new TypeError('undefined is not a function');
          },
        },
      }),
    };
    expect(() => answerRow(broken, grid, 0)).toThrow('undefined is not a function');
  });
});
