/** Calls back when the signal aborts. Returns a function that stops watching. */
export type AbortWatch = (signal: AbortSignal | undefined, onAbort: () => void) => () => void;

const nothing = (): void => {};

/** Watches signals that many short calls share: a listener for every call may cost more than the call. */
export function createAbortWatch(): AbortWatch {
  const watched = new WeakMap<AbortSignal, Set<() => void>>();

  const watchersOf = (signal: AbortSignal): Set<() => void> => {
    const known = watched.get(signal);
    if (known !== undefined) return known;
    const watchers = new Set<() => void>();
    watched.set(signal, watchers);
    const tell = () => {
      for (const watcher of [...watchers]) watcher();
    };
    signal.addEventListener('abort', tell, { once: true });
    return watchers;
  };

  return (signal, onAbort) => {
    if (signal === undefined) return nothing;
    const watchers = watchersOf(signal);
    watchers.add(onAbort);
    return () => watchers.delete(onAbort);
  };
}
