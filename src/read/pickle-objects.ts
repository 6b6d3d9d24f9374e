import { InputSyntaxError } from '../errors.js';
import { numpyScalar } from './numpy-scalar.js';
import { Opaque, type PickleValue } from './opaque.js';

/**
 * Names that stand in every PyTorch checkpoint and cannot matter to privacy accounting. They are read past,
 * not called: nothing depends on their being harmless, only on their being expected.
 */
const OPAQUE: Readonly<Record<string, RegExp>> = {
  torch:
    /^(\w+Storage|Size|device|dtype|Tensor|(u?int|float|complex|bfloat|qu?int)\d+(_\w+)?|bool|half|double|long|strided)$/,
  'torch._utils': /^_rebuild_\w+$/,
  'torch._tensor': /^_rebuild_from_type_v2$/,
  'torch.nn.parameter': /^(Parameter|UninitializedParameter|Buffer)$/,
  'torch.serialization': /^_get_layout$/,
  'torch.storage': /^(UntypedStorage|TypedStorage|_UntypedStorage|_TypedStorage)$/,
  'torch.torch_version': /^TorchVersion$/,
  'numpy.core.multiarray': /^(scalar|_reconstruct)$/,
  'numpy._core.multiarray': /^(scalar|_reconstruct)$/,
  numpy: /^(dtype|ndarray)$/,
  collections: /^(defaultdict|Counter)$/,
  _codecs: /^encode$/,
};

/** Also `__builtin__`'s types, which only name what a defaultdict makes. */
const TYPES = /^(dict|list|int|float|str|bool|tuple|complex)$/;

function isOpaqueName(module: string, name: string): boolean {
  if (module === 'builtins' || module === '__builtin__') return TYPES.test(name);
  return Object.hasOwn(OPAQUE, module) && OPAQUE[module].test(name);
}

/** The mark of a name on the stack, before it is applied. */
class Name extends Opaque {}

const DICTIONARY = 'collections OrderedDict';

/** Codes that are refused, and why. */
export const UNKNOWN: Readonly<Record<number, string>> = {
  105: 'it builds an object of a class (INST)',
  111: 'it builds an object of a class (OBJ)',
  146: 'it builds an object of a class (NEWOBJ_EX)',
  130: 'it uses a registered extension',
  131: 'it uses a registered extension',
  132: 'it uses a registered extension',
  151: 'it refers to a buffer outside itself',
  152: 'it refers to a buffer outside itself',
  143: 'it builds a set',
  144: 'it builds a set',
  145: 'it builds a set',
};

export function named(module: string, name: string): Name {
  const full = `${module} ${name}`;
  if (full !== DICTIONARY && !isOpaqueName(module, name)) {
    const shown = `${module}.${name}`.slice(0, 80).replace(/[^\x20-\x7e]/g, '?');
    throw refused(`it would run ${shown}, which reading a run never needs`);
  }
  return new Name(full);
}

export function applied(callee: PickleValue, given: PickleValue): PickleValue {
  if (!(callee instanceof Name) || !Array.isArray(given)) throw refused('it calls what is no name');
  if (callee.name !== DICTIONARY)
    return numpyScalar(callee.name, given) ?? new Opaque(callee.name.replace(' ', '.'), given);
  const dictionary = new Map<PickleValue, PickleValue>();
  if (given.length === 0) return dictionary;
  const [pairs] = given;
  if (given.length > 1 || !Array.isArray(pairs)) throw refused('it has a broken OrderedDict');
  for (const pair of pairs) {
    if (!Array.isArray(pair) || pair.length !== 2) throw refused('it has a broken OrderedDict');
    dictionary.set(pair[0], pair[1]);
  }
  return dictionary;
}

export function append(target: PickleValue, items: readonly PickleValue[]): void {
  if (!Array.isArray(target)) throw refused('it appends to what is no list');
  for (const item of items) target.push(item);
}

export function setItems(target: PickleValue, items: readonly PickleValue[]): PickleValue {
  if (items.length % 2 !== 0) throw cut();
  if (target instanceof Opaque) return target;
  if (!(target instanceof Map)) throw refused('it sets items of what is no dictionary');
  for (let i = 0; i < items.length; i += 2) target.set(items[i], items[i + 1]);
  return target;
}

export function lineNumber(line: string, code: number): number {
  const text = code === 0x4c ? line.replace(/L$/, '') : line;
  const isNumber = code === 0x46 ? /^[+-]?(\d|\.|inf|nan)/i.test(text) : /^[+-]?\d{1,80}$/.test(text);
  if (!isNumber) throw refused('it has a broken number');
  if (code === 0x46 && /inf/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  return Number(text);
}

export function refused(why: string): SyntaxError {
  return new InputSyntaxError(`it is a pickle, but ${why}`);
}

export function cut(): SyntaxError {
  return refused('it is cut or broken');
}
