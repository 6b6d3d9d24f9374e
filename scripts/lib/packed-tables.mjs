// Fitted tables as the bundle has them: rows of decimals whose columns are smooth, so that their higher differences are short whole numbers.

/** Differences taken at most; more save nothing. */
const MOST_ORDERS = 9;
/** Characters of a piece of text, about: a line of the bundle holds one. */
const PIECE = 400;

/** A table of `width` columns as pieces of text: for each column the power of ten that makes it whole, the order of differences, and these. */
export function pack(table, width) {
  const column = (k) =>
    Array.from({ length: table.length / width }, (_, j) => decimalOf(table[j * width + k]));
  const columns = Array.from({ length: width }, (_, k) => {
    const decimals = column(k);
    const scale = Math.max(...decimals.map(({ places }) => places));
    const whole = decimals.map(({ digits, places }) => digits * 10n ** BigInt(scale - places));
    let best = [0, ...whole].join(' ');
    let differences = whole;
    for (let order = 1; order <= MOST_ORDERS && order < whole.length; order++) {
      differences = differences.map((x, j) => (j < order ? x : x - differences[j - 1]));
      const text = [order, ...differences].join(' ');
      if (text.length < best.length) best = text;
    }
    return `${scale} ${best}`;
  });
  return columns.join('|').match(new RegExp(`.{1,${PIECE}}(?: |$)`, 'g'));
}

/** The table again, bit for bit. */
export function unpack(pieces) {
  const table = [];
  const columns = pieces.join('').split('|');
  columns.forEach((column, k) => {
    const [scale, order, ...whole] = column.split(' ').map(BigInt);
    for (let o = Number(order); o > 0; o--) for (let j = o; j < whole.length; j++) whole[j] += whole[j - 1];
    whole.forEach((x, j) => {
      table[j * columns.length + k] = Number(`${x}e-${scale}`);
    });
  });
  return table;
}

/** The code of a module with those of its tables that are named, of `width` columns, packed. */
export function withPackedTables(code, names, width) {
  const packed = code.replace(/^(export const (\w+) = )\[([^\]]*)\];$/gm, (whole, start, name, list) => {
    if (!names.includes(name)) return whole;
    const table = list.match(/[^\s,]+/g).map(Number);
    return `${start}unpack(${JSON.stringify(pack(table, width))});`;
  });
  return `import { unpack } from ${JSON.stringify(import.meta.filename)};\n${packed}`;
}

/** A double as the whole number and the number of decimal places of its shortest decimal. */
function decimalOf(x) {
  const [, sign, before, after = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e(.+))?$/.exec(String(x));
  const places = after.length - Number(exponent);
  const digits = BigInt(`${sign}${before}${after}`);
  return places < 0 ? { digits: digits * 10n ** BigInt(-places), places: 0 } : { digits, places };
}
