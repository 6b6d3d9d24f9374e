/** In WebAssembly the bindings write the tables: see ready.ts. */
export function prepare(): void {}

export function complement(): void {}
