export function hostKernel(): Promise<Buffer>;
export function withoutBodies(wasm: Uint8Array, names: ReadonlySet<string>): Buffer;
