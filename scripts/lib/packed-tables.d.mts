export function pack(table: readonly number[], width: number): string[];
export function unpack(pieces: readonly string[]): number[];
export function withPackedTables(code: string, names: readonly string[], width: number): string;
