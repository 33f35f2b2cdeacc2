import type { PodLifecycleEvent } from '../types.js';

/** plegChannelCapacity: events beyond it are lost. */
export const CHANNEL_CAPACITY = 1000;

/** The channel from the PLEGs to the sync loop. */
export interface EventChannel {
  /** False when the channel is full: the event is lost for good. */
  send(event: PodLifecycleEvent): boolean;
  receive(): PodLifecycleEvent | undefined;
  readonly length: number;
}

/** `wake` is called after every event sent. */
export function createEventChannel(wake: () => void, capacity = CHANNEL_CAPACITY): EventChannel {
  const events: PodLifecycleEvent[] = [];
  return {
    send: (event) => {
      if (events.length >= capacity) return false;
      events.push(event);
      wake();
      return true;
    },
    receive: () => events.shift(),
    get length() {
      return events.length;
    },
  };
}
