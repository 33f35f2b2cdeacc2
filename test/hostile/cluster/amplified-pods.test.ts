import { afterEach, expect, it } from 'vitest';
import { clusterRig, podOf } from '../../support/cluster/cluster-rig.js';

// Pods of a kilobyte whose parts refer to each other, so that they become gigabytes when they are expanded.

const { setup, close } = clusterRig();
afterEach(close);

/** Twelve lines of ten references each: a thousand billion times the first text. */
const LEVELS = 12;
const doubled = Array.from({ length: LEVELS }, (_, level) => ({
  name: `V${level}`,
  value: level === 0 ? 'x'.repeat(64) : `$(V${level - 1})`.repeat(10),
}));
const long = { name: 'LONG', value: 'x'.repeat(100_000) };
const many = '$(LONG)'.repeat(400);

const attacks: Readonly<Record<string, object>> = {
  'variables of variables': { env: doubled },
  'a variable that repeats another': { env: [long, { name: 'MANY', value: many }] },
  'a ConfigMap under many prefixes': {
    envFrom: Array.from({ length: 400 }, (_, n) => ({ prefix: `p${n}`, configMapRef: { name: 'c' } })),
  },
  'a key of a ConfigMap in many variables': {
    env: Array.from({ length: 400 }, (_, n) => ({
      name: `V${n}`,
      valueFrom: { configMapKeyRef: { name: 'c', key: 'k' } },
    })),
  },
  'a command of variables': { env: [long], command: ['echo', many] },
  'many arguments of variables': { env: [long], args: Array.from({ length: 400 }, () => '$(LONG)') },
  'a path of variables': {
    env: [long],
    volumeMounts: [{ name: 'e', mountPath: '/e', subPathExpr: many }],
  },
};

it.each(Object.entries(attacks))('a container is refused, and its neighbour runs: %s', async (_, more) => {
  const { clock, api, put } = await setup();
  api.put('/api/v1/namespaces/default/configmaps', { metadata: { name: 'c' }, data: { k: long.value } });
  const [container] = podOf('large').spec.containers;
  put('large', { containers: [{ ...container, ...more }], volumes: [{ name: 'e', emptyDir: {} }] });
  put('small');
  await clock.advance(30_000);
  const [large, small] = ['large', 'small'].map(
    (name) =>
      api.all('/api/v1/namespaces/default/pods').find(({ metadata }) => metadata.name === name)?.status,
  );
  expect(large.containerStatuses[0].state.waiting).toMatchObject({
    reason: 'CreateContainerConfigError',
    message: expect.stringContaining('variables add more than 2097152 characters'),
  });
  expect(small.phase).toBe('Running');
});
