/** Values last asked for, by key: at most `most` of them; what was not asked for the longest goes first. */
export class Recent<K, V extends object> {
  private readonly values = new Map<K, V>();
  private readonly most: number;

  constructor(most: number) {
    this.most = most;
  }

  /** The value of a key: the one remembered, or what `make` makes. */
  of(key: K, make: () => V): V {
    const value = this.values.get(key) ?? make();
    this.values.delete(key);
    this.values.set(key, value);
    if (this.values.size > this.most) this.values.delete(this.values.keys().next().value as K);
    return value;
  }
}
