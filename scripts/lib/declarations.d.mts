export interface Documentation {
  readonly text: string;
  readonly tags: readonly { readonly name: string; readonly text: string }[];
}

/** A node of the syntax tree. */
export type Declared = object & { readonly name?: { getText(): string } };

export interface Exported {
  readonly name: string;
  readonly path: string;
  readonly entries: string[];
  readonly nodes: readonly Declared[];
}

export function entrySources(): [entry: string, path: string][];
export function exportedDeclarations(): Exported[];
export function documentationOf(node: Declared): Documentation | undefined;
export function membersOf(node: Declared): readonly Declared[];
export function isCode(node: Declared): boolean;
export function takesSomething(node: Declared): boolean;
export function isDiscriminant(member: Declared): boolean;
