import { describe, expect, it, test } from 'vitest';
import { recognise } from '../../src/read/index.js';
import { parseJson } from '../../src/read/json.js';
import { unpickle } from '../../src/read/unpickle.js';
import { PickleWriter } from '../helpers/pickle-writer.js';

const STATE = '{"history": [[9.4, 0.32768, 2000]], "mechanism": "prv"}';
const run = recognise(STATE);

describe('states that were printed, or stand under another key', () => {
  it.each([
    "{'history': [(9.4, 0.32768, 2000)], 'mechanism': 'prv'}",
    "OrderedDict([('history', [(np.float64(9.4), 0.32768, np.int64(2000))]), ('mechanism', 'prv')])",
    "OrderedDict({'history': [(9.4, np.array(0.32768), 2000)], 'mechanism': 'prv'})",
    `{"model": {"a": 1}, "accountant": ${STATE}}`,
  ])('%s', (text) => {
    expect(recognise(text)).toEqual(run);
  });

  it.each([
    ["{'history': [(9.4, foo(2), 2000)]}", 'holds foo(…), which stands for no number'],
    [
      "{'history': [(9.4, 0.32768, 2000)",
      'it is a dictionary as Python prints it, but not at character 33: it ends too early',
    ],
    [`{"a": ${STATE}, "b": ${STATE}}`, 'it holds 2 histories (at "a", "b")'],
  ])('%s is refused', (text, why) => {
    expect(() => recognise(text)).toThrow(why);
  });
});

test('UTF-16 with its mark or without, in both orders', () => {
  const little = Uint8Array.from([0xff, 0xfe, ...[...STATE].flatMap((c) => [c.charCodeAt(0), 0])]);
  const big = Uint8Array.from([0xfe, 0xff, ...[...STATE].flatMap((c) => [0, c.charCodeAt(0)])]);
  for (const bytes of [little, big, little.subarray(2), big.subarray(2)])
    expect(recognise(bytes)).toEqual(run);
});

describe('JSON that is none', () => {
  it.each([
    ['{"a": 1, // no\n"b": 2}', 'line 1, column 10: a comment, which JSON does not have'],
    ['{"a": 1,\n "b": 2,\n}', 'line 3, column 1: a comma before "}"'],
    ['{"a": [1 2]}', 'line 1, column 10: a comma is missing before "2"'],
    ['{"a" 1}', 'line 1, column 6: a colon is missing before "1"'],
    ['{a: 1}', 'line 1, column 2: "a" is no value of JSON'],
    ['{"a": \'b\'}', 'line 1, column 7: a text in single quotes; JSON has double ones'],
    ['{"a": 1}\n{"b": 2}', 'line 2, column 1: "{" after the end'],
    ['{"a": .5}', 'line 1, column 7: ".5" is no value of JSON'],
    ['{"a": ]}', 'line 1, column 7: "]" where a value is expected'],
    ['{"a": NaN,}', 'line 1, column 11: a comma before "}"'],
    ['[1, [2]', 'it ends too early, after 7 characters'],
  ])('%s', (text, why) => {
    expect(() => parseJson(text)).toThrow(`it is not valid JSON: ${why}`);
  });

  it('says where for every way to lose or change a character', () => {
    const whole = '{"x": [1, -2.5e3, "a\\"b", {"y": null}], "z": true}';
    for (let at = 1; at < whole.length; at++) {
      for (const put of ['', '#', '"', '}', ',', '7']) {
        const text = whole.slice(0, at) + put + whole.slice(at + 1);
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        if (valid) expect(() => parseJson(text)).not.toThrow();
        else
          expect(() => parseJson(text)).toThrow(
            /^it is not valid JSON: (?:line \d+, column \d+: |it ends too early)/,
          );
      }
    }
  });
});

describe('numbers of NumPy in a pickle', () => {
  /** As torch.save writes them: protocol 2, the bytes as Latin-1 text. */
  const scalar = (module: string, code: string, order: string, bytes: readonly number[]) =>
    new PickleWriter(2)
      .global(module, 'scalar')
      .global('numpy', 'dtype')
      .string(code)
      .raw(0x89, 0x88)
      .op('\u0087R(')
      .int(3)
      .string(order)
      .op('NNN')
      .op('tb')
      .global('_codecs', 'encode')
      .string(String.fromCharCode(...bytes))
      .string('latin1')
      .op('\u0086R')
      .op('\u0086R.')
      .bytes();
  const bytesOf = (x: number, little: boolean) => {
    const view = new DataView(new ArrayBuffer(8));
    view.setFloat64(0, x, little);
    return [...new Uint8Array(view.buffer)];
  };

  it.each([
    ['numpy.core.multiarray', 'f8', '<', bytesOf(9.4, true), 9.4],
    ['numpy._core.multiarray', 'f8', '>', bytesOf(-0.1, false), -0.1],
    ['numpy.core.multiarray', 'i8', '<', [208, 7, 0, 0, 0, 0, 0, 0], 2000],
    ['numpy.core.multiarray', 'i4', '<', [254, 255, 255, 255], -2],
  ] as const)('%s %s %s', (module, code, order, bytes, x) => {
    expect(unpickle(scalar(module, code, order, bytes))).toBe(x);
  });

  it.each([
    ['c16', '<', bytesOf(1, true)],
    ['f8', '<', [1, 2, 3]],
  ] as const)('of type %s with %s stay what they are: nothing', (code, order, bytes) => {
    expect(unpickle(scalar('numpy.core.multiarray', code, order, bytes))).toMatchObject({
      name: 'numpy.core.multiarray.scalar',
    });
  });
});
