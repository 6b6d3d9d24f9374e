import { batchesAnEpoch, hasWholeEpochs, wholeEpochs } from './loaders.js';
import { phasesOf, type Setting } from './state.js';

/** The mechanism of a setting with all its tries, in the library's data format. All answers and all exported texts are for this mechanism. */
export function statedRun(s: Setting): object {
  const { loader, tries, records, sigma: noiseMultiplier, size: datasetSize, cap: batchCap = s.batch } = s;
  if (s.mechanism !== undefined) return tried(tries, s.mechanism);
  if (hasWholeEpochs(s))
    return repeated(wholeEpochs(s) * tries, { kind: loader, noiseMultiplier, bins: batchesAnEpoch(s) });
  const phases = phasesOf(s);
  const [{ rate, steps: often }] = phases;
  if (loader === 'capped-poisson')
    return repeated(often * tries, { kind: loader, noiseMultiplier, rate, datasetSize, batchCap });
  // each run of a shuffled loader begins a pass of its own, so runs are not merged into one longer phase
  const together = phases.length === 1 && loader !== 'shuffled';
  const persons = ofPersons(s) && s.neighbours !== 'replace-one';
  // with all records in each batch, a person changes the sum by at most `records` gradients: the sensitivity is that multiple
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

/** Whether a theorem covers all records of a person at once, without the chain of group privacy. */
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
