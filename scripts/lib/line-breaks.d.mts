export function breakLines(code: string, tree: object, width: number): string;
