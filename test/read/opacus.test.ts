import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compose, dpSgd } from '../../src/mechanism/mechanism.js';
import { MAX_PHASES, parseOpacusState } from '../../src/read/opacus.js';

const example = (name: string) =>
  readFileSync(new URL(`../../examples/${name}.json`, import.meta.url), 'utf8');

describe('parseOpacusState', () => {
  it('reads one phase', () => {
    expect(parseOpacusState(example('cifar10-wrn40'))).toEqual(
      compose([dpSgd({ noiseMultiplier: 9.4, samplingRate: 0.32768, steps: 2000 })]),
    );
  });

  it('reads every phase', () => {
    expect(parseOpacusState(example('finetune-two-phase'))).toEqual(
      compose([
        dpSgd({ noiseMultiplier: 1.3, samplingRate: 0.004, steps: 5000 }),
        dpSgd({ noiseMultiplier: 0.9, samplingRate: 0.004, steps: 500 }),
      ]),
    );
  });

  it('reads an empty history, no noise, no steps, and every accountant name', () => {
    expect(parseOpacusState('{"history": []}', { allowEmptyHistory: true })).toEqual(compose([]));
    expect(parseOpacusState('{"history": [[0, 1, 0]], "mechanism": "gdp"}').parts).toHaveLength(1);
  });

  it.each([
    ['', 'it is empty, expected JSON'],
    ['  \n', 'it is empty, expected JSON'],
    ['hello', 'it is not valid JSON: it starts with "hello"'],
    ['\0\u0001binary', 'it is not valid JSON: it starts with "\\u0000\\u0001binary"'],
    ['PK\u0003\u0004', 'it looks like a PyTorch checkpoint'],
    ['{"history": [[9.4, 0.32768, 2000]', 'it ends too early, after 33 characters; is it truncated?'],
    ['{"history": [[9.4, 0.32768, 2000]], "mech', 'it ends too early'],
    ['{"history": [[9.4, 0.32768, 2000]]} x', 'it is not valid JSON: line 1, column 37: "x" after the end'],
    ['null', '"state" must be an object'],
    ['[]', '"state" must be an object'],
    ['7', '"state" must be an object'],
    ['{}', '"history" is missing'],
    [
      '{"history": null}',
      '"history" must be an array of [noise_multiplier, sample_rate, num_steps], got null',
    ],
    ['{"history": {}}', '"history" must be an array'],
    ['{"history": "x"}', '"history" must be an array'],
    ['{"history": [], "mechanism": 3}', '"mechanism" must be a string'],
    // what GaussianAccountant of Opacus 1.1 to 1.3 leaves once it was asked: no run, not one of ε = 0
    ['{"history": []}', 'its history is empty, as before training. GaussianAccountant of Opacus 1.1 to 1.3'],
    ['{"history": [3]}', '"history[0]" must be [noise_multiplier, sample_rate, num_steps], got 3'],
    [
      '{"history": [[1, 0.1]]}',
      '"history[0]" must be [noise_multiplier, sample_rate, num_steps], got an array of 2',
    ],
    ['{"history": [[1, 0.1, 1, 1]]}', '"history[0]" must be'],
    [
      '{"history": [[1, 0.1, 1], [1, 0.1, -5]]}',
      '"history[1][2] (num_steps)" must be a whole number from 0 to 2^53 - 1, got -5',
    ],
    [
      '{"history": [[1, 0.1, 1.5]]}',
      '"history[0][2] (num_steps)" must be a whole number from 0 to 2^53 - 1, got 1.5',
    ],
    ['{"history": [[1, 0.1, 1e300]]}', '"history[0][2] (num_steps)" must be'],
    ['{"history": [[1, 1.5, 1]]}', '"history[0][1] (sample_rate)" must be a number in [0, 1], got 1.5'],
    ['{"history": [[1, -0.5, 1]]}', '"history[0][1] (sample_rate)" must be'],
    [
      '{"history": [[-1, 0.5, 1]]}',
      '"history[0][0] (noise_multiplier)" must be a finite number >= 0, got -1',
    ],
    ['{"history": [[1e999, 0.5, 1]]}', 'a number is beyond 1.8e308, the largest that is read: 1e999'],
    [
      '{"history": [["1.1", 0.5, 1]]}',
      '"history[0][0] (noise_multiplier)" must be a finite number >= 0, got "1.1"',
    ],
    ['{"history": [[null, 0.5, 1]]}', '"history[0][0] (noise_multiplier)" must be'],
    [
      '{"history": [[NaN, 0.5, 1]]}',
      '"history[0][0] (noise_multiplier)" must be a finite number >= 0, got "NaN"',
    ],
    ['{"history": [[1, NaN, 1]]}', '"history[0][1] (sample_rate)" must be a number in [0, 1], got "NaN"'],
    ['{"history": [[1, 1, -Infinity]]}', '"history[0][2] (num_steps)" must be'],
    ['{"history": [[1, 1, true]]}', '"history[0][2] (num_steps)" must be'],
    ['{"a": NaN', 'it is not valid JSON: it ends too early'],
  ])('refuses %j', (text, sentence) => {
    expect(() => parseOpacusState(text)).toThrow(sentence);
    expect(() => parseOpacusState(text)).toThrow(/^[^\n]+$/);
  });

  it('refuses a history of more phases than a run can have', () => {
    const history = Array.from({ length: MAX_PHASES + 1 }, () => [1, 0.5, 1]);
    expect(() => parseOpacusState(JSON.stringify({ history }))).toThrow(
      '"history" must be an array of at most 100000 [noise',
    );
  });

  it('survives deep nesting', () => {
    expect(() => parseOpacusState('['.repeat(1e6))).toThrow(/^it is not valid JSON: it ends too early/);
  });
});
