import { expect, test } from 'vitest';
import { aPod } from '../../../test/support/kubelet/objects.js';
import { statusOf } from '../../../test/support/kubelet/pod-status.js';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';
import type { Pod } from '../kubernetes/pod.js';
import type { PodApiStatus } from '../kubernetes/pod-status.js';
import { createStatusStore, type StatusStoreOptions } from './status-store.js';

/** A store of one pod, which takes each status as it is. */
const storeOf = (wanted: Pod, options: Partial<StatusStoreOptions>) =>
  createStatusStore({
    clock: createVirtualClock(),
    wanted: () => wanted,
    sink: undefined,
    signal: new AbortController().signal,
    refresh: (_pod, status) => status,
    mayFollow: () => true,
    normalize: (_pod, status) => status,
    ...options,
  });

test('an illegal status change is dropped; a legal one is normalized, stored and reported once', () => {
  const told: string[] = [];
  const pod = aPod();
  const store = storeOf(pod, {
    sink: { status: (_pod, { phase }) => told.push(phase) },
    mayFollow: (_pod, before) => before.phase !== 'Succeeded',
    normalize: (_pod, status) => ({ ...status, message: 'normal' }),
  });
  const running = statusOf({ pod, containers: [{}] });
  const inPhase = (phase: PodApiStatus['phase']): PodApiStatus => ({ ...running, phase });
  for (const phase of ['Running', 'Running', 'Succeeded', 'Running'] as const) store.set(pod, inPhase(phase));
  expect(told).toEqual(['Running', 'Succeeded']);
  expect(store.get(pod.metadata.uid)).toMatchObject({ phase: 'Succeeded', message: 'normal' });
});

test('the API shows the end of a pod, and its reason, once no container can run; a static pod at once', () => {
  for (const source of ['api', 'file'] as const) {
    const told: string[] = [];
    const pod = { ...aPod(), source };
    const store = storeOf(pod, {
      sink: { status: (_pod, { phase, reason, message }) => told.push(`${phase} ${reason} ${message}`) },
    });
    const running = statusOf({ pod, containers: [{}] });
    const failed: PodApiStatus = { ...running, phase: 'Failed', reason: 'DeadlineExceeded', message: 'late' };
    store.set(pod, running);
    store.set(pod, failed);
    store.showAgain(pod);
    store.set(pod, { ...failed, message: 'over' }, 'stopped');
    store.set(pod, { ...failed, message: 'over' }, 'last');
    const early = source === 'api' ? 'Running undefined undefined' : 'Failed DeadlineExceeded late';
    const over = 'Failed DeadlineExceeded over';
    expect(told).toEqual(['Running undefined undefined', early, early, over, over]);
    expect(store.get(pod.metadata.uid)).toMatchObject({ phase: 'Failed' });
  }
});

test('the API shows the end of a pod whose status has it since a sync in which it could not be stopped', () => {
  const told: string[] = [];
  const pod = { ...aPod(), source: 'api' as const };
  const store = storeOf(pod, { sink: { status: (_pod, { phase }) => told.push(phase) } });
  const failed: PodApiStatus = { ...statusOf({ pod, containers: [{}] }), phase: 'Failed' };
  store.set(pod, failed);
  store.set(pod, failed, 'stopped');
  store.set(pod, failed, 'stopped');
  expect(told).toEqual(['Pending', 'Failed']);
});

test('a status returns from the API after all of its instant', async () => {
  const clock = createVirtualClock();
  const pod = aPod();
  const { uid } = pod.metadata;
  const store = storeOf(pod, { clock });
  const inPhase = (phase: PodApiStatus['phase']) => ({ ...statusOf({ pod, containers: [{}] }), phase });
  store.set(pod, inPhase('Pending'));
  expect([store.get(uid)?.phase, store.returned(uid)?.phase]).toEqual(['Pending', undefined]);
  await clock.advance(1);
  store.set(pod, inPhase('Running'));
  store.set(pod, inPhase('Failed'));
  expect([store.get(uid)?.phase, store.returned(uid)?.phase]).toEqual(['Failed', 'Pending']);
  await clock.advance(1);
  expect(store.returned(uid)?.phase).toBe('Failed');
});

test('a status is shown with the pod as the API has it: a sync from before the deletion does not know of it', () => {
  const told: unknown[] = [];
  const pod = aPod();
  const deleted = { ...pod, metadata: { ...pod.metadata, deletionTimestamp: 5n } };
  const store = storeOf(deleted, {
    sink: { status: ({ metadata }) => told.push(metadata.deletionTimestamp) },
  });
  store.set(pod, statusOf({ pod, containers: [{}] }));
  expect(told).toEqual([5n]);
});
