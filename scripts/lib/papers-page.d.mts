export const ENTRIES: Readonly<Record<string, string>>;
export type PaperRow = [
  item: string,
  functions: string[],
  command: string,
  example: string,
  exact: number,
  slack: number,
  note: string,
];
export const PAPERS: readonly [string, PaperRow[]][];
export function exportsOf(modules: object): Record<string, string[]>;
export function sources(root: string): string[];
export function docstrings(texts: readonly string[]): Record<string, string>;
export function answer(lib: object, engine: object, example: string): unknown;
export function papersPage(
  lib: object,
  engine: object,
  entries: Record<string, string[]>,
  documented: Record<string, string>,
): string;
