export function logInverses(origin: number, cells: number, cellOf1: number): string;
