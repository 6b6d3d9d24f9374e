export const EXAMPLES: readonly { readonly kind: string }[];
export function mechanismPage(lib: object, engine: object): string;
