import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { codeName } from '../../cri/status-code.js';
import type { Referee } from '../../tape/judge/referee.js';
import type { Runtime } from '../engine/runtime.js';
import type { Faults } from '../faults/faults.js';
import { type CallLog, latencyBuckets, type MethodStats } from '../server/call-log.js';
import type { Route } from './router.js';

export interface Measured {
  readonly log: CallLog;
  readonly connections: { readonly size: number };
  readonly runtime?: Runtime | undefined;
  readonly faults?: Pick<Faults, 'applied'> | undefined;
  readonly referee?: Pick<Referee, 'counts'> | undefined;
}

export function metricsRoute({ log, connections, runtime, faults, referee }: Measured): Route {
  const registry = new Registry();
  addCalls(registry, log);
  if (faults) addFaults(registry, faults);
  if (referee) addReferee(registry, referee);
  new Gauge({
    name: 'mockri_connections',
    help: 'Open connections to the CRI endpoint.',
    registers: [registry],
    collect() {
      this.set(connections.size);
    },
  });
  if (runtime) addRuntime(registry, runtime);
  return routeOf(registry);
}

export const routeOf = (registry: Registry): Route => ({
  method: 'GET',
  path: '/metrics',
  handle: async () => ({ type: registry.contentType, text: await registry.metrics() }),
});

function addCalls(registry: Registry, log: CallLog): void {
  new Counter({
    name: 'mockri_rpc_total',
    help: 'Finished RPCs by method and gRPC code.',
    labelNames: ['method', 'code'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { method, codes } of log.methods)
        codes.forEach((count, code) => {
          if (count > 0) this.inc({ method, code: codeName(code) }, count);
        });
    },
  });
  new LatencyHistogram(registry, log);
  new Counter({
    name: 'mockri_stream_messages_total',
    help: 'Messages sent, by method.',
    labelNames: ['method'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { method, messages } of log.methods) if (messages > 0) this.inc({ method }, messages);
    },
  });
}

/** A histogram with the values of the log; prom-client's own would have to observe every call itself. */
class LatencyHistogram extends Histogram<'method' | 'le'> {
  readonly #log: CallLog;

  constructor(registry: Registry, log: CallLog) {
    super({ name: LATENCY, help: HELP, registers: [registry] });
    this.#log = log;
  }

  /** The registry and `get` both call this; prom-client's types lack it. */
  async getForPromString() {
    const values = [...this.#log.methods].flatMap(latenciesOf);
    return { name: LATENCY, help: HELP, type: 'histogram', values };
  }
}

const LATENCY = 'mockri_rpc_duration_seconds';
const HELP = 'Duration of finished RPCs.';

function latenciesOf({ method, buckets, latencySum }: MethodStats) {
  let total = 0;
  const bounds = [...latencyBuckets, '+Inf' as const];
  const cumulative = bounds.map((le, index) => {
    total += buckets[index] ?? 0;
    return { value: total, labels: { le, method }, metricName: `${LATENCY}_bucket` };
  });
  if (total === 0) return [];
  return [
    ...cumulative,
    { value: latencySum, labels: { method }, metricName: `${LATENCY}_sum` },
    { value: total, labels: { method }, metricName: `${LATENCY}_count` },
  ];
}

function addFaults(registry: Registry, faults: Pick<Faults, 'applied'>): void {
  new Counter({
    name: 'mockri_faults_applied_total',
    help: 'Applications of fault rules by rule, RPC (empty for connections and times) and action.',
    labelNames: ['rule', 'method', 'action'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { rule, method, action, count } of faults.applied) this.inc({ rule, method, action }, count);
    },
  });
}

function addReferee(registry: Registry, referee: Pick<Referee, 'counts'>): void {
  new Counter({
    name: 'mockri_referee_findings_total',
    help: 'What clients did wrong, by rule.',
    labelNames: ['rule'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [rule, count] of referee.counts) this.inc({ rule }, count);
    },
  });
}

function addRuntime(registry: Registry, runtime: Runtime): void {
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  for (const kind of ['sandboxes', 'containers'] as const)
    new Gauge({
      name: `mockri_${kind}`,
      help: `${kind === 'sandboxes' ? 'Pod sandboxes' : 'Containers'} by state.`,
      labelNames: ['state'],
      registers: [registry],
      collect() {
        for (const [state, count] of Object.entries(runtime.counts[kind])) this.set({ state }, count);
      },
    });
  gauge('mockri_event_subscribers', 'Open container event streams.', () => runtime.eventStats.queues.length);
  gauge('mockri_event_queue', 'Events that wait for the slowest subscriber.', () =>
    Math.max(0, ...runtime.eventStats.queues),
  );
  for (const [name, help, key] of [
    ['mockri_events_published_total', 'Container events published.', 'published'],
    ['mockri_events_dropped_total', 'Container events that a full queue lost.', 'dropped'],
    ['mockri_event_disconnects_total', 'Subscribers that were cut off for being slow.', 'disconnected'],
  ] as const)
    new Counter({
      name,
      help,
      registers: [registry],
      collect() {
        this.reset();
        this.inc(runtime.eventStats[key]);
      },
    });
}
