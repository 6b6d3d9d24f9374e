/** A line of a stream of bytes. */
interface Line {
  /** Without its line break; none of a line that is too long. */
  readonly text: string | undefined;
  /** Where it ends in the stream, in bytes, its line break included. */
  readonly end: number;
  /** Whether a line break ends it; only the last may lack one. */
  readonly whole: boolean;
}

/** The lines of UTF-8 text as they come; of a line of more than `longest` bytes no byte is kept. */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  longest: number,
): AsyncGenerator<Line, void, undefined> {
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
      add(chunk.subarray(from, at));
      end++;
      yield take(true);
      from = at + 1;
    }
    add(chunk.subarray(from));
  }
  if (length > 0) yield take(false);
}
