import { expect, test } from 'vitest';
import { createKubeletMetrics } from './metrics.js';

test('names and types are the kubelet’s', async () => {
  const metrics = createKubeletMetrics(36);
  metrics.pleg.relistDuration(0.003);
  metrics.pleg.runningContainers('exited', 2);
  metrics.pleg.eventedFailed();
  const text = await metrics.render();
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)]
    .map(([, name, type]) => `${name} ${type}`)
    .sort();
  expect(types).toEqual([
    'kubelet_evented_pleg_connection_error_count counter',
    'kubelet_evented_pleg_connection_latency_seconds histogram',
    'kubelet_evented_pleg_connection_success_count counter',
    'kubelet_pleg_discard_events counter',
    'kubelet_pleg_last_seen_seconds gauge',
    'kubelet_pleg_pod_relist_duration_seconds histogram',
    'kubelet_pleg_relist_duration_seconds histogram',
    'kubelet_pleg_relist_interval_seconds histogram',
    'kubelet_running_containers gauge',
    'kubelet_running_pods gauge',
  ]);
  expect(text).toContain('kubelet_pleg_relist_duration_seconds_bucket{le="0.005"} 1\n');
  expect(text).toContain('kubelet_running_containers{container_state="exited"} 2\n');
  expect(text).toContain('kubelet_evented_pleg_connection_error_count 1\n');
  expect(text).not.toContain('container_state="running"');
});

test('the relist metric of single pods exists from 1.36 on', async () => {
  expect(await createKubeletMetrics(35).render()).not.toContain('pod_relist');
});
