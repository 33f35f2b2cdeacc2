import type { ContainerRecord, SandboxRecord } from '../state/records.js';
import type { Announce, EventName } from './events.js';

export interface LifecycleStep {
  readonly event: EventName;
  readonly record: SandboxRecord | ContainerRecord;
}

/** Observes all lifecycles. Unlike a subscriber of events, a watcher takes none from the others. */
export interface LifecycleWatchers {
  watch(listener: (step: LifecycleStep) => void): () => void;
  readonly announce: Announce;
}

export function createLifecycleWatchers(announce: Announce): LifecycleWatchers {
  const listeners = new Set<(step: LifecycleStep) => void>();
  return {
    watch: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    announce: (event, record, withStatus) => {
      announce(event, record, withStatus);
      for (const listener of listeners) listener({ event, record });
    },
  };
}
