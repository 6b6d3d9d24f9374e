// python/gdp_kernel/mechanisms.py as text: a constructor of every kind, from schema/mechanism.schema.json and an example of each.

/** Kinds whose name is a word of Python or of the package. */
const snake = (name) =>
  name
    .replaceAll('-', '_')
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase();

const HEAD = `"""
What a run is made of: a constructor of every kind of mechanism, each a dictionary as \`\`gdp\`\` reads it.

Made of schema/mechanism.schema.json by \`\`npm run docs:python\`\`. A number may be \`\`"?"\`\` where :func:\`gdp_kernel.calibrate\` is to find it.

>>> from gdp_kernel import Account
>>> Account(compose([gaussian(2), repeat(laplace(4, 1), 3)])).epsilon(1e-5) <= 3.5
True
"""

from __future__ import annotations

from typing import Any, Dict, Literal, Mapping, Optional, Sequence

from ._types import Mechanism, Number

`;

/**
 * @param schema The JSON Schema of mechanisms.
 * @param examples One mechanism of every kind.
 * @param kinds Names of all kinds.
 */
export function pythonMechanisms(schema, examples, kinds) {
  const names = kinds.toSorted();
  const all = `__all__ = [\n${names.map((kind) => `    "${snake(kind)}",\n`).join('')}]\n`;
  const functions = names.map((kind) => constructorOf(kind, schema.$defs[kind], examples));
  return `${HEAD}${all}${functions.join('')}${TAIL}`;
}

const TAIL = `

def _made(kind: str, fields: Dict[str, Any]) -> Mechanism:
    """A mechanism of the fields that were given."""
    return {"kind": kind, **{name: value for name, value in fields.items() if value is not None}}
`;

function constructorOf(kind, { description, properties, required }, examples) {
  const fields = Object.entries(properties).filter(([name]) => name !== 'kind');
  const needed = fields.filter(([name]) => required.includes(name));
  const optional = fields.filter(([name]) => !required.includes(name));
  const parameters = [
    ...needed.map(([name, field]) => `${snake(name)}: ${typeOf(field)}`),
    ...(optional.length > 0 ? ['*'] : []),
    ...optional.map(([name, field]) => `${snake(name)}: Optional[${typeOf(field)}] = None`),
  ];
  const docs = fields.map(([name, field]) => wrapped(`:param ${snake(name)}: ${meaningOf(name, field)}`));
  const example = examples.find((each) => each.kind === kind);
  const made = Object.entries(example).filter(([name]) => name !== 'kind');
  const shown = made.map(([name, value]) => `${snake(name)}=${literal(value)}`).join(', ');
  const ordered = fields.filter(([name]) => name in example).map(([name]) => [name, example[name]]);
  const dictionary = `{'kind': '${kind}'${ordered.map(([name, value]) => `, '${name}': ${literal(value)}`).join('')}}`;
  return `

def ${snake(kind)}(
${parameters.map((each) => `    ${each},\n`).join('')}) -> Mechanism:
    """
${wrapped(`${description.replace(/\.$/, '')}.`)}

${docs.join('\n')}

    >>> ${snake(kind)}(${shown})
    ${dictionary}
    """
    return _made("${kind}", {${fields.map(([name]) => `"${name}": ${snake(name)}`).join(', ')}})
`;
}

function typeOf({ type, items, enum: words, const: word, $ref, oneOf = [] }) {
  if ($ref?.endsWith('/tries') || $ref?.endsWith('/mechanism') || $ref?.endsWith('/single'))
    return 'Mapping[str, Any]';
  if (oneOf.some((each) => each.$ref !== undefined)) return 'Mapping[str, Any]';
  if (words !== undefined || word !== undefined)
    return `Literal[${(words ?? [word]).map((each) => `"${each}"`).join(', ')}]`;
  if (type === 'array') return `Sequence[${items.type === 'object' ? 'Mapping[str, Any]' : typeOf(items)}]`;
  if (type === 'boolean') return 'bool';
  if (type === 'string') return 'str';
  return 'Number';
}

const LACKING = {
  samplingRate: 'Probability that a record takes part in a step.',
  steps: 'Number of steps.',
  datasetSize: 'Records of the data set.',
  total: 'Whether the noise multiplier is that of sum and count together.',
  runs: 'How many tries there are, a draw that is kept secret: ``{"kind": "geometric", "mean": 10}``, say.',
  inner: 'The mechanism.',
  parts: 'The mechanisms.',
};

function meaningOf(name, field) {
  const text = (field.description ?? LACKING[name]).replace(/\.$/, '');
  const range = rangeOf(field);
  return `${text}${range === '' ? '' : `; ${range}`}.`;
}

function rangeOf({ type, anyOf = [], minimum, maximum, exclusiveMinimum, exclusiveMaximum }) {
  if (type === 'array') return '';
  const whole = type === 'integer' ? 'a whole number' : '';
  const zero = anyOf.some((each) => each.const === 0);
  const bounds = anyOf.find((each) => each.minimum !== undefined) ?? {
    minimum,
    maximum,
    exclusiveMinimum,
    exclusiveMaximum,
  };
  const low = bounds.minimum ?? bounds.exclusiveMinimum;
  const high = bounds.maximum ?? bounds.exclusiveMaximum;
  if (low === undefined && high === undefined) return whole;
  const open = bounds.minimum === undefined ? '(' : '[';
  const close = bounds.maximum === undefined ? ')' : ']';
  const top = high === Number.MAX_SAFE_INTEGER ? '2**53)' : `${high}${close}`;
  return `${whole}${whole && ' '}${zero ? '0 or ' : ''}in ${open}${low}, ${top}`;
}

function literal(value) {
  if (typeof value === 'string') return `'${value}'`;
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .map(([name, each]) => `'${name}': ${literal(each)}`)
      .join(', ')}}`;
  return pythonNumber(value);
}

/** A number as Python prints it. */
function pythonNumber(value) {
  const text = Math.abs(value) < 1e-4 && value !== 0 ? value.toExponential() : String(value);
  return text.replace(/e([+-])(\d)$/, 'e$10$2');
}

/** Lines of at most 140 characters, indented. */
function wrapped(text) {
  const lines = [''];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== '' && last.length + word.length > 130) lines.push(`    ${word}`);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines.map((line) => `    ${line}`).join('\n');
}
