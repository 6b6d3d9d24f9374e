/** Readers of what training libraries and accountants save: a run, whatever its file is. */
export type { ByteSource } from './byte-source.js';
export { parseOpacusState } from './opacus.js';
export { recognise } from './recognise.js';
export type { ReadOptions, RecognisedRun, RunFacts, RunFormat } from './recognised.js';
