/** Parts of the text in their order; joined, they are the text. */
export function partsOf(
  text: string,
): ({ formula: string; text?: undefined } | { text: string; formula?: undefined })[];
