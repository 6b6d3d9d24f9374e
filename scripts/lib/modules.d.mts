export const MODULES: string;
export function moduleOf(path: string): string | undefined;
export function compileModules(): void;
export function writeModule(name: string, source: string, modules: string): void;
/** The folders whose sources are modules. */
export const FOLDERS: readonly string[];
