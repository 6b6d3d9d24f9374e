import { placed, requireCount, requireFields, requireList, requireOneOf, wrongValue } from '../errors.js';
import { type Adjacency, requireAdjacency } from '../mechanism/adjacency.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { parseMechanism } from '../mechanism/parse.js';

/** A mechanism that a stream has been given, and how often. */
export interface Kept {
  readonly mechanism: Mechanism;
  readonly count: number;
}

/** Kinds of steps that a stream keeps: some 40 MB. Memory and the time of a question hang on it. */
export const MOST_KINDS = 100_000;

const FORMAT = 'gdp-kernel-stream';
/** Of the data; others are refused. */
const VERSION = 5;
const FIELDS = ['format', 'version', 'adjacency', 'steps', 'ledger'];

/** What a stream remembers, as plain JSON data. */
export function historyToJson(
  adjacency: Adjacency,
  kept: Iterable<Kept>,
  ledger: { toJSON(): object } | undefined,
): object {
  const steps = [...kept];
  return { format: FORMAT, version: VERSION, adjacency, steps, ...(ledger && { ledger: ledger.toJSON() }) };
}

/** @throws TypeError | RangeError naming what is wrong. */
export function historyFromJson(data: unknown): {
  adjacency: Adjacency;
  steps: Kept[];
  ledger: unknown;
} {
  requireFields('stream', data, FIELDS);
  const { format, version, adjacency, steps, ledger } = data as Record<string, unknown>;
  requireOneOf('format', format, [FORMAT] as const);
  if (version !== VERSION) throw wrongValue('version', String(VERSION), version);
  return {
    adjacency: requireAdjacency(adjacency),
    steps: requireList('steps', steps, 'steps', 0, MOST_KINDS).map((step, i) => {
      const place = `steps[${i}]`;
      requireFields(place, step, ['count', 'mechanism']);
      const { count, mechanism } = step as Record<string, unknown>;
      try {
        return { count: requireCount('count', count), mechanism: parseMechanism(mechanism) };
      } catch (error) {
        throw placed(error, place);
      }
    }),
    ledger,
  };
}
