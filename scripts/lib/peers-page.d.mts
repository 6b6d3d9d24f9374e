interface Group {
  readonly peer: string;
  readonly test: string;
  readonly tolerance: number;
  readonly by?: string;
  readonly rows: readonly (readonly unknown[])[];
}
/** How many values are compared in all, and how many of them are exceptions. */
export function valuesCompared(groups: readonly Group[]): { total: number; exceptions: number };
/** docs/public-values.md. */
export function publicValuesPage(groups: readonly Group[]): string;
/** docs/guide/migration.md with its table of events. */
export function withEvents(
  page: string,
  golden: { events: object; groups: readonly Group[] },
  answer: (event: string) => { kind: string; neighbours: string; epsilon: string },
): string;
