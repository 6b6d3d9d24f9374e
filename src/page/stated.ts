import { batchesAnEpoch, hasWholeEpochs, wholeEpochs } from './loaders.js';
import { phasesOf, type Setting } from './state.js';

/**
 * The run of a setting with all tries, as a file states it to the library. Every answer, and every text that leaves the page, is
 * about this run.
 */
export function statedRun(s: Setting): object {
  const { loader, tries, records, sigma: noiseMultiplier, size: datasetSize, cap: batchCap = s.batch } = s;
  if (s.mechanism !== undefined) return tried(tries, s.mechanism);
  if (hasWholeEpochs(s))
    return repeated(wholeEpochs(s) * tries, { kind: loader, noiseMultiplier, bins: batchesAnEpoch(s) });
  const phases = phasesOf(s);
  const [{ rate, steps: often }] = phases;
  if (loader === 'capped-poisson')
    return repeated(often * tries, { kind: loader, noiseMultiplier, rate, datasetSize, batchCap });
  // every try of a shuffle begins a pass of its own
  const together = phases.length === 1 && loader !== 'shuffled';
  const persons = ofPersons(s) && s.neighbours !== 'replace-one';
  // the sum of all of a person's gradients: their number times the sensitivity
  const louder = loader === 'all' && !persons ? records : 1;
  const parts = phases.map(({ sigma, rate, steps }) => ({
    kind: 'dp-sgd',
    noiseMultiplier: sigma / louder,
    samplingRate: loader === 'all' ? 1 : rate,
    steps: together ? steps * tries : steps,
    ...(persons && { recordsPerPerson: records }),
  }));
  const run = parts.length === 1 ? parts[0] : { kind: 'compose', parts };
  return together ? run : tried(tries, run);
}

/** Whether there is a theorem on all of a person's records at once. */
export function ofPersons({ loader, neighbours, records, mechanism }: Setting): boolean {
  if (mechanism !== undefined || records === 1) return false;
  return loader === 'all' || (loader === 'poisson' && neighbours !== 'replace-one');
}

function repeated(count: number, inner: object): object {
  return { kind: 'repeat', count, inner };
}

function tried(tries: number, run: object): object {
  return tries === 1 ? run : repeated(tries, run);
}
