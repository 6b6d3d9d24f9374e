export function pythonMechanisms(
  schema: object,
  examples: readonly object[],
  kinds: readonly string[],
): string;
