/** The page with the table of theorems between its markers as it is now. */
export function withTheorems(page: string, theorems: object): string;
