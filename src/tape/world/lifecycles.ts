import { forgetOldest } from '../../base/input/forget-oldest.js';
import type { EntryOf } from '../entries.js';
import { containerName, sandboxName } from './shown.js';
import type { TrackedObject } from './tracked-object.js';
import type { Watcher } from './watcher.js';

export interface Lifecycle extends Pick<TrackedObject, 'id' | 'kind' | 'sandboxId' | 'name'> {
  /** Like `least` of a tracked object: 0 created, 1 running, 2 exited; for a sandbox 0 ready, 2 not ready. */
  readonly state: number;
  /** Lines since which it exists, and has this state. */
  readonly madeAt: number;
  readonly stateAt: number;
}

/** Sandboxes and containers in the runtime's own record; recorders of other runtimes write none. */
export interface Lifecycles {
  get(id: string): Lifecycle | undefined;
  readonly all: Iterable<Lifecycle>;
  isRemoved(id: string): boolean;
  readonly watcher: Watcher;
}

export function createLifecycles(): Lifecycles {
  const lifecycles = new Map<string, Lifecycle>();
  const removed = new Set<string>();
  const lived = (entry: EntryOf<'container' | 'sandbox'>, line: number) => {
    const made = lifecycleOf(entry, line);
    if (made === undefined) return;
    const before = lifecycles.get(made.id);
    if (entry.what === 'removed') {
      lifecycles.delete(made.id);
      removed.add(made.id);
    } else lifecycles.set(made.id, { ...made, madeAt: before?.madeAt ?? line });
    forgetOldest(lifecycles);
    forgetOldest(removed);
  };
  return {
    get: (id) => lifecycles.get(id),
    get all() {
      return lifecycles.values();
    },
    isRemoved: (id) => removed.has(id),
    watcher: {
      lived,
      forget: () => {
        lifecycles.clear();
        removed.clear();
      },
    },
  };
}

const states = { created: 0, started: 1, ended: 2, ready: 0, stopped: 2, removed: 2 } as const;

/** Undefined if the record has no id, as in a simulation. */
function lifecycleOf(entry: EntryOf<'container' | 'sandbox'>, line: number): Lifecycle | undefined {
  const { pod, what } = entry;
  const common = { state: states[what], sandboxId: pod?.id ?? '', madeAt: line, stateAt: line };
  if (entry.kind === 'container') {
    const { id, name = '', attempt = 0 } = entry.container ?? {};
    return id === undefined
      ? undefined
      : { ...common, id, kind: 'container', name: containerName({ name, attempt }) };
  }
  if (pod?.id === undefined) return undefined;
  const { name, namespace, uid = '', attempt = 0 } = pod;
  return { ...common, id: pod.id, kind: 'sandbox', name: sandboxName({ name, namespace, uid, attempt }) };
}
