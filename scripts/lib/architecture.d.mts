export function withFloors(page: string): string;
export function withPolicy(page: string, source: string): string;
export function rulesOf(source: string): string[];
