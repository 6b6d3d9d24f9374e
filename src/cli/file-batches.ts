import { type BatchPhase, batchPhases, epochsText, IN_EPOCHS, underLoader } from '../mechanism/loaders.js';
import type { Mechanism } from '../mechanism/mechanism.js';
import { down, LONG_SUM } from '../numeric/rounding.js';
import type { RecognisedRun } from '../read/index.js';
import { shortDecimal } from '../text/decimal.js';
import { type Args, UsageError } from './args.js';
import type { Context } from './command.js';
import { BESIDE_LOADER, type PhaseSampling } from './phase-flags.js';

/**
 * The mechanism of a file with other batches: noise and steps are the file's, the loader is that of --sampling. A file states a
 * rate, but seldom how batches were drawn. A note says what is assumed for the batches of an epoch.
 *
 * @throws UsageError if the file and the options do not determine the batches, or an option has no effect.
 */
export function loadedAs(
  source: { readonly title: string; readonly mechanism: Mechanism; readonly read: RecognisedRun },
  loader: PhaseSampling,
  args: Args,
  { note }: Pick<Context, 'note'>,
): Mechanism {
  const { title, mechanism, read } = source;
  const phases = batchPhases(mechanism);
  if (phases === undefined) {
    const shuffler = loader === 'shuffled' ? `. ${SHUFFLER}` : '';
    throw new UsageError(
      `"--sampling" beside a FILE needs Gaussian steps on batches smaller than the data set: none in ${title}${shuffler}`,
    );
  }
  const inEpochs = IN_EPOCHS.includes(loader);
  const capped = loader === 'capped-poisson';
  const of = `does not go with --sampling ${loader}`;
  args.without(inEpochs ? ['batch-cap'] : ['bins', 'drop-last', ...(capped ? [] : ['batch-cap'])], of);
  if (args.has('bins')) args.without(['drop-last'], 'says how many batches there are, as "--bins" does');
  if (args.has('epochs') && phases.length > 1)
    throw new UsageError(`"--epochs" beside a FILE is of one phase: ${title} has ${phases.length}`);
  const datasetSize = args.number('dataset-size') ?? read.facts.datasetSize;
  const batchCap = args.number('batch-cap');
  if (capped && batchCap !== undefined && datasetSize === undefined)
    throw new UsageError(`"--dataset-size" is needed: the records that ${title} draws from`);
  const cap = batchCap === undefined ? {} : { cap: { datasetSize: datasetSize!, batchCap } };
  const told = phases.map((phase) =>
    phase.rate === 1 ? phase : { ...(inEpochs ? binned(phase, args) : repeated(phase, args)), ...cap },
  );
  const loaded = loader === 'with-replacement' ? undefined : underLoader(told, loader);
  if (loaded === undefined) {
    const way = capped ? '--batch-cap and --dataset-size' : 'the sizes of the batches instead of FILE';
    throw new UsageError(`"--sampling ${loader}" needs more than ${title} says: give ${way}`);
  }
  if (inEpochs) for (const phase of told) note(`${title}: ${epochsText(phase)}`);
  return loaded;
}

/** A hint for `--sampling shuffled` with a file that has no Gaussian batches: the mechanism for shuffled reports of local randomisers. */
const SHUFFLER =
  'A shuffler of local randomisers is a mechanism of its own: {"kind": "shuffle-model", "epsilon": …, "users": …}';

/** @throws UsageError for options on batches that have no meaning without --sampling. */
export function withoutLoader(args: Args): void {
  args.without(BESIDE_LOADER, 'beside a FILE needs --sampling');
}

/** The phase for the number of epochs asked for. */
function repeated(phase: BatchPhase, args: Args): BatchPhase {
  const epochs = args.number('epochs');
  return epochs === undefined
    ? phase
    : { ...phase, steps: epochs * Math.ceil(down(1 / phase.rate, LONG_SUM)) };
}

/** The phase with the number of batches per epoch that is given, or that follows from its rate. It is rounded only with --drop-last. */
function binned(phase: BatchPhase, args: Args): BatchPhase {
  const exact = 1 / phase.rate;
  const given = args.number('bins');
  const near = Math.round(exact);
  const divides = Math.abs(exact - near) <= LONG_SUM * exact;
  const full = Math.floor(exact);
  if (given === undefined && !divides && !args.has('drop-last'))
    throw new UsageError(
      `a rate of ${shortDecimal(phase.rate)} is no whole number of batches an epoch. Give --bins ${full + 1} (the last one smaller), --bins ${full} or --drop-last`,
    );
  const bins = given ?? (divides ? near : full);
  const epochs = args.number('epochs');
  const dropped = given === undefined && !divides ? { leftOut: 1 - full * phase.rate } : {};
  return { ...phase, bins, ...dropped, steps: epochs === undefined ? phase.steps : epochs * bins };
}
