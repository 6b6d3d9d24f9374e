export const POOL: string;
export function constantPool(): string;
