import { describe, expect, it } from 'vitest';
import { InputSyntaxError } from '../../src/errors.js';
import { parseJson } from '../../src/read/json.js';
import { numberAt } from '../../src/read/json-names.js';
import { recognise } from '../../src/read/recognise.js';

describe('a repeated name', () => {
  it.each([
    ['{"history":[[1.1,0.01,1000]],"history":[]}', 'history'],
    ['{"history":[], "a": {"x y": 1, "x\\u0020y": 2}}', 'x y'],
    ['{"history":[[NaN,0.01,1000]],"history":[]}', 'history'],
    [`{'history': [(1.1, 0.01, 1000)], 'history': []}`, 'history'],
    ['GaussianDpEvent(noise_multiplier=9.0, noise_multiplier=1.0)', 'noise_multiplier'],
  ])('is refused: %s', (text, name) => {
    expect(() => recognise(text)).toThrow(InputSyntaxError);
    expect(() => recognise(text)).toThrow(`"${name}" twice`);
  });

  it('is none in another object, in a text or in a list', () => {
    const text =
      '{"history": [[1, 1, 1]], "a": {"history": "\\"history\\": {", "b": ["history", "history"]}}';
    expect(recognise(text).format).toBe('opacus-state');
  });
});

describe('a number too small for a double', () => {
  const tiny = `0.${'0'.repeat(400)}1`;
  it.each([
    '{"kind":"approximate-dp","epsilon":1,"delta":1e-400}',
    '{"kind":"poisson-subsampled","rate":2E-324,"inner":{"kind":"gaussian","noiseMultiplier":1}}',
    `{"history":[[1,${tiny},10]]}`,
    'epsilon,delta\n1,1e-400\n',
    'alpha,beta\n0.1,-1e-999\n',
    "{'history': [[1.1, 1e-400, 1000]]}",
    'PoissonSampledDpEvent(sampling_probability=1e-400, event=GaussianDpEvent(noise_multiplier=1.1))',
  ])('is refused, where 0 would say more than is stated: %s', (text) => {
    expect(() => recognise(text)).toThrow(InputSyntaxError);
    expect(() => recognise(text)).toThrow(/smaller than any double|two numbers|"1e-400"/);
  });

  it('is refused in the row of a phase', () => {
    const text = 'noise_multiplier,sample_rate,steps\n1.1,1e-400,1000';
    expect(() => recognise(text)).toThrow(/column "sample_rate"/);
  });

  it('is none that is 0, a double, or written in a text', () => {
    const text = `{"a": [0, -0.0, 0e-400, 5e-324, 0.${'0'.repeat(310)}], "b": "1e-400 \\" 1e-400", "1e-400": 1e-300}`;
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });
});

it('is not walked where it would exhaust the stack', () => {
  expect(() => parseJson(`${'['.repeat(200_000)}${']'.repeat(200_000)}`)).toThrow(
    'nested more than 1000 deep',
  );
});

it('gives the digits of a number', () => {
  const text = '{"a": {"id": 1}, "b": "\\"id\\": 2", "id" : 9007199254740993 }';
  expect(numberAt(text, 'id')).toBe('9007199254740993');
  expect(numberAt('{"id":1e400}', 'id')).toBe('1e400');
  expect(numberAt('{"id":"1"}', 'id')).toBeUndefined();
});
