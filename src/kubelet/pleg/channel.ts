import type { PodLifecycleEvent } from '../types/runtime-status.js';

/** plegChannelCapacity: the kubelet drops further events. */
export const CHANNEL_CAPACITY = 1000;

export interface EventChannel {
  /** Returns false when the channel is full: the event is lost. */
  send(event: PodLifecycleEvent): boolean;
  receive(): PodLifecycleEvent | undefined;
  readonly length: number;
}

/** Calls `wake` after every event. */
export function createEventChannel(wake: () => void): EventChannel {
  const events: PodLifecycleEvent[] = [];
  return {
    send: (event) => {
      if (events.length >= CHANNEL_CAPACITY) return false;
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
