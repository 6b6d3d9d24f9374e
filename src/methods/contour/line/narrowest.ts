/**
 * The first answer that is narrow enough, or the narrowest of all: answers are asked for one by one, and no more of them than are needed.
 *
 * @param answers Told the narrowest doubt so far (∞ before there is one), for what is not worth asking after it.
 */
export function narrowest<T>(
  answers: (doubt: () => number) => Iterable<T | undefined>,
  doubtOf: (answer: T) => number,
  enough: number,
): T | undefined {
  let best: T | undefined;
  let doubt = Infinity;
  for (const answer of answers(() => doubt)) {
    if (answer === undefined) continue;
    const own = doubtOf(answer);
    if (best === undefined || own < doubt) [best, doubt] = [answer, own];
    if (doubt <= enough) break;
  }
  return best;
}
