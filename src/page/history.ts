const MOST = 500;

/** States before and after the present one. */
export class History<State> {
  private past: State[] = [];
  private future: State[] = [];

  /** Puts a state before the present one; what was after it is forgotten. */
  push(state: State): void {
    this.past.push(state);
    if (this.past.length > MOST) this.past.shift();
    this.future = [];
  }

  get canUndo(): boolean {
    return this.past.length > 0;
  }

  get canRedo(): boolean {
    return this.future.length > 0;
  }

  undo(present: State): State | undefined {
    return step(this.past, this.future, present);
  }

  redo(present: State): State | undefined {
    return step(this.future, this.past, present);
  }
}

function step<State>(from: State[], to: State[], present: State): State | undefined {
  const next = from.pop();
  if (next !== undefined) to.push(present);
  return next;
}
