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

/** Of the processor, in µs. */
function cost(work: () => void): number {
  const before = process.cpuUsage();
  work();
  return process.cpuUsage(before).user;
}

/** What it costs to compare each of many names with all others. */
const square = cost(() => {
  const names = times(MANY, (n) => `name${n}`);
  let same = 0;
  for (const [n, one] of names.entries()) for (let m = 0; m < n; m++) if (names[m] === one) same++;
  expect(same).toBe(0);
});

it.each(Object.entries(attacks))('reads very many %s without comparing each with all others', (_, parts) => {
  const { metadata, ...rest } = podOf('many', parts(MANY));
  const pod = { ...rest, metadata: { ...metadata, resourceVersion: '1' } } as ApiPod;
  const read = cost(() => expect(podFromApi(pod).spec.containers[0]?.name).toBe('app'));
  expect(read).toBeLessThan(square / 2);
});
