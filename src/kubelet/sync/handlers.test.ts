import { expect, test } from 'vitest';
import { aPod, aRuntimeContainer, aRuntimeStatus } from '../../../test/support/kubelet/objects.js';
import { statusOf } from '../../../test/support/kubelet/pod-status.js';
import { runtimeRig } from '../../../test/support/kubelet/runtime-context.js';
import { CallError } from '../../cri/client/call-error.js';
import { ContainerStatus } from '../../cri/gen/runtime/v1/api.js';
import type { RuntimeClient } from '../client/client.js';
import type { PodApiStatus } from '../kubernetes/pod-status.js';
import type { RuntimePodStatus } from '../types/runtime-status.js';
import { createHandlers } from './handlers.js';
import type { WorkerState } from './pod-worker.js';

/** Handlers with inert workers; `did` lists the requests to the workers and to the runtime. */
function setup(
  given: { status?: RuntimePodStatus; client?: Partial<RuntimeClient>; published?: PodApiStatus } = {},
) {
  const did: string[] = [];
  const states = new Map<string, WorkerState>();
  const { clock, context } = runtimeRig({
    containerStatus: async () => ContainerStatus.fromPartial({}),
    removeContainer: async (id) => {
      await clock.sleep(1);
      did.push(`remove ${id}`);
      if (id === 'c1') throw new CallError(13, 'no');
    },
    ...given.client,
  });
  const crashBackOff = { ...context.crashBackOff, gc: () => void did.push('collect back-offs') };
  const handlers = createHandlers({
    runtime: { ...context, crashBackOff },
    pods: new Map(),
    workers: {
      create: ({ metadata }) => did.push(`create ${metadata.uid}`),
      update: () => {},
      kill: ({ metadata }) => did.push(`kill ${metadata.uid}`),
      killRuntimePod: ({ uid }) => did.push(`kill orphan ${uid}`),
      state: (uid) => states.get(uid),
      isGone: () => false,
      forget: () => states,
      begin: () => {},
    },
    statuses: {
      get: () => given.published,
      keep: () => did.push('forget statuses'),
      setProbed: () => {},
      showAgain: () => {},
    },
    probes: { cleanUp: (wanted) => did.push(`keep probes of [${[...wanted]}]`) },
    cache: { get: () => given.status },
    resizing: {
      admit: () => undefined,
      added: () => {},
      changed: () => {},
      removed: () => {},
      retry: () => {},
      keep: () => {},
    },
    reject: () => {},
    log: () => {},
  });
  return { clock, did, states, handlers };
}

test('dead containers of all pods are removed one after the other, even if an earlier removal fails', async () => {
  const dead = ['c3', 'c2', 'c1', 'c0'].map((id) => aRuntimeContainer({ id, state: 'exited' }));
  const { clock, did, handlers } = setup({ status: aRuntimeStatus(dead) });
  handlers.podEvent({ uid: 'uid-1', type: 'ContainerDied', data: 'c3' });
  await clock.advance(10);
  expect(did).toEqual(['remove c2', 'remove c1', 'remove c0']);
});

test('removed pods are handled before added pods', () => {
  const { did, handlers } = setup();
  handlers.configChanged([aPod({}, { uid: '1' })]);
  handlers.configChanged([aPod({}, { uid: '2' })]);
  expect(did).toEqual(['create 1', 'kill 1', 'create 2']);
});

test('housekeeping stops the probes of pods that do not run, and starts pods without a worker', async () => {
  const { did, states, handlers } = setup();
  states.set('a', 'sync').set('b', 'terminating').set('c', 'terminated');
  handlers.configChanged([aPod({}, { uid: '1' })]);
  did.splice(0);
  await handlers.housekeeping();
  expect(did).toEqual(['keep probes of [a,b]', 'forget statuses', 'create 1', 'collect back-offs']);
});

test('housekeeping does not restart a pod that has ended', async () => {
  const { did, handlers } = setup({ published: { ...statusOf({}), phase: 'Succeeded' } });
  handlers.configChanged([aPod({}, { uid: '1' })]);
  did.splice(0);
  await handlers.housekeeping();
  expect(did).not.toContain('create 1');
});

test('housekeeping changes nothing when the runtime cannot list its pods', async () => {
  const listSandboxes = () => Promise.reject(new CallError(14, 'down'));
  const { did, handlers } = setup({ client: { listSandboxes } });
  await handlers.housekeeping();
  expect(did).toEqual([]);
});
