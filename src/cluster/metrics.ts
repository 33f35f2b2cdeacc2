import { Counter, Gauge, Registry } from 'prom-client';
import { routeOf } from '../runtime/control/metrics.js';
import type { Route } from '../runtime/control/router.js';
import type { ApiClient } from './api/api-client.js';
import type { Cluster } from './cluster.js';

/** `GET /metrics` of `mockri node`: the nodes of the process, and its requests to the API server. */
export function nodeMetricsRoute(cluster: Cluster, api: Pick<ApiClient, 'counts' | 'waiting'>): Route {
  const registry = new Registry();
  const registers = [registry];
  new Gauge({
    name: 'mockri_nodes',
    help: 'Nodes of this process, by the state of their kubelet.',
    labelNames: ['kubelet'],
    registers,
    collect() {
      const all = [...cluster.nodes.values()];
      const running = all.filter(({ up }) => up).length;
      this.set({ kubelet: 'running' }, running);
      this.set({ kubelet: 'stopped' }, all.length - running);
    },
  });
  new Gauge({
    name: 'mockri_node_pods',
    help: 'Pods that are bound to the nodes.',
    registers,
    collect() {
      this.set(cluster.pods);
    },
  });
  new Counter({
    name: 'mockri_api_requests_total',
    help: 'Requests to the API server: sent, and of these refused by it or without an answer.',
    labelNames: ['result'],
    registers,
    collect() {
      this.reset();
      for (const [result, count] of Object.entries(api.counts)) this.inc({ result }, count);
    },
  });
  new Gauge({
    name: 'mockri_api_requests_waiting',
    help: 'Requests to the API server that wait for their turn.',
    registers,
    collect() {
      this.set(api.waiting);
    },
  });
  new Gauge({
    name: 'mockri_events_lost',
    help: 'Events that could not be posted.',
    registers,
    collect() {
      this.set(cluster.lostEvents);
    },
  });
  new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Memory of this process.',
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  return routeOf(registry);
}
