import { expect, test } from 'vitest';
import { Container } from '../../cri/gen/runtime/v1/api.js';
import type { RuntimeClient } from './client.js';
import { POD_UID } from './labels.js';
import { createPodLister } from './list-pods.js';

const container = (id: string, createdAt: bigint) =>
  Container.fromPartial({ id, createdAt, metadata: { name: id }, labels: { [POD_UID]: 'a' } });

test.each([
  ['as listed', ['old', 'new', 'middle']],
  ['newest first', ['new', 'middle', 'old']],
] as const)('the containers of a pod come %s', async (order, ids) => {
  const client: Partial<RuntimeClient> = {
    listSandboxes: async () => [],
    listContainers: async () => [container('old', 1n), container('new', 3n), container('middle', 2n)],
  };
  const pods = await createPodLister(client as RuntimeClient, order)();
  expect(pods.get('a')?.containers.map(({ id }) => id)).toEqual(ids);
});
