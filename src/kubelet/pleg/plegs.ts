import type { Clock } from '../../base/clock/clock.js';
import type { Random } from '../../base/random/random.js';
import type { RuntimeClient } from '../client/client.js';
import { getPodStatus, type PodStatusOptions } from '../client/pod-status.js';
import type { PlegReport, Problem } from '../types/reports.js';
import type { KubeletVersion } from '../types/version.js';
import { createPodCache, keepIps, type PodCache } from './cache.js';
import { createEventChannel, type EventChannel } from './channel.js';
import { createEventedPleg, EVENTED_RELIST_PERIOD, EVENTED_RELIST_THRESHOLD } from './evented.js';
import { createGenericPleg, RELIST_PERIOD, RELIST_THRESHOLD } from './generic.js';
import type { PlegMetrics } from './metrics.js';

const reportingMetrics = (metrics: PlegMetrics, report: (report: PlegReport) => void): PlegMetrics => ({
  ...metrics,
  relistDuration: (seconds) => {
    metrics.relistDuration(seconds);
    report({ state: 'relist', seconds });
  },
  eventedConnected: () => {
    metrics.eventedConnected();
    report({ state: 'evented' });
  },
});

const stateOf = (problem: Problem | undefined): 'healthy' | 'starting' | 'unhealthy' => {
  if (problem === undefined) return 'healthy';
  return problem.what === 'pleg-starting' ? 'starting' : 'unhealthy';
};

/** The kubelet's version and its feature gates select the PLEGs. */
export interface PlegsOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly client: RuntimeClient;
  readonly version: KubeletVersion;
  readonly metrics: PlegMetrics;
  readonly inspection: PodStatusOptions;
  readonly wake: () => void;
  readonly log: (message: string) => void;
  readonly report?: ((report: PlegReport) => void) | undefined;
}

export interface Plegs {
  start(): void;
  stop(): void;
  requestRelist(uid: string): void;
  /** Makes the next relist inspect this pod, even if nothing changed. */
  inspectAgain(uid: string): void;
  /** Names and reasons of unhealthy PLEGs (runtime.go runtimeErrors). */
  problems(): readonly Problem[];
}

/** The generic PLEG, plus the evented one with the EventedPLEG gate (kubelet.go NewMainKubelet). */
export function createPlegs(options: PlegsOptions): { cache: PodCache; channel: EventChannel; plegs: Plegs } {
  const { clock, client, version, inspection, log, report = () => {} } = options;
  const metrics = options.report ? reportingMetrics(options.metrics, report) : options.metrics;
  const { EventedPLEG: wantsEvents, PLEGOnDemandRelist: onDemand } = version.gates;
  const design = version.evented;
  const slow = wantsEvents && (design === 'A' || design === 'A-seconds');
  const cache = createPodCache({
    clock,
    refuseOlder: wantsEvents,
    hasRuntimeTimes: slow,
    miss: version.cacheMiss,
  });
  const channel = createEventChannel(options.wake);
  const generic = createGenericPleg({
    clock,
    random: options.random.fork('relists'),
    client,
    cache,
    channel,
    metrics,
    inspect: async (pod, timestamp) => keepIps(await getPodStatus(pod, timestamp, inspection), cache),
    skipRefused: wantsEvents,
    order: version.minor >= 36 ? 'newest first' : 'as listed',
    syncsReinspected: version.minor >= 36,
    reinspectsLast: version.minor < 32,
    onDemand: onDemand || (wantsEvents && design !== 'A' && design !== 'A-seconds'),
    period: slow ? EVENTED_RELIST_PERIOD : RELIST_PERIOD,
    threshold: slow ? EVENTED_RELIST_THRESHOLD : RELIST_THRESHOLD,
    log,
    report,
  });
  const evented = wantsEvents
    ? createEventedPleg({
        clock,
        random: options.random,
        client,
        files: inspection.files,
        cache,
        channel,
        generic,
        metrics,
        design,
        log,
        report,
      })
    : undefined;
  const problems = (): Problem[] => {
    const found = { PLEG: generic.health(), EventedPLEG: evented?.health() };
    const what = generic.hasListed ? 'pleg-unhealthy' : 'pleg-starting';
    return Object.entries(found).flatMap(([name, text]) =>
      text === undefined ? [] : [{ what, text: `${name} is not healthy: ${text}` }],
    );
  };
  const plegs: Plegs = {
    start: () => {
      generic.start();
      evented?.start();
    },
    stop: () => {
      generic.stop();
      evented?.stop();
    },
    requestRelist: generic.requestRelist,
    inspectAgain: generic.inspectAgain,
    problems: options.report ? reportingProblems(problems, report) : problems,
  };
  return { cache, channel, plegs };
}

function reportingProblems(
  problems: () => readonly Problem[],
  report: (report: PlegReport) => void,
): () => readonly Problem[] {
  let last: PlegReport['state'] | undefined;
  return () => {
    const found = problems();
    const [problem] = found;
    const state = stateOf(problem);
    // Durations in the text grow with every call; that is not a change.
    if (state !== last) report({ state, ...(problem && { text: problem.text }) });
    last = state;
    return found;
  };
}
