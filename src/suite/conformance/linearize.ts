export interface Operation<Input, Output> {
  readonly client: number;
  readonly input: Input;
  readonly output: Output;
  /** ms on a clock that all clients share, like `returnedAt`; only the order matters. */
  readonly calledAt: number;
  readonly returnedAt: number;
}

/** The possible next states after an operation; none if its outcome is impossible. */
export type Model<State, Input, Output> = (state: State, input: Input, output: Output) => readonly State[];

/**
 * Finds a sequential order of the operations that the model allows, and in which every operation follows those that
 * returned before it was called (Herlihy and Wing's linearizability); undefined if there is none. Exponential in the
 * number of concurrent operations, so histories must be short. Never visits a (done, state) pair twice.
 */
export function linearize<State, Input, Output>(
  history: readonly Operation<Input, Output>[],
  initial: State,
  model: Model<State, Input, Output>,
): readonly Operation<Input, Output>[] | undefined {
  const all = fullSet(history);
  const tried = new Set<string>();

  const search = (done: number, state: State): Operation<Input, Output>[] | undefined => {
    if (done === all) return [];
    const key = `${done} ${JSON.stringify(state)}`;
    if (tried.has(key)) return undefined;
    tried.add(key);
    for (const [index, operation] of callable(history, done)) {
      for (const next of model(state, operation.input, operation.output)) {
        const rest = search(done | (1 << index), next);
        if (rest !== undefined) return [operation, ...rest];
      }
    }
    return undefined;
  };

  return search(0, initial);
}

/** The possible final states of a history: one for each sequential order that the model allows. */
export function statesAfter<State, Input, Output>(
  history: readonly Operation<Input, Output>[],
  initial: readonly State[],
  model: Model<State, Input, Output>,
): readonly State[] {
  const ends = new Map<string, State>();
  const all = fullSet(history);
  const tried = new Set<string>();
  const search = (done: number, state: State): void => {
    const text = JSON.stringify(state);
    if (done === all) ends.set(text, state);
    const key = `${done} ${text}`;
    if (done === all || tried.has(key)) return;
    tried.add(key);
    for (const [index, { input, output }] of callable(history, done))
      for (const next of model(state, input, output)) search(done | (1 << index), next);
  };
  for (const state of initial) search(0, state);
  return [...ends.values()];
}

type History = readonly Operation<unknown, unknown>[];

function fullSet(history: History): number {
  if (history.length > 30)
    throw new RangeError(`the history has ${history.length} operations; the maximum is 30`);
  return 2 ** history.length - 1;
}

/** The operations that can come next: no other one had returned before they were called. */
function callable<Input, Output>(
  history: readonly Operation<Input, Output>[],
  done: number,
): readonly (readonly [number, Operation<Input, Output>])[] {
  const open = [...history.entries()].filter(([index]) => !(done & (1 << index)));
  const earliest = Math.min(...open.map(([, { returnedAt }]) => returnedAt));
  return open.filter(([, { calledAt }]) => calledAt <= earliest);
}
