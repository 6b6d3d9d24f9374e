export function moduleOf(path: string): string | undefined;
export function compileModules(): void;
