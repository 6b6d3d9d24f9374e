interface Line {
  /** The line without its line break; undefined if it is too long. */
  readonly text: string | undefined;
  /** The byte offset of its end in the stream, line break included. */
  readonly end: number;
  /** Whether it ends with a line break; only the last line may lack one. */
  readonly whole: boolean;
}

/**
 * The lines of UTF-8 text as they arrive. The text of a line of more than `longest` bytes is not kept.
 *
 * @param csv Whether a line break within a quoted field ends no line (RFC 4180). A field whose closing mark is missing ends with
 * the first line break after `longest` bytes.
 */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  longest: number,
  csv = false,
): AsyncGenerator<Line, void, undefined> {
  const quotes = csv ? new Quotes() : undefined;
  let parts: Buffer[] = [];
  let length = 0;
  let end = 0;
  const add = (bytes: Uint8Array) => {
    length += bytes.length;
    end += bytes.length;
    if (length > longest) parts = [];
    else if (bytes.length > 0) parts.push(Buffer.from(bytes));
  };
  const take = (whole: boolean): Line => {
    const text =
      length > longest ? undefined : (parts.length === 1 ? parts[0] : Buffer.concat(parts)).toString();
    parts = [];
    length = 0;
    return { text, end, whole };
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      const part = chunk.subarray(from, at);
      from = at + 1;
      add(part);
      if (quotes?.openAfter(part) && length < longest) {
        add(LINE_BREAK);
        continue;
      }
      quotes?.end();
      end++;
      yield take(true);
    }
    add(chunk.subarray(from));
    quotes?.openAfter(chunk.subarray(from));
  }
  if (length > 0) yield take(false);
}

/** The bytes of characters that CSV gives a meaning. */
const LINE_BREAK = Uint8Array.of(10);
const QUOTE = 34;
const COMMA = 44;

/** Tells whether the bytes of CSV so far end within a quoted field, one that begins with a quotation mark which is not closed yet. */
class Quotes {
  private state: 'start' | 'plain' | 'quoted' | 'closing' = 'start';

  openAfter(bytes: Uint8Array): boolean {
    for (const byte of bytes) {
      if (this.state === 'quoted') {
        if (byte === QUOTE) this.state = 'closing';
      } else if (byte === COMMA) this.state = 'start';
      // a doubled quotation mark stands for one within the text
      else if (byte === QUOTE && this.state !== 'plain') this.state = 'quoted';
      else this.state = 'plain';
    }
    return this.state === 'quoted';
  }

  end(): void {
    this.state = 'start';
  }
}
