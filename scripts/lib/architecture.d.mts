export function withFloors(page: string): string;
