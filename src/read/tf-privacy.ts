import {
  InputSyntaxError,
  InputTypeError,
  quotable,
  requireBoolean,
  requireNumber,
  requirePositive,
  requireShare,
  requireWhole,
  unknownName,
} from '../errors.js';
import { dpSgd } from '../mechanism/mechanism.js';
import type { RecognisedRun, RunFacts } from './recognised.js';

/** Our name of each number, by the name of the tool's flag and by that of its function's argument. */
const NAMES: Readonly<Record<string, Name>> = {
  N: 'examples',
  n: 'examples',
  number_of_examples: 'examples',
  batch_size: 'batchSize',
  noise_multiplier: 'noiseMultiplier',
  epochs: 'epochs',
  num_epochs: 'epochs',
  used_microbatching: 'microbatching',
  delta: 'delta',
  max_examples_per_user: 'maxExamplesPerUser',
};
const NEEDED = ['examples', 'batchSize', 'noiseMultiplier', 'epochs'] as const;
type Name = (typeof NEEDED)[number] | 'microbatching' | 'delta' | 'maxExamplesPerUser';

/** Whether parsed JSON holds flags of TF-privacy. */
export function isTfFlags(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'batch_size' in value && 'noise_multiplier' in value;
}

/** Whether the text is a command line with the tool's flags. */
export function looksLikeFlags(text: string): boolean {
  return /(^|\s)--?(N|batch_size|noise_multiplier|epochs)[\s=]/.test(text);
}

/** Whether the text holds what TF-privacy prints of a run. */
export function looksLikeStatement(text: string): boolean {
  return /DP-SGD\s+(performed\s+over|with\s+sampling\s+rate)/.test(text);
}

/**
 * Reads the flags of TF-privacy's compute_dp_sgd_privacy: as an object of parsed JSON, or as text
 * (`--N=60000 --batch_size 256 …`).
 *
 * Batches are taken as Poisson samples with rate batch_size/N; steps are epochs·N/batch_size, rounded up;
 * microbatching doubles the sensitivity of a step and so halves its noise multiplier.
 *
 * @throws SyntaxError | TypeError | RangeError naming the flag that is missing, unknown or wrong.
 */
export function tfFlagsRun(value: unknown): RecognisedRun {
  const given = typeof value === 'string' ? flagsOf(value) : (value as Record<string, unknown>);
  return runOf(given, 'tf-privacy-flags', {});
}

function runOf(
  given: Readonly<Record<string, unknown>>,
  format: 'tf-privacy-flags' | 'tf-privacy-statement',
  stated: Pick<RunFacts, 'accountant' | 'statedEpsilon'>,
): RecognisedRun {
  const { named, flagOf } = namedIn(given);
  const whole = (name: Name): number => requireWhole(flagOf[name]!, named[name], 1, Number.MAX_SAFE_INTEGER);
  const [examples, batchSize] = [whole('examples'), whole('batchSize')];
  const noiseMultiplier = requireNumber('noise_multiplier', named.noiseMultiplier, 'a finite number >= 0');
  const epochs = requirePositive(flagOf.epochs!, named.epochs);
  const microbatching = requireBoolean('used_microbatching', named.microbatching ?? true);
  const delta = named.delta === undefined ? undefined : requireShare('delta', named.delta);
  const perUser = named.maxExamplesPerUser === undefined ? undefined : whole('maxExamplesPerUser');
  const samplingRate = requireNumber(
    'batch_size',
    batchSize / examples,
    `at most the ${examples} examples`,
    (rate) => rate <= 1,
  );
  const steps = requireNumber(
    'epochs',
    Math.ceil((epochs * examples) / batchSize),
    'such that steps are below 2^53',
    Number.isSafeInteger,
  );
  const notes = [
    ...(named.microbatching === undefined
      ? ['used_microbatching is not given: taken as true, its default, which halves the noise multiplier']
      : []),
    `batches are taken as Poisson samples of rate ${batchSize}/${examples}; shuffled batches are not covered`,
    ...(microbatching
      ? ['microbatching doubles the sensitivity: half the noise multiplier is accounted']
      : []),
    ...(perUser === undefined || perUser === 1
      ? []
      : [`the guarantee is for one example, not for a user with up to ${perUser}`]),
  ];
  return {
    format,
    mechanism: dpSgd({
      noiseMultiplier: microbatching ? noiseMultiplier / 2 : noiseMultiplier,
      samplingRate,
      steps,
    }),
    facts: {
      sampling: 'poisson',
      adjacency: 'add-remove',
      batchSize,
      datasetSize: examples,
      epochs,
      ...(delta !== undefined && { delta }),
      ...(perUser !== undefined && { maxExamplesPerUser: perUser }),
      ...stated,
    },
    notes,
  };
}

/** The numbers that flags give, by our names, and the flag of each. */
function namedIn(given: Readonly<Record<string, unknown>>) {
  const named: Partial<Record<Name, unknown>> = {};
  const flagOf: Partial<Record<Name, string>> = {};
  for (const [flag, each] of Object.entries(given)) {
    if (!Object.hasOwn(NAMES, flag)) throw unknownName(flag, 'TF-privacy has', Object.keys(NAMES));
    if (each === null) continue;
    const name = NAMES[flag];
    if (flagOf[name] !== undefined)
      throw new InputTypeError(`"${flagOf[name]}" and "${flag}" are two names of one number`);
    named[name] = each;
    flagOf[name] = flag;
  }
  for (const name of NEEDED) {
    if (named[name] !== undefined) continue;
    const flag = Object.keys(NAMES).find((each) => NAMES[each] === name);
    throw new InputTypeError(`"${flag}" is missing: TF-privacy's flags need it`);
  }
  return { named, flagOf };
}

