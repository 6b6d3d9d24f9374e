/** All methods that a run may ask: closed forms, moment generating functions of the families of pairs, contours and grids. */
export { displacedLaw, displacedReplacedLaw } from '../../law/displaced-law.js';
export { attainedAtoms, clonesAtoms } from '../../law/shuffle-model.js';
export { listedRuns } from '../closed/composed-atoms.js';
export { patternRuns } from '../closed/sample-patterns.js';
export { splineRun } from '../closed/spline-run.js';
export { twoLists } from '../closed/two-lists.js';
export { SpectralRun } from '../contour/contour-run.js';
export { allocationSpectrum } from '../contour/step/allocation-law.js';
export { blendedSpectrum } from '../contour/step/blended-spectrum.js';
export { gaussianSpectrum } from '../contour/step/gaussian-spectrum.js';
export {
  atomicSpectrum,
  exponentialSpectrum,
  mixtureSpectrum,
  subsampledGaussianSpectrum,
} from '../contour/step/kernel-law.js';
export { WholeBetween } from '../contour/whole-between.js';
export { WholeRun } from '../contour/whole-run.js';
export { coarseGridRun, gridRun } from '../grid/grid-run.js';
