/** Exports of kernel.wasm: the ABI of the bindings, and functions for hosts without JavaScript. */
export * from './host.js';
export * from './host-run.js';
export * from './index.js';
