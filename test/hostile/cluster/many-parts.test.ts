import { expect, it } from 'vitest';
import { type ApiPod, podFromApi } from '../../../src/cluster/objects/pod-from-api.js';
import { podOf } from '../../support/cluster/cluster-rig.js';

// Pods of about the size that an API server takes, a mebibyte and a half, with very many parts of one kind.

/** Of the processor, which a busy machine does not lengthen. */
const MOST_SECONDS = 6;

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));

const [container] = podOf('many').spec.containers;
const volume = { name: 'v', emptyDir: {} };
const attacks: Readonly<Record<string, object>> = {
  volumes: { volumes: times(45_000, (n) => ({ name: `v${n}` })) },
  mounts: {
    volumes: [volume],
    containers: [{ ...container, volumeMounts: times(40_000, (n) => ({ name: 'v', mountPath: `/${n}` })) }],
  },
  ports: {
    containers: [{ ...container, ports: times(40_000, (n) => ({ name: `p${n}`, containerPort: 1 })) }],
  },
};

it.each(Object.entries(attacks))('checks a pod with very many %s in time', (_, more) => {
  const { metadata, ...rest } = podOf('many', more);
  const before = process.cpuUsage();
  const { spec } = podFromApi({ ...rest, metadata: { ...metadata, resourceVersion: '1' } } as ApiPod);
  expect(spec.containers[0]?.name).toBe('app');
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(MOST_SECONDS);
});
