export function withFloors(page: string): string;
export function withPolicy(
  page: string,
  policy: readonly {
    readonly name: string;
    readonly under: readonly string[];
    readonly where: string;
    readonly cost: string;
    readonly width: string;
  }[],
): string;
