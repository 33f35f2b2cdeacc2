/** One operation of a concurrent history: input, output and times. */
export interface Operation<Input, Output> {
  readonly client: number;
  readonly input: Input;
  readonly output: Output;
  /** ms on a clock that all clients share, like `returnedAt`; only the order matters. */
  readonly calledAt: number;
  readonly returnedAt: number;
}

/**
 * A sequential specification: the possible next states after an operation with this outcome. An empty list means that
 * the outcome is impossible.
 */
export type Model<State, Input, Output> = (state: State, input: Input, output: Output) => readonly State[];

/**
 * Finds a sequential order of the operations that the model allows, and that keeps every operation behind those that
 * had returned before it was called (Herlihy and Wing's linearizability); undefined if there is none. Exponential in
 * the number of concurrent operations, so histories must be short. Visited (done, state) pairs are not tried again.
 */
export function linearize<State, Input, Output>(
  history: readonly Operation<Input, Output>[],
  initial: State,
  model: Model<State, Input, Output>,
): readonly Operation<Input, Output>[] | undefined {
  if (history.length > 30)
    throw new RangeError(`the history has ${history.length} operations; the maximum is 30`);
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
