/** The JavaScript of a TypeScript file. */
export function stripTypes(path: string): { code: string };
/** Short names and short expressions. */
export function minified(name: string, code: string): string;
