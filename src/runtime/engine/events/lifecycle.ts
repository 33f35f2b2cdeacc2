import type { ContainerRecord, SandboxRecord } from '../state/records.js';
import type { Announce, EventName } from './events.js';

/** A step in the lifecycle of a sandbox, or of one of its containers. */
export interface LifecycleStep {
  readonly event: EventName;
  /** As it is after the step. */
  readonly record: SandboxRecord | ContainerRecord;
}

/** What reads the lifecycles of all sandboxes and containers. Unlike a subscriber of events, it takes none from the others. */
export interface LifecycleWatchers {
  /** Calls back for each step from now on; returns how to stop that. */
  watch(listener: (step: LifecycleStep) => void): () => void;
  /** Announces, and calls the listeners. */
  readonly announce: Announce;
}

/** Lifecycle watchers; `announce` publishes the events. */
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
