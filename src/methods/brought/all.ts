/** The methods that any run may ask, and the transforms of the mechanism that most runs are made of. */
export { SpectralRun } from '../contour/contour-run.js';
export { CUTS, cutRun } from '../contour/cut-run.js';
export { gaussianSpectrum } from '../contour/step/gaussian-spectrum.js';
export { subsampledGaussianSpectrum } from '../contour/step/subsampled-gaussian.js';
export { WholeRun } from '../contour/whole-run.js';
export { coarseGridRun, gridRun } from '../grid/grid-run.js';
