import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { PlegMetrics } from '../pleg/metrics.js';

/** prometheus.DefBuckets of Go's client. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export interface KubeletMetrics {
  readonly pleg: PlegMetrics;
  render(): Promise<string>;
}

/** Uses the kubelet's names and types (pkg/kubelet/metrics/metrics.go). Every kubelet has its own registry. */
export function createKubeletMetrics(minor: number): KubeletMetrics {
  const registry = new Registry();
  const registers = [registry];
  const histogram = (name: string, help: string) =>
    new Histogram({ name: `kubelet_${name}`, help: `[ALPHA] ${help}`, buckets: BUCKETS, registers });
  const counter = (name: string, help: string) =>
    new Counter({ name: `kubelet_${name}`, help: `[ALPHA] ${help}`, registers });
  const gauge = (name: string, help: string) =>
    new Gauge({ name: `kubelet_${name}`, help: `[ALPHA] ${help}`, registers });

  const relistDuration = histogram(
    'pleg_relist_duration_seconds',
    'Duration in seconds for relisting pods in PLEG.',
  );
  const relistInterval = histogram(
    'pleg_relist_interval_seconds',
    'Interval in seconds between relisting in PLEG.',
  );
  const podRelistDuration =
    minor >= 36
      ? histogram(
          'pleg_pod_relist_duration_seconds',
          'Duration in seconds for relisting a single pod in PLEG.',
        )
      : undefined;
  const discarded = counter('pleg_discard_events', 'The number of discard events in PLEG.');
  const lastSeen = gauge('pleg_last_seen_seconds', 'Timestamp in seconds when PLEG was last seen active.');
  const eventedErrors = counter(
    'evented_pleg_connection_error_count',
    'The number of errors encountered during the establishment of streaming connection with the CRI runtime.',
  );
  const eventedSuccesses = counter(
    'evented_pleg_connection_success_count',
    'The number of times a streaming client was obtained to receive CRI Events.',
  );
  const eventedLatency = histogram(
    'evented_pleg_connection_latency_seconds',
    'The latency of streaming connection with the CRI runtime, measured in seconds.',
  );
  const runningPods = gauge('running_pods', 'Number of pods that have a running pod sandbox');
  const runningContainers = new Gauge({
    name: 'kubelet_running_containers',
    help: '[ALPHA] Number of containers currently running',
    labelNames: ['container_state'],
    registers,
  });

  return {
    pleg: {
      relistDuration: (seconds) => relistDuration.observe(seconds),
      relistInterval: (seconds) => relistInterval.observe(seconds),
      podRelistDuration: (seconds) => podRelistDuration?.observe(seconds),
      discardedEvent: () => discarded.inc(),
      lastSeen: (time) => lastSeen.set(time),
      runningPods: (count) => runningPods.set(count),
      runningContainers: (state, count) => runningContainers.set({ container_state: state }, count),
      moreRunningContainers: (state, difference) =>
        runningContainers.inc({ container_state: state }, difference),
      eventedConnected: () => eventedSuccesses.inc(),
      eventedFailed: () => eventedErrors.inc(),
      eventedLatency: (seconds) => eventedLatency.observe(seconds),
    },
    render: () => registry.metrics(),
  };
}
