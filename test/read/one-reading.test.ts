import { describe, expect, it } from 'vitest';
import { recognise } from '../../src/read/index.js';
import { pldProto } from '../helpers/pld-writer.js';

const MECHANISM = '{"kind": "gaussian", "noiseMultiplier": 1}';
const FLAGS = '--batch_size=50 --noise_multiplier=1 --epochs=1';
const half = pldProto({ minKey: 0, values: [0.5, 0.5] });

/** Each holds two readings, or none; with one of the two taken in silence a number would come out. */
describe('what can be read in two ways is refused by name', () => {
  it.each<[string, string | Uint8Array, string]>([
    [
      'decimal commas in a table',
      'noise_multiplier,sample_rate,steps\n1,1,0,01,1000\n',
      'it has the columns noise_multiplier,sample_rate,steps, one each, and a row of 5',
    ],
    [
      'two columns of one name',
      'sigma,q,steps,steps\n1,0.01,1000,1\n',
      'the columns sigma,q,steps,steps, one each',
    ],
    ['two names of one flag', `--N=60000 --n=100 ${FLAGS}`, '"N" and "n" are two names of one number'],
    [
      'two names of one key',
      '{"N": 60000, "batch_size": 50, "noise_multiplier": 1, "epochs": 1, "num_epochs": 9}',
      '"epochs" and "num_epochs" are two names of one number',
    ],
    [
      'microbatching, and none',
      `--N=60000 ${FLAGS} --used_microbatching --noused_microbatching`,
      '--used_microbatching is given twice',
    ],
    [
      'a field by its place and by its name',
      'GaussianDpEvent(2.0, noise_multiplier=1.0)',
      '"event.noise_multiplier" is given twice',
    ],
    [
      'an answer for neighbours that are unknown',
      `{"mechanism": ${MECHANISM}, "adjacency": "replace_one"}`,
      '"adjacency" must be one of add-remove, replace-one, zero-out, got "replace_one"',
    ],
    ['two distributions', Uint8Array.from([...half, ...half]), 'two "pessimistic_pmf"'],
    ['half a distribution', pldProto({ minKey: 0, values: [0.25, 0.25] }), 'masses of a total of 1'],
  ])('%s', (_, input, why) => {
    expect(() => recognise(input)).toThrow(why);
  });
});

it('what stands beside the numbers of a phase is named, as it may have been meant', () => {
  const phase = '"noise_multiplier": 1, "sample_rate": 0.1, "steps": 5';
  const { notes } = recognise(`{${phase}, "id": 7, "recordsPerPerson": 2}`);
  expect(notes).toEqual(['not read: "recordsPerPerson"']);
  expect(recognise('{"history": [[1, 0.1, 5]], "adjacency": "replace-one"}').notes).toHaveLength(1);
  expect(recognise(`{${phase}, "id": 7, "mechanism": "prv"}`).notes).toEqual([]);
});
