import { describe, expect, test } from 'vitest';
import {
  ContainerState,
  ContainerStatus,
  PodSandboxState,
  PodSandboxStatus,
} from '../../cri/gen/runtime/v1/api.js';
import { noFiles } from '../disk/files.js';
import type { RuntimeClient } from './client.js';
import { CONTAINER_NAME } from './labels.js';
import type { ListedPod } from './list-pods.js';
import { getPodStatus, ipsOfSandbox, sortPodIps } from './pod-status.js';

test.each([
  [undefined, []],
  [{ ip: '', additionalIps: [] }, []],
  [{ ip: '10.0.0.1', additionalIps: [{ ip: 'fd00::1' }] }, ['10.0.0.1', 'fd00::1']],
  [{ ip: '', additionalIps: [{ ip: 'fd00::1' }] }, ['fd00::1']],
  [{ ip: '10.0.0.1', additionalIps: [{ ip: 'nowhere' }] }, []],
  [{ ip: '10.0.0', additionalIps: [] }, []],
])('addresses of a sandbox with the network %j', (network, ips) => {
  expect(ipsOfSandbox(PodSandboxStatus.fromPartial(network === undefined ? {} : { network }))).toEqual(ips);
});

test('the API shows one address per family, IPv4 first', () => {
  expect(sortPodIps(['fd00::1', '10.0.0.1', '10.0.0.2', 'fd00::2'])).toEqual(['10.0.0.1', 'fd00::1']);
  expect(sortPodIps(['fd00::1'])).toEqual(['fd00::1']);
});

describe('the status of a pod', () => {
  const listed = (ids: readonly string[]): ListedPod => ({
    uid: 'uid-1',
    name: 'web',
    namespace: 'default',
    sandboxes: ids.map((id) => ({ id, ready: true, attempt: 0, createdAt: 1n })),
    containers: [
      { id: 'c1', name: 'app', state: 'running', createdAt: 1n, podSandboxId: 's1' },
      { id: 'c2', name: 'app', state: 'running', createdAt: 2n, podSandboxId: 's2' },
    ],
  });
  const container = (id: string, createdAt: bigint) =>
    ContainerStatus.fromPartial({
      id,
      createdAt,
      state: ContainerState.CONTAINER_RUNNING,
      labels: { [CONTAINER_NAME]: 'app' },
      image: { image: 'docker.io/library/busybox:1', userSpecifiedImage: 'busybox:1' },
    });

  const setup = (
    sandboxes: readonly string[],
    believeSandboxAnswer = false,
    timestamp = 0n,
    readsSeconds = false,
  ) => {
    const calls: string[] = [];
    const client = {
      sandboxStatus: async (id: string) => {
        calls.push(id);
        if (id === 'gone') throw Object.assign(new Error('gone'), { code: 5 });
        const network = { ip: `10.0.0.${id.slice(1)}`, additionalIps: [] };
        const status = PodSandboxStatus.fromPartial({ id, state: PodSandboxState.SANDBOX_READY, network });
        const containersStatuses = [container('c1', 1n), container('c2', 2n)];
        return { status: id === 'nil' ? undefined : status, info: {}, containersStatuses, timestamp };
      },
      containerStatus: async (id: string) => {
        calls.push(id);
        return container(id, id === 'c1' ? 1n : 2n);
      },
    } as unknown as RuntimeClient;
    const options = { client, files: noFiles, believeSandboxAnswer, readsSeconds };
    return { calls, status: getPodStatus(listed(sandboxes), 5n, options) };
  };

  test('has the runtime’s image name', async () => {
    const { containers } = await setup(['s1']).status;
    expect(containers.map(({ image }) => image)).toEqual(Array(2).fill('docker.io/library/busybox:1'));
  });

  test('has its addresses and active containers only from the newest sandbox', async () => {
    const both = await setup(['s2', 's1']).status;
    expect(both.ips).toEqual(['10.0.0.2']);
    expect(both.containers.map(({ id, active }) => [id, active])).toEqual([
      ['c2', true],
      ['c1', false],
    ]);
    const older = await setup(['gone', 's1']).status;
    expect(older.ips).toEqual([]);
    expect(older.containers.some(({ active }) => active)).toBe(false);
  });

  test('is unknown if the reply for a sandbox is empty', async () => {
    await expect(setup(['nil']).status).rejects.toThrow('pod sandbox status is nil');
  });

  test('takes its containers from a sandbox reply that contains them, in that order and none active', async () => {
    const { calls, status } = setup(['s1'], true, 7n);
    const { containers, timestamp } = await status;
    expect(timestamp).toBe(7n);
    expect(containers.map(({ id, active }) => [id, active])).toEqual([
      ['c1', false],
      ['c2', false],
    ]);
    expect(calls).toEqual(['s1']);
  });

  test('has a time far from now if the kubelet takes nanoseconds for seconds', async () => {
    expect((await setup(['s1'], true, 7n, true).status).timestamp).toBe(7_000_000_000n);
  });

  test('with the evented PLEG has no containers if its newest sandbox no longer exists', async () => {
    const { calls, status } = setup(['gone', 's1'], true, 7n);
    expect((await status).containers).toEqual([]);
    expect(calls).toEqual(['gone', 's1']);
  });

  test('with the evented PLEG and an older runtime reads its containers before older sandboxes', async () => {
    const { calls, status } = setup(['s2', 's1'], true);
    await status;
    expect(calls).toEqual(['s2', 'c1', 'c2', 's1']);
  });
});
