import { InputSyntaxError } from '../errors.js';
import { holdsHistory, isAccountant, MechanismMethod, Opaque, type PickleValue } from './opaque.js';

/** Names of types: the default factory of a defaultdict, or constructors of plain values in old protocols. */
const TYPES = /^(dict|list|int|float|str|bool|tuple|complex|set|frozenset|bytes|bytearray|object|slice)$/;
const PATHS = /^(Pure)?(Posix|Windows)?Path$/;

/**
 * Names that occur in every PyTorch checkpoint and say nothing on the privacy of the run. They are skipped and never called, so that it does not
 * matter what they would do.
 */
const OPAQUE: Readonly<Record<string, RegExp>> = {
  builtins: TYPES,
  __builtin__: TYPES,
  torch:
    /^(\w+Storage|Size|device|dtype|Tensor|(u?int|float|complex|bfloat|qu?int)\d+(_\w+)?|bool|half|double|long|strided)$/,
  'torch._utils': /^_rebuild_\w+$/,
  'torch._tensor': /^_rebuild_from_type_v2$/,
  'torch.nn.parameter': /^(Parameter|UninitializedParameter|Buffer)$/,
  'torch.serialization': /^_get_layout$/,
  'torch.storage': /^(UntypedStorage|TypedStorage|_UntypedStorage|_TypedStorage|_load_from_bytes)$/,
  'torch.utils.data.dataset': /^(TensorDataset|Subset|ConcatDataset)$/,
  'torch.torch_version': /^TorchVersion$/,
  'numpy.core.multiarray': /^(scalar|_reconstruct)$/,
  'numpy._core.multiarray': /^(scalar|_reconstruct)$/,
  numpy: /^(dtype|ndarray)$/,
  collections: /^(defaultdict|Counter|deque)$/,
  _codecs: /^encode$/,
  copyreg: /^_reconstructor$/,
  copy_reg: /^_reconstructor$/,
  pathlib: PATHS,
  'pathlib._local': PATHS,
  argparse: /^Namespace$/,
  types: /^SimpleNamespace$/,
  datetime: /^(date|time|datetime|timedelta|timezone)$/,
};

/** A name on the stack that has not been called yet. */
class Name extends Opaque {}

const DICTIONARY = 'collections OrderedDict';
const ATTRIBUTE = /^(builtins|__builtin__) getattr$/;
const INSTANCE = /^copy_?reg _reconstructor$/;

/** Opcodes that are refused, and why. */
export const UNKNOWN: Readonly<Record<number, string>> = {
  105: 'it builds an object of a class (INST)',
  111: 'it builds an object of a class (OBJ)',
  146: 'it builds an object of a class (NEWOBJ_EX)',
  130: 'it uses a registered extension',
  131: 'it uses a registered extension',
  132: 'it uses a registered extension',
  151: 'it refers to a buffer outside itself',
  152: 'it refers to a buffer outside itself',
};

export function named(module: string, name: string): Name {
  const full = `${module} ${name}`;
  const known = Object.hasOwn(OPAQUE, module) && OPAQUE[module].test(name);
  const ours = full === DICTIONARY || ATTRIBUTE.test(full) || holdsHistory(dotted(full));
  if (!known && !ours) throw wouldRun(full);
  return new Name(full);
}

function wouldRun(full: string): SyntaxError {
  const shown = dotted(full)
    .slice(0, 80)
    .replace(/[^\x20-\x7e]/g, '?');
  return refused(`it would run ${shown}, which reading a run never needs`);
}

function dotted(full: string): string {
  return full.replace(' ', '.');
}

/** Refuses `getattr` unless it is called with the name of an accountant: no other use is known to be harmless. */
export function requireCalled(name: PickleValue): void {
  if (name instanceof Name) throw wouldRun(name.name);
}

export function isGetattr(value: PickleValue): boolean {
  return value instanceof Name && ATTRIBUTE.test(value.name);
}

export function applied(callee: PickleValue, given: PickleValue): PickleValue {
  if (!(callee instanceof Name) || !Array.isArray(given)) throw refused('it calls what is no name');
  if (isGetattr(callee)) return mechanismMethod(callee.name, given);
  const [first] = given;
  if (INSTANCE.test(callee.name) && first instanceof Name) return new Opaque(dotted(first.name));
  if (callee.name !== DICTIONARY)
    return numpyScalar(callee.name, given) ?? new Opaque(dotted(callee.name), given);
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

/** `getattr(RDPAccountant, 'mechanism')`, which Opacus 1.1 to 1.5 saved in place of a name; any other call is refused. */
function mechanismMethod(getattr: string, [owner, attribute, ...more]: readonly PickleValue[]): PickleValue {
  const className = owner instanceof Name ? dotted(owner.name) : '';
  if (!isAccountant(className) || attribute !== 'mechanism' || more.length > 0) throw wouldRun(getattr);
  return new MechanismMethod(className);
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

/** Readers of numbers, by NumPy's codes of their types. */
export const READERS: Readonly<Record<string, (view: DataView, little: boolean) => number>> = {
  f8: (view, little) => view.getFloat64(0, little),
  f4: (view, little) => view.getFloat32(0, little),
  i8: (view, little) => Number(view.getBigInt64(0, little)),
  i4: (view, little) => view.getInt32(0, little),
  i2: (view, little) => view.getInt16(0, little),
  i1: (view) => view.getInt8(0),
  u8: (view, little) => Number(view.getBigUint64(0, little)),
  u4: (view, little) => view.getUint32(0, little),
};

/**
 * The number that a pickled call of NumPy's `scalar(dtype, bytes)` would return; undefined for any other call, or another type of
 * number. No function is called: a dtype is read as its code and byte order, and bytes as bytes or Latin-1 text.
 */
function numpyScalar(name: string, given: readonly PickleValue[]): number | undefined {
  if (!/^numpy\._?core\.multiarray scalar$/.test(name)) return undefined;
  const [dtype, data] = given;
  if (!(dtype instanceof Opaque) || dtype.name !== 'numpy.dtype') return undefined;
  const code = String(dtype.parts[0]);
  const bytes = bytesOf(data);
  if (!Object.hasOwn(READERS, code) || bytes?.length !== Number(code.slice(1))) return undefined;
  const little = !(Array.isArray(dtype.state) && dtype.state[1] === '>');
  return READERS[code](new DataView(bytes.buffer), little);
}

function bytesOf(data: PickleValue | undefined): Uint8Array | undefined {
  if (!(data instanceof Opaque)) return undefined;
  const [text, encoding] = data.parts;
  if (data.name === '_codecs.encode')
    return typeof text === 'string' && encoding === 'latin1'
      ? Uint8Array.from(text, (letter) => letter.charCodeAt(0))
      : undefined;
  return Uint8Array.from(data.parts as number[]);
}
