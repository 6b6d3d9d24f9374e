import { compose, dpSgd } from '../../src/mechanism/mechanism.js';
import { completeDetails } from '../../src/report/details.js';
import type { Report } from '../../src/report/report-types.js';

/** A report made by hand, for tests of how reports are shown. Its numbers are nobody's guarantee. */
export function sampleReport(changes: Partial<Report> = {}): Report {
  return {
    format: 'gdp-kernel-report/1',
    title: 'Privacy report: example.json',
    version: '1.2.3',
    engine: 'wasm',
    adjacency: 'add-remove',
    sampling: 'poisson',
    mechanism: compose([
      dpSgd({ noiseMultiplier: 1.3, samplingRate: 0.004, steps: 5000 }),
      dpSgd({ noiseMultiplier: 0.9, samplingRate: 0.004, steps: 500 }),
    ]),
    tolerance: 1e-6,
    method: 'grid',
    limitedBy: 'tolerance',
    epsilonAtDelta: [
      { delta: 1e-5, epsilon: { lower: 1.1529679, upper: 1.1529683 } },
      { delta: 1e-6, epsilon: { lower: 1.34, upper: 1.341 } },
    ],
    mu: { lower: 0.2812, upper: 0.28121 },
    rates: 'some',
    regret: { lower: 0.0005, upper: 0.00051 },
    alphaMin: 1e-10,
    logAlphaMin: Math.log(1e-10),
    epsilonHead: 2.1,
    muAllRates: { lower: 71, upper: 72 },
    tier: 'I',
    advantage: { lower: 0.111, upper: 0.11101 },
    truePositiveRate: [
      { falsePositiveRate: 0.0001, truePositiveRate: { lower: 0.0003, upper: 0.00031 } },
      { falsePositiveRate: 0.001, truePositiveRate: { lower: 0.0024, upper: 0.00250001 } },
    ],
    tradeoff: [
      { alpha: 1e-4, beta: { lower: 0.9996, upper: 0.9997 } },
      { alpha: 1e-3, beta: { lower: 0.995, upper: 0.9951 } },
    ],
    fixedPoint: { lower: 0.444495, upper: 0.4445 },
    details: completeDetails({ unit: 'one patient', contact: 'privacy@example.org' }),
    alternatives: [
      {
        change: 'twice-the-steps',
        title: 'Twice the steps',
        how: 'Every phase run twice as long.',
        numbers: {
          epsilonAtDelta: [
            { delta: 1e-5, epsilon: { lower: 1.71, upper: 1.7101 } },
            { delta: 1e-6, epsilon: { lower: 1.98, upper: 1.9801 } },
          ],
          advantage: { lower: 0.155, upper: 0.15501 },
          mu: { lower: 0.3976, upper: 0.39765 },
        },
      },
      { change: 'other-adjacency', title: 'Replaced', how: 'Not computed.', numbers: null },
    ],
    ...changes,
  };
}
