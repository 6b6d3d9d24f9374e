/** Full-precision JSON; numbers that JSON cannot hold become strings, such as "Infinity". */
export function toJson(value: unknown): string {
  const text = JSON.stringify(
    value,
    (_key, x) => (typeof x === 'number' && !Number.isFinite(x) ? String(x) : x),
    2,
  );
  return `${text.replace(LEAF, (leaf) => leaf.replace(/\s+/g, ' '))}\n`;
}

/** Objects with two fields and no inner object, such as brackets: they are printed on one line. */
const LEAF = /\{\s+"[a-zA-Z]+": [^{}[\]]+?,\s+"[a-zA-Z]+": [^{}[\],]+?\}/g;
