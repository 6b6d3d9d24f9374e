/** Laws of steps whose outputs are never truncated. */
import { EXPONENTIAL } from '../../src/kernel/constants.js';
import { Atoms } from './atoms.js';
import { ExponentialShape } from './exponential-shape.js';
import { PlainExponential } from './plain-exponential.js';
import { SampledExponential } from './sampled-exponential.js';
import { StepLaw } from './step-law.js';

/**
 * The law of `count` steps of a kind, EXPONENTIAL or ATOMS, whose parameters are at the address `own`.
 * @param depth −log of the relative accuracy of integrals over outputs.
 */
export function wholeLaw(kind: f64, own: usize, depth: f64, count: f64): StepLaw {
  if (kind !== EXPONENTIAL) return new Atoms(own, count);
  const shape = new ExponentialShape(own);
  if (shape.rate < 1) return new SampledExponential(shape, depth, count);
  return new PlainExponential(shape, count);
}
