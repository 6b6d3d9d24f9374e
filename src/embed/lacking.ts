/** Encodes a text as UTF-8; an unpaired surrogate becomes U+FFFD. */
export class PlainTextEncoder {
  encode(text = ''): Uint8Array {
    return Uint8Array.from(utf8Of(text));
  }
}

/** Decodes UTF-8 or UTF-16 as the Encoding Standard says, except that invalid UTF-16 is always an error. */
export class PlainTextDecoder {
  constructor(
    private readonly label = 'utf-8',
    private readonly options: { readonly fatal?: boolean } = {},
  ) {}

  /** @throws TypeError where the bytes are not of the encoding and `fatal` is set. */
  decode(bytes: Uint8Array = new Uint8Array()): string {
    const { fatal = false } = this.options;
    const little = this.label === 'utf-16le';
    const codes = this.label === 'utf-8' ? codesOfUtf8(bytes, fatal) : codesOfUtf16(bytes, little);
    const text = Array.from(codes, (code) => String.fromCodePoint(code)).join('');
    return text.startsWith('\ufeff') ? text.slice(1) : text;
  }
}

/** Substitutes for functions that browsers and Node have, each only as complete as the accountant needs. */
const LACKING: Readonly<Record<string, unknown>> = {
  performance: { now: () => Date.now() },
  structuredClone: (value: unknown) => JSON.parse(JSON.stringify(value)),
  setTimeout: (work: () => void) => void Promise.resolve().then(work),
  clearInterval: () => {},
  AbortController: class {
    readonly signal = {};
    abort(): void {}
  },
  TextEncoder: PlainTextEncoder,
  TextDecoder: PlainTextDecoder,
};

/** Adds each of `LACKING` that the JavaScript engine does not have to the global object. */
export function addLacking(): void {
  const has: Record<string, unknown> = globalThis as never;
  for (const [name, value] of Object.entries(LACKING)) has[name] ??= value;
}

function* utf8Of(text: string): Generator<number> {
  for (const letter of text) {
    const point = letter.codePointAt(0)!;
    // a lone surrogate has no encoding in UTF-8: U+FFFD stands for it
    const code = point >= 0xd800 && point < 0xe000 ? 0xfffd : point;
    if (code < 0x80) {
      yield code;
      continue;
    }
    const more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    yield ((0xff00 >> (more + 1)) & 0xff) | (code >> (6 * more));
    for (let i = more - 1; i >= 0; i--) yield 0x80 | ((code >> (6 * i)) & 63);
  }
}

/** @throws TypeError where `fatal` and the bytes are no UTF-8. */
function* codesOfUtf8(bytes: Uint8Array, fatal: boolean): Generator<number> {
  for (let i = 0; i < bytes.length; ) {
    const first = bytes[i++];
    const more = first < 0x80 ? 0 : first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
    const least = [0, 0x80, 0x800, 0x10000][more];
    let code = more === 0 ? first : first & (0x3f >> more);
    let wrong = more > 0 && (first < 0xc2 || first > 0xf4);
    for (let k = 0; k < more && !wrong; k++) {
      const longer = (code << 6) | (bytes[i] & 63);
      // the least and greatest code point that the remaining bytes can give
      const low = longer << (6 * (more - 1 - k));
      const high = low | (2 ** (6 * (more - 1 - k)) - 1);
      wrong =
        high < least || low > 0x10ffff || (low >= 0xd800 && high < 0xe000) || (bytes[i] & 0xc0) !== 0x80;
      if (wrong) break;
      code = longer;
      i++;
    }
    if (wrong && fatal) throw new TypeError('the bytes are not UTF-8');
    yield wrong ? 0xfffd : code;
  }
}

function* codesOfUtf16(bytes: Uint8Array, little: boolean): Generator<number> {
  if (bytes.length % 2 === 1) throw new TypeError('the bytes are not UTF-16');
  for (let i = 0; i < bytes.length; i += 2) {
    const unit = (at: number) =>
      little ? bytes[at] | (bytes[at + 1] << 8) : (bytes[at] << 8) | bytes[at + 1];
    const high = unit(i);
    const low = high >= 0xd800 && high < 0xdc00 && i + 3 < bytes.length ? unit(i + 2) : 0;
    if (low >= 0xdc00 && low < 0xe000) {
      yield 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
      i += 2;
    } else if (high >= 0xd800 && high < 0xe000) throw new TypeError('the bytes are not UTF-16');
    else yield high;
  }
}
