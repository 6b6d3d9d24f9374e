import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { EVIDENCE_KINDS, parseEvidence } from '../../src/audit/index.js';
import { MECHANISM_KINDS, parseMechanism } from '../../src/index.js';
import { CLAIM_FIELDS, CLAIM_METHODS } from '../../src/lint/claim.js';
import { parseClaim } from '../../src/lint/index.js';
import { LOADERS } from '../../src/mechanism/loaders.js';

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../schema/${name}.schema.json`, import.meta.url), 'utf8'));
const mechanismSchema = read('mechanism');
const claimSchema = read('claim');

const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: false });
ajv.addSchema(mechanismSchema);
const byMechanismSchema = ajv.getSchema('mechanism.schema.json')!;
const evidenceSchema = read('evidence');
const byEvidenceSchema = ajv.compile(evidenceSchema);
const byClaimSchema = ajv.compile(claimSchema);

function accepts(parse: (value: unknown) => unknown, value: unknown): boolean {
  try {
    parse(value);
    return true;
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) return false;
    throw error;
  }
}

const GAUSSIAN = { kind: 'gaussian', noiseMultiplier: 1 };
const VALID: Record<string, unknown>[] = [
  GAUSSIAN,
  { kind: 'laplace', scale: 2, sensitivity: 1 },
  { kind: 'discrete-gaussian', sigma: 2, sensitivity: 1 },
  { kind: 'discrete-gaussian', sigma: 2, sensitivity: 1, parties: 9 },
  { kind: 'discrete-gaussian-vector', sigma: 2, sensitivity: 2, sensitivityL1: 3, dimension: 4 },
  { kind: 'discrete-laplace', scale: 2, sensitivity: 1 },
  { kind: 'binomial', trials: 2000, sensitivity: 1 },
  { kind: 'skellam', variance: 25, sensitivity: 1 },
  { kind: 'skellam', variance: 25, sensitivity: 3, dimension: 8, sensitivityL1: 5, sensitivityL2: 4 },
  { kind: 'binned-matrix', noiseMultiplier: 2, column: [1, 0.5], steps: 9, bins: 3 },
  { kind: 'randomized-response', epsilon: 1, categories: 4 },
  { kind: 'pure-dp', epsilon: 1 },
  { kind: 'approximate-dp', epsilon: 1, delta: 1e-6 },
  { kind: 'gdp', mu: 1 },
  { kind: 'zcdp', rho: 0.5 },
  { kind: 'tcdp', rho: 0.5, omega: 8 },
  { kind: 'mcdp', mean: 0.5, tau: 1 },
  { kind: 'rdp', points: [{ order: 2, epsilon: 1 }] },
  { kind: 'bounded-range', epsilon: 1 },
  { kind: 'tabulated', points: [{ epsilon: -1, delta: 0.9 }] },
  { kind: 'gaussian-mixture', noiseMultiplier: 2, sensitivities: [0, 1], probabilities: [0.5, 0.5] },
  { kind: 'replaced-gaussian', noiseMultiplier: 2, rate: 0.5 },
  { kind: 'trade-off', points: [{ alpha: 0.1, beta: 0.5 }], linear: false },
  { kind: 'select', runs: { kind: 'negative-binomial', eta: 1, mean: 10 }, inner: GAUSSIAN },
  { kind: 'balls-and-bins', noiseMultiplier: 2, bins: 100, visited: 10 },
  { kind: 'balls-and-bins', noiseMultiplier: 2, bins: 10, binsPerRecord: 3 },
  { kind: 'shuffled', noiseMultiplier: 2, bins: 100, leftOut: 0.1 },
  { kind: 'shuffle-model', epsilon: 1, users: 100 },
  { kind: 'last-iterate', noiseMultiplier: 2, batches: 100, epochs: 10, contraction: 1 },
  { kind: 'with-replacement', noiseMultiplier: 2, sampleSize: 4, datasetSize: 100 },
  { kind: 'parallel', parts: [GAUSSIAN, GAUSSIAN] },
  {
    kind: 'iterate-phases',
    batches: 10,
    phases: [{ noiseMultiplier: 1, stepSize: 1, epochs: 2, contraction: 0.9 }],
  },
  { kind: 'random-allocation', inner: { kind: 'laplace', scale: 1, sensitivity: 1 }, bins: 10 },
  { kind: 'joint', parts: [GAUSSIAN, { kind: 'repeat', count: 2, inner: GAUSSIAN }] },
  { kind: 'capped-poisson', noiseMultiplier: 2, rate: 0.1, datasetSize: 100, batchCap: 15 },
  {
    kind: 'divided-sgd',
    noiseMultiplier: 2,
    samplingRate: 0.1,
    steps: 16,
    divisor: 'expected',
    parameters: 100,
    datasetSize: 5000,
  },
  { kind: 'adaptive-clipping', noiseMultiplier: 2, countNoise: 10, count: 'raw', total: true },
  {
    kind: 'matrix-mechanism',
    noiseMultiplier: 2,
    column: [1, -0.5],
    steps: 9,
    participations: 2,
    separation: 3,
    places: 'kept',
  },
  {
    kind: 'matrix-mechanism',
    noiseMultiplier: 2,
    matrix: [
      [1, 0],
      [0.5, 1],
    ],
  },
  { kind: 'noisy-max', epsilon: 1 },
  { kind: 'fixed-batches', noiseMultiplier: 2, bins: 5, places: 'kept' },
  { kind: 'band-mf', noiseMultiplier: 2, samplingRate: 0.1, bands: 4, steps: 9, places: 'kept' },
  { kind: 'tree-aggregation', noiseMultiplier: 2, steps: 9, places: 'kept' },
  { kind: 'dp-sgd', noiseMultiplier: 1, samplingRate: 0.1, steps: 10 },
  { kind: 'poisson-subsampled', inner: GAUSSIAN, rate: 0.5 },
  { kind: 'without-replacement', inner: GAUSSIAN, sampleSize: 1, datasetSize: 10 },
  { kind: 'repeat', inner: { kind: 'poisson-subsampled', inner: GAUSSIAN, rate: 0.5 }, count: 3 },
  { kind: 'compose', parts: [GAUSSIAN, { kind: 'compose', parts: [] }] },
];
const CLAIM: Record<string, unknown> = {
  epsilon: 1,
  delta: 1e-5,
  mu: 1,
  alphaMin: 1e-10,
  rho: 0.5,
  method: 'pld',
  approximate: false,
  adjacency: 'add-remove',
  sampling: 'poisson',
  noiseMultiplier: 1,
  samplingRate: 0.1,
  steps: 10,
  epochs: 1.5,
  datasetSize: 10,
  batchSize: 1,
  accumulation: 1,
  microbatching: true,
  searches: 2,
  searchesPaid: false,
  tuning: 'grid search over 40 settings',
  evidence: { kind: 'threshold', falsePositives: 5, nonMembers: 100, truePositives: 50, members: 100 },
  mechanism: GAUSSIAN,
};
/** The same with the noise as a standard deviation. */
const { noiseMultiplier: _, ...OTHERS } = CLAIM;
const STD_CLAIM = { ...OTHERS, noiseStd: 1, clipNorm: 1, clipGroups: 4, meanOf: 8 };
/** What a field may wrongly, or at its edges rightly, hold. */
const VALUES: unknown[] = [
  ...[
    0,
    -0.5,
    -1,
    0.5,
    1,
    1.5,
    2,
    10,
    300,
    301,
    1e-10,
    1e-13,
    0.01,
    1e4,
    1.1e6,
    1e10,
    1e301,
    2 ** 53,
    1e-320,
  ],
  ...['', '1', 'poisson', 'clt', null, true, [], {}, [1], [{}], [GAUSSIAN], GAUSSIAN],
  { kind: 'repeat', inner: GAUSSIAN, count: 1 },
  { ...GAUSSIAN, extra: 1 },
  [{ order: 1, epsilon: 1 }],
  [{ order: 2, epsilon: -1 }],
  [{ epsilon: 1 }],
  [{ epsilon: 1, delta: 2 }],
];

/** `valid` with each field dropped, each replaced by every value, and one too many. */
function variants(valid: Record<string, unknown>): unknown[] {
  const made: unknown[] = [valid, { ...valid, extra: 1 }];
  for (const field of Object.keys(valid)) {
    const { [field]: _, ...rest } = valid;
    made.push(rest, ...VALUES.map((value) => ({ ...valid, [field]: value })));
  }
  return made;
}

/** The schema cannot compare two fields; parseMechanism says so by these words. */
function isRatio(value: unknown): boolean {
  try {
    parseMechanism(value);
    return false;
  } catch (error) {
    return /such that (sensitivity|σ)|such that parameters times steps|where it is the total|at least 1 - e\^epsilon|as many as sensitivities|with sum 1|(visited|binsPerRecord)" must be a whole number from 1 to|"mechanism(\.inner)?\.sampleSize" must be a whole number from 0 to \d{1,3},/.test(
      (error as Error).message,
    );
  }
}

describe('mechanism.schema.json', () => {
  it('knows every kind', () => {
    expect(mechanismSchema.$defs.mechanism.properties.kind.enum).toEqual(
      expect.arrayContaining([...MECHANISM_KINDS]),
    );
    expect(mechanismSchema.$defs.mechanism.oneOf).toHaveLength(MECHANISM_KINDS.length);
    expect(new Set(VALID.map(({ kind }) => kind))).toEqual(new Set(MECHANISM_KINDS));
  });

  it.each(VALID.map((valid) => [valid['kind'], valid] as const))(
    'accepts of %s what parseMechanism does',
    (_, valid) => {
      expect(byMechanismSchema(valid)).toBe(true);
      let refused = 0;
      for (const value of variants(valid)) {
        if (isRatio(value)) continue;
        const accepted = accepts(parseMechanism, value);
        if (!accepted) refused++;
        expect({ value, accepted: byMechanismSchema(value) }).toEqual({ value, accepted });
      }
      expect(refused).toBeGreaterThan(20);
    },
  );

  it.each([
    [null],
    [1],
    ['gaussian'],
    [[]],
    [{}],
    [{ kind: 'toString' }],
    [{ kind: 'Gaussian', noiseMultiplier: 1 }],
  ])('refuses %j', (value) => {
    expect([byMechanismSchema(value), accepts(parseMechanism, value)]).toEqual([false, false]);
  });
});

describe('claim.schema.json', () => {
  it('knows every field', () => {
    const { $schema: _, ...fields } = claimSchema.properties;
    expect(Object.keys(fields)).toEqual(CLAIM_FIELDS);
    expect(fields.method.enum).toEqual(CLAIM_METHODS);
    expect(fields.sampling.enum).toEqual(LOADERS);
    expect(new Set([...Object.keys(CLAIM), ...Object.keys(STD_CLAIM)])).toEqual(new Set(CLAIM_FIELDS));
  });

  it('accepts what parseClaim does', () => {
    let refused = 0;
    const twice = { ...STD_CLAIM, noiseMultiplier: 1 };
    const few = [{}, null, [], 1, { $schema: 'claim.schema.json', epsilon: 1 }, twice, { clipGroups: 1 }];
    for (const value of [...few, ...variants(CLAIM), ...variants(STD_CLAIM)]) {
      const { noiseStd = 1, clipNorm = 1, meanOf = 1 } = Object(value);
      const size = Math.abs((noiseStd / clipNorm) * meanOf);
      // how far two numbers may be apart the schema cannot say
      if (size > 1e150 || (size > 0 && size < 1e-150)) continue;
      const accepted = accepts(parseClaim, value);
      if (!accepted) refused++;
      expect({ value, accepted: byClaimSchema(value) }).toEqual({ value, accepted });
    }
    expect(refused).toBeGreaterThan(300);
  });
});

describe('evidence.schema.json', () => {
  const EVIDENCE: Record<string, unknown>[] = [
    { kind: 'threshold', falsePositives: 5, nonMembers: 1e6, truePositives: 10, members: 1e6 },
    { kind: 'one-run', canaries: 1e9, guesses: 1e5, correct: 5 },
    { kind: 'scores', nonMembers: [1, 2, 3], members: [2, 3] },
    { kind: 'scores', nonMembers: [1, 2], members: [2, 3], thresholds: [1] },
    { kind: 'scores', nonMembers: [1, 2], members: [2, 3], split: { nonMembers: 1, members: 1 } },
  ];

  it('knows every kind', () => {
    const kinds = evidenceSchema.oneOf.map((one: typeof evidenceSchema) => one.properties.kind.const);
    expect(kinds).toEqual(EVIDENCE_KINDS);
  });

  it('accepts what parseEvidence does', () => {
    let [accepted, refused] = [0, 0];
    for (const valid of EVIDENCE) {
      expect({ valid, accepted: byEvidenceSchema(valid) }).toEqual({ valid, accepted: true });
      const wrong = [-1, 0.5, '1', null, Number.MAX_SAFE_INTEGER, [], {}, undefined];
      const changed = Object.keys(valid).flatMap((name) =>
        wrong.map((value) => ({ ...valid, [name]: value })),
      );
      for (const value of [...changed, { ...valid, extra: 1 }]) {
        const parsed = accepts(parseEvidence, value);
        const text = JSON.stringify(value);
        // what one field must be to another the schema does not say
        if (
          parsed ||
          /"(falsePositives|truePositives|correct|guesses|thresholds)":(\[\]|-|0\.|"|null|\{)/.test(text)
        )
          expect({ text, accepted: byEvidenceSchema(JSON.parse(text)) }).toEqual({ text, accepted: parsed });
        if (parsed) accepted++;
        else refused++;
      }
    }
    expect([accepted > 5, refused > 100]).toEqual([true, true]);
  });
});
