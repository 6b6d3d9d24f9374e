import { wrongValue } from '../errors.js';
import type { Adjacency } from '../mechanism/adjacency.js';
import type { Basic, Rdp, Tabulated, Zcdp } from '../mechanism/basic.js';
import type { Step } from '../mechanism/steps.js';
import { atomicLaw } from './atomic-law.js';
import {
  approximateDpAtoms,
  discreteGaussianAtoms,
  discreteLaplaceAtoms,
  randomizedResponseAtoms,
} from './atoms.js';
import { boundedRangeLaw, laplaceLaw } from './exponential-law.js';
import { gaussianLaw } from './gaussian-law.js';
import type { InnerLaw } from './inner-law.js';
import { rdpAtoms, zcdpAtoms } from './renyi-profile.js';
import { tabulatedAtoms } from './tabulated-atoms.js';

/** Steps in add/remove units, with those that reveal nothing left out and what composes exactly merged. */
export function reduceSteps(steps: readonly Step[], adjacency: Adjacency): Step[] {
  const reduced: Step[] = [];
  let gaussianSquare = 0;
  let rho = 0;
  for (const step of steps) {
    requireTheorem(step, adjacency);
    const mechanism = adjacency === 'replace-one' ? doubled(step.mechanism) : step.mechanism;
    if (revealsNothing(mechanism)) continue;
    const mu = step.sampling === 'all' ? gaussianMuOf(mechanism) : undefined;
    if (mu !== undefined && mu < Infinity) gaussianSquare += step.count * mu * mu;
    else if (mechanism.kind === 'zcdp' && step.sampling === 'all') rho += step.count * mechanism.rho;
    else if (mechanism.kind === 'rdp' && step.sampling === 'all') {
      const points = mechanism.points.map(({ order, epsilon }) => ({ order, epsilon: epsilon * step.count }));
      addRdp(reduced, { kind: 'rdp', points });
    } else reduced.push({ ...step, mechanism });
  }
  const once = { sampling: 'all', rate: 1, count: 1 } as const;
  if (rho > 0) reduced.push({ mechanism: { kind: 'zcdp', rho }, ...once });
  // any number of plain Gaussians is one Gaussian (GDP cor. 3.3)
  if (gaussianSquare > 0)
    reduced.push({ mechanism: { kind: 'gdp', mu: Math.sqrt(gaussianSquare) }, ...once });
  return reduced;
}

/** Rényi divergences at the same orders add up; tables with other orders stay apart. */
function addRdp(steps: Step[], mechanism: Extract<Basic, { kind: 'rdp' }>): void {
  const same = steps.findIndex(
    ({ mechanism: other, sampling }) =>
      other.kind === 'rdp' &&
      sampling === 'all' &&
      other.points.length === mechanism.points.length &&
      other.points.every(({ order }, i) => order === mechanism.points[i].order),
  );
  if (same < 0) {
    steps.push({ mechanism, sampling: 'all', rate: 1, count: 1 });
    return;
  }
  const { points } = steps[same].mechanism as typeof mechanism;
  const sum = points.map(({ order, epsilon }, i) => ({
    order,
    epsilon: epsilon + mechanism.points[i].epsilon,
  }));
  steps[same] = { ...steps[same], mechanism: { kind: 'rdp', points: sum } };
}

function requireTheorem({ sampling }: Step, adjacency: Adjacency): void {
  if (sampling === 'poisson' && adjacency !== 'add-remove') {
    throw wrongValue('adjacency', 'add-remove for Poisson-subsampled steps', adjacency);
  }
  if (sampling === 'without-replacement' && adjacency !== 'replace-one') {
    throw wrongValue('adjacency', 'replace-one for steps sampled without replacement', adjacency);
  }
}

/** Replacing one record is removing one and adding another: twice the sensitivity. */
function doubled(mechanism: Basic): Basic {
  switch (mechanism.kind) {
    case 'gaussian':
      return { ...mechanism, noiseMultiplier: mechanism.noiseMultiplier / 2 };
    case 'laplace':
    case 'discrete-gaussian':
    case 'discrete-laplace':
      return { ...mechanism, sensitivity: mechanism.sensitivity * 2 };
    default:
      return mechanism;
  }
}

function revealsNothing(mechanism: Basic): boolean {
  switch (mechanism.kind) {
    case 'gdp':
      return mechanism.mu === 0;
    case 'zcdp':
      return mechanism.rho === 0;
    case 'randomized-response':
    case 'pure-dp':
    case 'bounded-range':
      return mechanism.epsilon === 0;
    case 'approximate-dp':
      return mechanism.epsilon === 0 && mechanism.delta === 0;
    case 'rdp':
      return mechanism.points.some(({ epsilon }) => epsilon === 0);
    default:
      return false;
  }
}

/** μ of what is exactly Gaussian; ∞ for noise 0; undefined for the rest. */
export function gaussianMuOf(mechanism: Basic): number | undefined {
  if (mechanism.kind === 'gaussian') return 1 / mechanism.noiseMultiplier;
  return mechanism.kind === 'gdp' ? mechanism.mu : undefined;
}

/** Laws of tables last made: they take their time, and one account asks for the same several times. */
const recent = new Map<string, InnerLaw>();
const REMEMBERED = 4;
/** Longer tables are not remembered. */
const LONGEST_KEY = 200_000;

function remembered(mechanism: Zcdp | Rdp | Tabulated): InnerLaw {
  const key = JSON.stringify(mechanism);
  const known = recent.get(key);
  if (known !== undefined) return known;
  const law = tableLaw(mechanism);
  if (key.length > LONGEST_KEY) return law;
  recent.set(key, law);
  for (const old of recent.keys()) {
    if (recent.size <= REMEMBERED) break;
    recent.delete(old);
  }
  return law;
}

function tableLaw(mechanism: Zcdp | Rdp | Tabulated): InnerLaw {
  switch (mechanism.kind) {
    case 'zcdp':
      return atomicLaw(zcdpAtoms(mechanism.rho));
    case 'rdp':
      return atomicLaw(rdpAtoms(mechanism.points));
    case 'tabulated':
      return atomicLaw(tabulatedAtoms(mechanism.points));
  }
}

/** The dominating pair of one release, before sampling. */
export function innerLaw(mechanism: Basic): InnerLaw {
  switch (mechanism.kind) {
    case 'gaussian':
      return gaussianLaw(mechanism.noiseMultiplier);
    case 'gdp':
      return gaussianLaw(1 / mechanism.mu);
    case 'laplace':
      return laplaceLaw(mechanism.sensitivity / mechanism.scale);
    case 'bounded-range':
      return boundedRangeLaw(mechanism.epsilon);
    case 'discrete-gaussian':
      return atomicLaw(discreteGaussianAtoms(mechanism.sigma, mechanism.sensitivity));
    case 'discrete-laplace':
      return atomicLaw(discreteLaplaceAtoms(mechanism.scale, mechanism.sensitivity));
    case 'randomized-response':
      return atomicLaw(randomizedResponseAtoms(mechanism.epsilon, mechanism.categories));
    case 'pure-dp':
      return atomicLaw(randomizedResponseAtoms(mechanism.epsilon, 2));
    case 'approximate-dp':
      return atomicLaw(approximateDpAtoms(mechanism.epsilon, mechanism.delta));
    case 'zcdp':
    case 'rdp':
    case 'tabulated':
      return remembered(mechanism);
    default:
      throw wrongValue('mechanism.kind', 'a known mechanism', (mechanism as { kind: unknown }).kind);
  }
}
