/** The methods that any run may ask, and the transforms of the mechanism that most runs are made of. */
export { SpectralRun } from '../contour/contour-run.js';
export { CUTS, cutRun } from '../contour/cut-run.js';
export { Contour } from '../contour/line/contour.js';
export { chernoffAt, logChernoff, logDeltaNear, logFprNear, saddleOf } from '../contour/line/contour-plan.js';
export { least, whereReached } from '../contour/line/threshold-guess.js';
export { sumsBeyond } from '../contour/line/truncation.js';
export { lawsApart, lawTogether } from '../contour/phases/together.js';
export { gaussianSpectrum } from '../contour/step/gaussian-spectrum.js';
export { subsampledGaussianSpectrum } from '../contour/step/subsampled-gaussian.js';
export { gridRun } from '../grid/grid-run.js';
