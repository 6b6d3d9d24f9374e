/** The first answer that is narrow enough, or the narrowest of all. Answers are taken one by one, and no more need be asked for than are taken. */
export class NarrowestAnswer<T> {
  found: T | undefined;
  /** That of what is found; ∞ before anything is. */
  errorBound: number = Infinity;

  constructor(
    private readonly doubtOf: (answer: T) => number,
    private readonly enough: number,
  ) {}

  /** Whether what is found is narrow enough. */
  takes(answer: T | undefined): boolean {
    if (answer !== undefined) {
      const own = this.doubtOf(answer);
      if (this.found === undefined || own < this.errorBound) [this.found, this.errorBound] = [answer, own];
    }
    return this.errorBound <= this.enough;
  }
}
