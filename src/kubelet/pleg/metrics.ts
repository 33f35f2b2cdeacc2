/** What the PLEG measures. Durations in seconds. */
export interface PlegMetrics {
  relistDuration(seconds: number): void;
  relistInterval(seconds: number): void;
  podRelistDuration(seconds: number): void;
  discardedEvent(): void;
  /** Unix seconds. */
  lastSeen(time: number): void;
  runningPods(count: number): void;
  /** Called only for states that occur: a state that drops to none keeps its last value, as in the kubelet. */
  runningContainers(state: 'created' | 'running' | 'exited' | 'unknown', count: number): void;
  /** Adds to the number of a state, as events do. */
  moreRunningContainers(state: 'created' | 'running' | 'exited' | 'unknown', difference: number): void;
  eventedConnected(): void;
  eventedFailed(): void;
  eventedLatency(seconds: number): void;
}

const nothing = () => {};

/** Measures nothing: for a kubelet that nobody scrapes. */
export const noPlegMetrics: PlegMetrics = {
  relistDuration: nothing,
  relistInterval: nothing,
  podRelistDuration: nothing,
  discardedEvent: nothing,
  lastSeen: nothing,
  runningPods: nothing,
  runningContainers: nothing,
  moreRunningContainers: nothing,
  eventedConnected: nothing,
  eventedFailed: nothing,
  eventedLatency: nothing,
};
