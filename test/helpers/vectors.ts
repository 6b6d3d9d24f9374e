import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { answerer } from '../../conformance/adapters/gdp.mjs';
import { verdict } from '../../conformance/score.mjs';
import { audit } from '../../src/audit/index.js';
import type { Engine } from '../../src/index.js';
import * as library from '../../src/index.js';

/** A line of the conformance pack. */
export interface Vector {
  readonly id: string;
  readonly value?: string;
  readonly error?: string;
  readonly gap?: string;
  readonly expect?: 'refused';
}

const FOLDER = 'conformance/vectors';

export const VECTORS: readonly Vector[] = readdirSync(FOLDER).flatMap((name) =>
  readFileSync(join(FOLDER, name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line)),
);

/** The ids of vectors whose verdict is not one of those that are allowed, with it. */
export function failures(
  engine: Engine,
  vectors: readonly Vector[],
  allowed: readonly string[],
  options: object = {},
): string[] {
  const answer = answerer({ ...library, audit }, engine, options);
  return vectors.flatMap((vector) => {
    const found = verdict(vector, answer(vector));
    const good = vector.expect === 'refused' ? found === 'refused' : allowed.includes(found);
    return good ? [] : [`${vector.id}: ${found}`];
  });
}

/** Losses with atoms beside a continuum: contours are smoothed there, and reach 1e-4. */
const SMOOTHED = /^(unlike-laplace|lattice-noise|whole-vectors)-/;
/** Known between bounds. */
const BETWEEN = /^binned-matrix-/;
/** Of the former, as many as conformance/README.md says. */
const MOST_CONTAINED = 14;

/** The ids of vectors that are not answered sharply; those of smoothed contours, and those known between bounds, may be contained. */
export function unsharp(engine: Engine, given: readonly Vector[]): string[] {
  const [between, vectors] = [true, false].map((is) => given.filter(({ id }) => BETWEEN.test(id) === is));
  const [smoothed, others] = [true, false].map((is) => vectors.filter(({ id }) => SMOOTHED.test(id) === is));
  const contained = failures(engine, smoothed, ['sharp']);
  return [
    ...failures(engine, between, ['sharp', 'contained']),
    ...failures(engine, others, ['sharp']),
    ...contained.filter((found) => contained.length > MOST_CONTAINED || !found.endsWith('contained')),
  ];
}
