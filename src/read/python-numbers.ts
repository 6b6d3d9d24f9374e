/** Numbers as NumPy, PyTorch and JAX print them: `np.float64(1.1)`, `array([0., 1.])`, `Array(1.1, dtype=float32)`. */

import type { Opaque } from './opaque.js';

/** A call as printed: `Name(1, field=2)`. */
export class PythonCall {
  constructor(
    readonly name: string,
    readonly positional: readonly PythonValue[],
    readonly fields: Readonly<Record<string, PythonValue>>,
  ) {}
}

export type PythonValue =
  | null
  | boolean
  | number
  | string
  | PythonCall
  | Opaque
  | readonly PythonValue[]
  | ReadonlyMap<PythonValue, PythonValue>;

/** Names of scalars and arrays, with the type of number that a scalar's name states. */
const SCALAR = /^(?:(?:np|numpy|jnp|jax\.numpy)\.((?:float|u?int)(?:8|16|32|64))|float|int)$/;
const ARRAY = /^(?:(?:np\.|numpy\.|jnp\.)?array|Array|DeviceArray|(?:torch\.)?tensor)$/;
/** Types of number whose values the printed digits identify. */
const TYPE = /^(?:(?:np|numpy|torch|jnp)\.)?(?:float(?:32|64)|u?int(?:8|16|32|64))$/;
/** Fields of a printed array other than its numbers. */
const BESIDE = /^(?:dtype|weak_type|device|requires_grad|grad_fn|sharding)$/;

/** The number or nested list of a printed call; undefined for other calls. A 32-bit number is the nearest to the printed digits. */
export function numbersOf({ name, positional, fields }: PythonCall): PythonValue | undefined {
  const [first, ...more] = positional;
  const [, stated] = SCALAR.exec(name) ?? [];
  const isArray = ARRAY.test(name);
  const type =
    stated ?? (fields['dtype'] as string | undefined) ?? (/tensor$/.test(name) ? 'float32' : 'float64');
  if (!SCALAR.test(name) && !isArray) return undefined;
  if (
    more.length > 0 ||
    !TYPE.test(String(type)) ||
    !Object.keys(fields).every((field) => BESIDE.test(field))
  )
    return undefined;
  return isNumbers(first) && (isArray || typeof first === 'number')
    ? /float32$/.test(type)
      ? rounded(first)
      : first
    : undefined;
}

type Numbers = number | readonly Numbers[];

function isNumbers(value: PythonValue | undefined): value is Numbers {
  return typeof value === 'number' || (Array.isArray(value) && value.every(isNumbers));
}

function rounded(value: Numbers): Numbers {
  return typeof value === 'number' ? Math.fround(value) : value.map(rounded);
}

/** A note on a text with arrays: NumPy prints eight decimals, and PyTorch four. */
export function arrayNotes(text: string): readonly string[] {
  const array = /\b(?:[Aa]rray|DeviceArray)\([^()]*\.\d{8}(?!\d)/.test(text);
  const tensor = /\btensor\([^()]*\.\d{4}(?!\d)/.test(text);
  const said = (what: string, digits: string) =>
    `${what} prints ${digits} decimals, and its numbers are taken as they stand: save them with all digits, as .tolist() has them`;
  return [...(array ? [said('an array', 'eight')] : []), ...(tensor ? [said('a tensor', 'four')] : [])];
}
