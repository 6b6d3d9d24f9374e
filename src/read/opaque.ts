/** Stands for what a pickle would have built by running code, or what Python prints as `<…>`: named, never built. */
export class Opaque {
  /** The attributes it would be given. */
  state: PickleValue = null;

  constructor(
    readonly name: string,
    /** What it would be called with; of few bytes, the bytes. */
    readonly parts: readonly PickleValue[] = [],
  ) {}
}

/** What the numbers of a tensor are kept in, beside the pickle. */
export const STORAGE = 'a tensor';

export type PickleValue =
  | null
  | boolean
  | number
  | string
  | Opaque
  | PickleValue[]
  | Map<PickleValue, PickleValue>;

/** Classes whose attributes may hold a history, by their full names with dots. */
const ACCOUNTANT = /^(?:opacus\.accountants(?:\.\w+)*\.\w*Accountant|gdp_kernel\.opacus\.GdpAccountant)$/;
const ENGINE = 'opacus.privacy_engine.PrivacyEngine';
/** Opacus' own names for its accountants. */
const CALLED: Readonly<Record<string, string>> = {
  RDPAccountant: 'rdp',
  GaussianAccountant: 'gdp',
  PRVAccountant: 'prv',
  GdpAccountant: 'gdp-kernel',
};
/** The method that stands for its name in what Opacus 1.1 to 1.5 saved, as Python prints it. */
const METHOD = /^<bound method [\w.]+\.mechanism of <class '([\w.]+)'>>$/;

export function isAccountant(name: string): boolean {
  return ACCOUNTANT.test(name);
}

/** Whether an instance may hold a history. */
export function holdsHistory(name: string): boolean {
  return name === ENGINE || isAccountant(name);
}

export function accountantOf(className: string): string {
  const last = className.slice(className.lastIndexOf('.') + 1);
  return Object.hasOwn(CALLED, last) ? CALLED[last] : last;
}

/** The bound method `mechanism` of an accountant's class. */
export class MechanismMethod extends Opaque {
  /** @param className With dots. */
  constructor(readonly className: string) {
    super(`${className}.mechanism`);
  }

  /** What Python printed, if it is that. */
  static printed(text: string): MechanismMethod | undefined {
    const [, className] = METHOD.exec(text) ?? [];
    return className !== undefined && isAccountant(className) ? new MechanismMethod(className) : undefined;
  }
}
