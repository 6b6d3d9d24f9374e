export function withTables(wasm: Uint8Array): Promise<Buffer>;
export function withoutExports(wasm: Uint8Array, names: Iterable<string>): Buffer;
