/** Full-precision JSON; numbers JSON cannot hold become the strings "Infinity" and "-Infinity". */
export function toJson(value: unknown): string {
  const text = JSON.stringify(
    value,
    (_key, x) => (typeof x === 'number' && !Number.isFinite(x) ? String(x) : x),
    2,
  );
  return `${text.replace(LEAF, (leaf) => leaf.replace(/\s+/g, ' '))}\n`;
}

/** Objects of two numbers, such as brackets, on one line. */
const LEAF = /\{\s+"[a-zA-Z]+": [^{}[\]]+?,\s+"[a-zA-Z]+": [^{}[\],]+?\}/g;
