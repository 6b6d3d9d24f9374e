/**
 * Values by key, made where they are missing: at most `most` are held, those that were asked for last among them. Two generations: a hit in
 * the younger costs one look-up; a full one becomes the older, and what was in that and not asked for since is forgotten. A value is a
 * function of its key alone, so no answer depends on what is held.
 */
export class Recent<K, V> {
  private younger = new Map<K, V>();
  private older = new Map<K, V>();
  private readonly half: number;

  /** @param most At least 2. */
  constructor(most: number) {
    this.half = Math.floor(most / 2);
  }

  /** The value of a key: the one remembered, or what `make` makes. */
  of(key: K, make: (key: K) => V): V {
    const known = this.younger.get(key);
    if (known !== undefined || this.younger.has(key)) return known as V;
    const value = this.older.has(key) ? (this.older.get(key) as V) : make(key);
    if (this.younger.size >= this.half) {
      this.older = this.younger;
      this.younger = new Map();
    }
    this.younger.set(key, value);
    return value;
  }
}
