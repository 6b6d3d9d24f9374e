/** A value that unpickling would build by running code, or that Python prints as `<…>`: only its name is kept. */
export class Opaque {
  /** The attributes that unpickling would set. */
  state: PickleValue = null;

  constructor(
    readonly name: string,
    /** The arguments of the call that would build it; the bytes themselves, if they are few. */
    readonly parts: readonly PickleValue[] = [],
  ) {}
}

/** The `name` of an `Opaque` that stands for a tensor's numbers, which are stored outside the pickle. */
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
/** How Python prints the method that Opacus 1.1 to 1.5 saved in place of the accountant's name. */
const METHOD = /^<bound method [\w.]+\.mechanism of <class '([\w.]+)'>>$/;

export function isAccountant(name: string): boolean {
  return ACCOUNTANT.test(name);
}

/** Whether instances of a class may hold a history. */
export function holdsHistory(name: string): boolean {
  return name === ENGINE || isAccountant(name);
}

export function accountantOf(className: string): string {
  const last = className.slice(className.lastIndexOf('.') + 1);
  return Object.hasOwn(CALLED, last) ? CALLED[last] : last;
}

/** The bound method `mechanism` of an accountant's class, as Opacus 1.1 to 1.5 saved it. */
export class MechanismMethod extends Opaque {
  /** @param className Qualified by its module. */
  constructor(readonly className: string) {
    super(`${className}.mechanism`);
  }

  /** The method that Python printed as `text`; undefined if `text` is another. */
  static printed(text: string): MechanismMethod | undefined {
    const [, className] = METHOD.exec(text) ?? [];
    return className !== undefined && isAccountant(className) ? new MechanismMethod(className) : undefined;
  }
}
