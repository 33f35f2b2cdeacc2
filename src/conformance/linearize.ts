/** One operation of a concurrent history: what was asked, when, and what came back. */
export interface Operation<Input, Output> {
  readonly client: number;
  readonly input: Input;
  readonly output: Output;
  /** ms on a clock that all clients share, as is `returnedAt`: only their order counts. */
  readonly calledAt: number;
  readonly returnedAt: number;
}

/** A sequential specification: the states that an operation with this outcome can lead to (none: it can't happen). */
export type Model<State, Input, Output> = (state: State, input: Input, output: Output) => readonly State[];

/**
 * Finds a sequential order of the operations that the model allows and that keeps every operation behind those that
 * had returned before it was called (Herlihy and Wing's linearizability); undefined if there is none. Exponential in
 * the number of concurrent operations, so histories are kept short; visited (done, state) pairs are not tried twice.
 */
export function linearize<State, Input, Output>(
  history: readonly Operation<Input, Output>[],
  initial: State,
  model: Model<State, Input, Output>,
): readonly Operation<Input, Output>[] | undefined {
  if (history.length > 30)
    throw new RangeError(`a history of ${history.length} operations is too long; at most 30`);
  const all = 2 ** history.length - 1;
  const tried = new Set<string>();

  const search = (done: number, state: State): Operation<Input, Output>[] | undefined => {
    if (done === all) return [];
    const key = `${done} ${JSON.stringify(state)}`;
    if (tried.has(key)) return undefined;
    tried.add(key);
    const earliest = Math.min(
      ...history.filter((_, index) => !(done & (1 << index))).map((open) => open.returnedAt),
    );
    for (const [index, operation] of history.entries()) {
      if (done & (1 << index) || operation.calledAt > earliest) continue;
      for (const next of model(state, operation.input, operation.output)) {
        const rest = search(done | (1 << index), next);
        if (rest !== undefined) return [operation, ...rest];
      }
    }
    return undefined;
  };

  return search(0, initial);
}
