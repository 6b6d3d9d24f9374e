/** What a compilation of assembly/ gives. */
export interface CompiledKernel {
  readonly wasm: Uint8Array<ArrayBuffer>;
  readonly fingerprint: string;
  readonly sources: readonly string[];
  readonly sourceMap: string | undefined;
}

export function compileKernel(
  target?: 'release' | 'debug',
  edited?: Readonly<Record<string, string>>,
): Promise<CompiledKernel>;
