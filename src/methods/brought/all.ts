/** All methods that a run may ask: closed forms, moment generating functions of the families of pairs, contours and grids. */
export { displacedLaw, displacedReplacedLaw } from '../../law/displaced-law.js';
export { attainedAtoms, clonesAtoms } from '../../law/shuffle-model.js';
export { listedRuns } from '../closed/composed-atoms.js';
export { patternRuns } from '../closed/sample-patterns.js';
export { splineRun } from '../closed/spline-run.js';
export { twoLists } from '../closed/two-lists.js';
export { SpectralRun } from '../contour/contour-run.js';
export { kernelStepOf, logMomentAbove, sampledRunOf } from '../contour/kernel-step.js';
export { RunContours } from '../contour/run-contours.js';
export { WholeBetween } from '../contour/whole-between.js';
export { WholeRun } from '../contour/whole-run.js';
export { coarseGridRun, gridRun } from '../grid/grid-run.js';
