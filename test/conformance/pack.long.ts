import { describe, expect, it } from 'vitest';
import { reference, wasm } from '../helpers/runs.js';
import { failures, unsharp, VECTORS } from '../helpers/vectors.js';

describe('every vector of the pack', () => {
  it.each([wasm, reference])('is answered sharply by each engine', (engine) => {
    expect(unsharp(engine, VECTORS)).toEqual([]);
  });

  it.each(['closed-form', 'spectral'])('is contained or refused by the method %s alone', (method) => {
    expect(failures(wasm, VECTORS, ['sharp', 'contained', 'refused'], { method })).toEqual([]);
  });

  it('is contained or refused by the grid, one in ten', () => {
    const some = VECTORS.filter((_, i) => i % 10 === 5);
    expect(
      failures(wasm, some, ['sharp', 'contained', 'refused'], { method: 'grid', maxGridLength: 2 ** 16 }),
    ).toEqual([]);
  });
});
