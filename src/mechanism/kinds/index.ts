/**
 * Every kind of single release: its interface, its builder and its facts. Private searches and `joint`, which contain other mechanisms, are
 * elsewhere.
 */
export * from './adaptive-clipping.js';
export * from './balls-and-bins.js';
export * from './binned-matrix.js';
export * from './bounded-range.js';
export * from './capped-poisson.js';
export * from './discrete-gaussian.js';
export * from './discrete-gaussian-vector.js';
export * from './discrete-laplace.js';
export * from './divided-sgd.js';
export * from './epsilon-delta.js';
export * from './gaussian.js';
export * from './gaussian-mixture.js';
export * from './integer-noise.js';
export * from './laplace.js';
export * from './last-iterate.js';
export * from './matrix-mechanism.js';
export * from './noisy-max.js';
export * from './renyi.js';
export * from './shuffle-model.js';
export * from './shuffled.js';
export * from './trade-off.js';
export * from './with-replacement.js';
