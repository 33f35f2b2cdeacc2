/** Durations are in seconds. */
export interface PlegMetrics {
  relistDuration(seconds: number): void;
  relistInterval(seconds: number): void;
  podRelistDuration(seconds: number): void;
  discardedEvent(): void;
  /** Unix seconds. */
  lastSeen(time: number): void;
  runningPods(count: number): void;
  /** Called only for states that occur: a gauge keeps its last value after the last container, as in the kubelet. */
  runningContainers(state: 'created' | 'running' | 'exited' | 'unknown', count: number): void;
  /** Adds to the gauge of one state. */
  moreRunningContainers(state: 'created' | 'running' | 'exited' | 'unknown', difference: number): void;
  eventedConnected(): void;
  eventedFailed(): void;
  eventedLatency(seconds: number): void;
}

const nothing = () => {};

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