const NUMBER = '([0-9][0-9.eE+-]*|inf)';
const STATEMENT = new RegExp(
  `DP-SGD performed over ${NUMBER} examples with ${NUMBER} examples per iteration, noise multiplier ${NUMBER} for ${NUMBER} epochs (with|without) microbatching, and (?:no bound on number of|at most ${NUMBER}) examples per user`,
);
const OLD_STATEMENT = new RegExp(
  `DP-SGD with sampling rate = ${NUMBER}% and noise_multiplier = ${NUMBER} iterated over ${NUMBER} steps satisfies differential privacy with eps = ${NUMBER} and delta = ${NUMBER}\\.`,
);
const GUARANTEE = new RegExp(`at delta = ${NUMBER} computed with (\\w+) accounting`);
const POISSON_EPSILON = new RegExp(`assuming Poisson sampling \\(\\*\\): ${NUMBER}`);

/**
 * Reads the statement that TF-privacy's compute_dp_sgd_privacy_statement prints, or the line that earlier versions
 * print, from a text that contains it.
 *
 * @throws SyntaxError | TypeError | RangeError, in one sentence, if the statement is not complete.
 */
export function tfStatementRun(text: string): RecognisedRun {
  const flat = text.replace(/\s+/g, ' ');
  const found = STATEMENT.exec(flat);
  if (found === null) return oldStatementRun(flat);
  const [, examples, batchSize, noiseMultiplier, epochs, microbatching, perUser] = found;
  const [, delta, accountant] = GUARANTEE.exec(flat) ?? [];
  const [, epsilon] = POISSON_EPSILON.exec(flat) ?? [];
  const flags = {
    number_of_examples: Number(examples),
    batch_size: Number(batchSize),
    noise_multiplier: Number(noiseMultiplier),
    epochs: Number(epochs),
    used_microbatching: microbatching === 'with',
    delta: delta === undefined ? null : Number(delta),
    max_examples_per_user: perUser === undefined ? null : Number(perUser),
  };
  return runOf(flags, 'tf-privacy-statement', {
    ...(accountant !== undefined && { accountant: accountant.toLowerCase() }),
    ...(epsilon !== undefined && { statedEpsilon: epsilonOf(epsilon) }),
  });
}

function oldStatementRun(flat: string): RecognisedRun {
  const found = OLD_STATEMENT.exec(flat);
  if (found === null) {
    throw new InputSyntaxError(
      'it is a statement of TF-privacy, but not whole: "DP-SGD …" does not end as usual',
    );
  }
  const [, percent, noiseMultiplier, steps, epsilon, delta] = found;
  return {
    format: 'tf-privacy-statement',
    mechanism: dpSgd({
      samplingRate: requireNumber('sampling rate', Number(percent), 'at most 100 %', (x) => x <= 100) / 100,
      noiseMultiplier: Number(noiseMultiplier),
      steps: Number(steps),
    }),
    facts: {
      sampling: 'poisson',
      adjacency: 'add-remove',
      accountant: 'rdp',
      delta: requireShare('delta', Number(delta)),
      statedEpsilon: epsilonOf(epsilon),
    },
    notes: [
      'the statement rounds its sampling rate to 3 digits, so the brackets are those of the rounded rate',
      'batches are taken as Poisson samples; shuffled batches are not covered',
    ],
  };
}

function epsilonOf(text: string): number {
  return requireNumber(
    'epsilon',
    text === 'inf' ? Infinity : Number(text.replace(/\.$/, '')),
    'a number >= 0',
  );
}

/** `--name=value`, `--name value`, `--name` and `--noname`, as absl reads them. */
function flagsOf(text: string): Record<string, unknown> {
  const words = text.split(/[\s\\]+/).filter((word) => word !== '');
  const flags: Record<string, unknown> = Object.create(null);
  for (let i = 0; i < words.length; i++) {
    const match = /^--?([A-Za-z_]\w*)(?:=(.*))?$/.exec(words[i]);
    if (match === null) {
      if (Object.keys(flags).length === 0) continue; // words before the first flag are the command
      throw new InputSyntaxError(`it is flags of TF-privacy, but "${quotable(words[i])}" is none`);
    }
    const [, word, inline] = match;
    const bare = inline === undefined && /^(no)?used_microbatching$/.test(word);
    const name = bare ? 'used_microbatching' : word;
    if (name in flags)
      throw new InputSyntaxError(`it is flags of TF-privacy, but --${quotable(name)} is given twice`);
    if (bare) {
      flags[name] = !word.startsWith('no');
      continue;
    }
    const value = inline ?? words[++i];
    if (value === undefined)
      throw new InputSyntaxError(`it is flags of TF-privacy, but --${quotable(name)} has no value`);
    flags[name] = scalarOf(value);
  }
  return flags;
}

function scalarOf(text: string): unknown {
  if (/^(true|false)$/i.test(text)) return /^t/i.test(text);
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : text;
}
