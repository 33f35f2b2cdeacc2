import { expect, it } from 'vitest';
import { type ApiPod, podFromApi } from '../../../src/cluster/objects/pod-from-api.js';
import { podOf } from '../../support/cluster/cluster-rig.js';

// Pods of about the size that an API server takes, a mebibyte and a half, with very many parts of one kind.

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));

const [container] = podOf('many').spec.containers;
const volume = { name: 'v', emptyDir: {} };
const attacks: Readonly<Record<string, (count: number) => object>> = {
  volumes: (count) => ({ volumes: times(count, (n) => ({ name: `v${n}` })) }),
  mounts: (count) => ({
    volumes: [volume],
    containers: [{ ...container, volumeMounts: times(count, (n) => ({ name: 'v', mountPath: `/${n}` })) }],
  }),
  ports: (count) => ({
    containers: [{ ...container, ports: times(count, (n) => ({ name: `p${n}`, containerPort: 1 })) }],
  }),
};

const MANY = 40_000;
const TIMES = 8;

/** Processor time in µs to read a pod. */
function cost(more: object): number {
  const { metadata, ...rest } = podOf('many', more);
  const pod = { ...rest, metadata: { ...metadata, resourceVersion: '1' } } as ApiPod;
  const before = process.cpuUsage();
  expect(podFromApi(pod).spec.containers[0]?.name).toBe('app');
  return process.cpuUsage(before).user;
}

it.each(Object.entries(attacks))('reads very many %s in time that grows with their number', (_, parts) => {
  const least = (runs: number, count: number) => Math.min(...times(runs, () => cost(parts(count))));
  // Eight times as many would take 64 times as long if each were compared with all others.
  expect(least(2, MANY) / least(3, MANY / TIMES)).toBeLessThan(TIMES * 2);
});
