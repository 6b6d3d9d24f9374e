/** Nothing to do: see ready.ts. */
export function prepare(): void {}

export function complement(): void {}
