import { afterEach, expect, test } from 'vitest';
import type { z } from 'zod';
import { clusterRig, controlOf, PODS, podOf } from '../support/cluster/cluster-rig.js';
import { nodeOperations } from '../support/openapi/node-operations.js';
import { isThorough } from '../support/thorough.js';

const slow = test.runIf(isThorough);

const { setup, close } = clusterRig();
afterEach(close);

async function rig() {
  const made = await setup();
  const { api } = made;
  const { ask } = controlOf(made);
  const post = (rule: object) => ask('POST', '/v1/behaviors', rule);
  const put = (name: string, metadata: object = {}, spec: object = {}) => {
    const pod = podOf(name, spec);
    api.put(PODS, { ...pod, metadata: { ...pod.metadata, ...metadata } });
  };
  const container = (name: string) => api.get(`${PODS}/${name}`)?.status.containerStatuses?.[0];
  const ready = (name: string) =>
    api.get(`${PODS}/${name}`)?.status.conditions.find(({ type }: { type: string }) => type === 'Ready')
      .status;
  const list = async () => {
    const reply = (await ask('GET', '/v1/behaviors')) as { readonly json: { readonly behaviors: object[] } };
    return reply.json.behaviors;
  };
  const history = async (query: object) => {
    const reply = (await ask('GET', '/v1/history', query)) as { readonly json: unknown };
    const described = nodeOperations['GET /v1/history']?.reply as { readonly json: z.ZodType };
    const shown = JSON.parse(
      JSON.stringify(reply.json, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
    );
    return described.json.parse(shown) as { entries: { [key: string]: unknown }[]; next: number };
  };
  return { ...made, ask, post, put, container, ready, list, history };
}

test('a rule makes pods that come later crash again and again, chosen by their labels', async () => {
  const { clock, post, put, container, list, history } = await rig();
  await post({ match: { pod: { labels: { app: 'db' } } }, behavior: 'exit=1,after=3s' });
  put('db', { labels: { app: 'db' } });
  put('web');
  await clock.advance(40_000);
  expect(container('web')).toMatchObject({ ready: true, restartCount: 0 });
  expect(container('web')).toMatchObject({ ready: true, restartCount: 0 });
  expect(container('db')).toMatchObject({ restartCount: 2, lastState: { terminated: { exitCode: 1 } } });
  expect(await list()).toMatchObject([{ name: 'behavior-1', behavior: 'exit=1,after=3s', applied: 3 }]);
  const { entries, next } = await history({ kind: 'container', what: 'ended', pod: 'd*' });
  expect(entries.slice(0, 2)).toMatchObject([
    {
      node: 'mock-0',
      pod: { name: 'db', uid: 'uid-db' },
      container: { name: 'app', attempt: 0 },
      exitCode: 1,
    },
    { container: { name: 'app', attempt: 1 }, exitCode: 1, reason: 'Error' },
  ]);
  expect((await history({ since: String(next) })).entries).toEqual([]);
  expect((await history({ kind: 'event', reason: 'BackOff' })).entries[0]).toMatchObject({
    type: 'Warning',
    pod: { name: 'db' },
    container: { name: 'app' },
  });
});

test('a rule for one run ends the container that runs now, and leaves the next one alone', async () => {
  const { clock, post, put, container, list } = await rig();
  put('db');
  await clock.advance(5000);
  const match = { pod: { namespace: 'default', name: 'db' }, container: { name: 'app' } };
  await post({ match, behavior: 'oom', times: 1 });
  await clock.advance(60_000);
  expect(container('db')).toMatchObject({
    ready: true,
    restartCount: 1,
    lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } },
  });
  expect(await list()).toMatchObject([{ times: 1, applied: 1 }]);
});

slow('rules have 16 MiB together, and a rule can be replaced when there is no more', async () => {
  const { ask, post, list } = await rig();
  const long = { match: { pod: { labels: { long: 'x'.repeat(1_000_000) } } }, behavior: 'oom' };
  const refused = async (name: string) => {
    try {
      await ask('PUT', `/v1/behaviors/${name}`, long);
      return false;
    } catch (error) {
      expect(error).toMatchObject({ status: 409, message: expect.stringContaining('16777216') });
      return true;
    }
  };
  let count = 0;
  while (count < 20 && !(await refused(`rule-${count}`))) count++;
  expect(count).toBe(16);
  expect(await refused('rule-0')).toBe(false);
  expect(await list()).toHaveLength(16);
  await expect(post(long)).rejects.toThrow('16777216');
});

test('times of a rule count from now in a container that runs, and attempts from its first run', async () => {
  const { clock, post, put, container } = await rig();
  put('db');
  await clock.advance(60_000);
  await post({ behavior: 'exit=3,after=20s;run' });
  await clock.advance(15_000);
  expect(container('db')).toMatchObject({ restartCount: 0 });
  await clock.advance(200_000);
  expect(container('db')).toMatchObject({
    ready: true,
    restartCount: 1,
    lastState: { terminated: { exitCode: 3 } },
  });
});

test('a container without a readiness probe is not ready while a rule says so', async () => {
  const { clock, ask, post, put, ready } = await rig();
  put('web');
  await clock.advance(5000);
  expect(ready('web')).toBe('True');
  await post({ name: 'sick', match: { pod: { name: 'web' } }, probes: { readiness: 'fail' } });
  put('later');
  await clock.advance(2000);
  expect(ready('web')).toBe('False');
  expect(ready('later')).toBe('True');
  await ask('DELETE', '/v1/behaviors/sick');
  await clock.advance(2000);
  expect(ready('web')).toBe('True');
});

test('probes have the outcome of a rule, with their thresholds, and the container is restarted', async () => {
  const { clock, post, put, container, ready } = await rig();
  const exec = { command: ['true'] };
  const app = { name: 'app', image: 'busybox:1', command: ['sleep', '1h'] };
  const probe = { exec, periodSeconds: 1, failureThreshold: 2 };
  put('web', {}, { containers: [{ ...app, readinessProbe: probe, livenessProbe: probe }] });
  await clock.advance(5000);
  await post({ probes: { readiness: 'fail' } });
  await clock.advance(3000);
  expect(ready('web')).toBe('False');
  expect(container('web')).toMatchObject({ restartCount: 0 });
  await post({ probes: { readiness: 'succeed', liveness: 'fail' } });
  await clock.advance(12_000);
  expect(container('web').restartCount).toBeGreaterThan(0);
});

test('a hook fails as a rule says', async () => {
  const { clock, post, put, container, history } = await rig();
  await post({ hooks: { postStart: 'fail' } });
  const lifecycle = { postStart: { exec: { command: ['true'] } } };
  put('web', {}, { containers: [{ name: 'app', image: 'busybox:1', command: ['sleep', '1h'], lifecycle }] });
  await clock.advance(15_000);
  expect(container('web')).toMatchObject({ ready: false });
  expect((await history({ reason: 'FailedPostStartHook' })).entries.slice(0, 1)).toMatchObject([
    { pod: { name: 'web' } },
  ]);
});

test('pulls of an image fail for the pods of a rule', async () => {
  const { clock, post, put, container } = await rig();
  await post({
    match: { pod: { name: 'a' }, container: { image: 'docker.io/library/busybox:*' } },
    pull: { fail: 'unavailable' },
  });
  put('a');
  put('b', {}, { containers: [{ name: 'app', image: 'busybox:2', command: ['sleep', '1h'] }] });
  await clock.advance(3000);
  expect(container('a')).toMatchObject({ state: { waiting: { reason: 'ErrImagePull' } } });
  expect(container('b')).toMatchObject({ ready: true });
});

test('an owner is a Kind/name, and a Deployment owns the pods of its ReplicaSets', async () => {
  const { clock, post, put, container } = await rig();
  const ownedBy = (kind: string, name: string) => ({
    labels: { 'pod-template-hash': '5d4f8' },
    ownerReferences: [{ apiVersion: 'apps/v1', kind, name, uid: 'u', controller: true }],
  });
  await post({ match: { pod: { owner: 'Deployment/web' } }, behavior: 'exit=7' });
  put('mine', ownedBy('ReplicaSet', 'web-5d4f8'));
  put('other', ownedBy('ReplicaSet', 'web-2-5d4f8'));
  put('same', ownedBy('StatefulSet', 'web'));
  await clock.advance(5000);
  expect(container('mine')).toMatchObject({ lastState: { terminated: { exitCode: 7 } } });
  expect(container('other')).toMatchObject({ ready: true });
  expect(container('same')).toMatchObject({ ready: true });
});

test('the newest rule that matches wins, over annotations too, and without it the older one decides', async () => {
  const { clock, ask, post, put, container, list } = await rig();
  await post({ name: 'all', behavior: 'run' });
  await post({ name: 'web', match: { pod: { name: 'web' } }, behavior: 'exit=5' });
  put('web', { annotations: { 'behavior.mockri.dev/app': 'exit=6' } });
  put('db', { annotations: { 'behavior.mockri.dev/app': 'exit=6' } });
  await clock.advance(5000);
  expect(container('web')).toMatchObject({ lastState: { terminated: { exitCode: 5 } } });
  expect(container('db')).toMatchObject({ ready: true });
  await ask('PUT', '/v1/behaviors/all', { behavior: 'run' });
  expect(await list()).toMatchObject([{ name: 'web' }, { name: 'all' }]);
  await clock.advance(30_000);
  expect(container('web')).toMatchObject({ ready: true });
  expect(await ask('DELETE', '/v1/behaviors')).toEqual({ json: { behaviors: [] } });
  await clock.advance(5000);
  expect(container('db')).toMatchObject({ lastState: { terminated: { exitCode: 6 } } });
});

test('a rule that says nothing, twice the same name and an unknown one are errors that say what to do', async () => {
  const { ask, post } = await rig();
  await expect(post({})).rejects.toThrow('a rule needs at least one of behavior, probes, hooks and pull');
  await expect(post({ probes: {}, times: 2 })).rejects.toThrow('times needs behavior');
  await expect(post({ behavior: 'exti=1' })).rejects.toThrow('did you mean "exit"?');
  await expect(post({ match: { container: { name: 'app' } }, pull: { fail: 'denied' } })).rejects.toThrow(
    'match container.image, not container.name',
  );
  await post({ name: 'one', behavior: 'run' });
  await expect(post({ name: 'one', behavior: 'run' })).rejects.toThrow('PUT /v1/behaviors/one');
  await expect(ask('DELETE', '/v1/behaviors/ane')).rejects.toThrow('no rule is called "ane"');
});

test('a request for history waits for the first entry that fits', async () => {
  const { clock, put, history } = await rig();
  const waiting = history({ what: 'started', pod: 'web', wait: '10m' });
  put('web');
  await clock.advance(5000);
  expect((await waiting).entries).toMatchObject([{ what: 'started', pod: { name: 'web' } }]);
});

test('calls are kept from the first request for them on, with the name of the node', async () => {
  const { clock, ask, put } = await rig();
  const calls = async () => {
    const reply = await ask('GET', '/v1/calls', { method: 'StartContainer' });
    return (reply as { json: { calls: object[] } }).json.calls;
  };
  put('web');
  await clock.advance(5000);
  expect(await calls()).toEqual([]);
  put('db');
  await clock.advance(5000);
  expect(await calls()).toMatchObject([{ node: 'mock-0', code: 'OK', subject: { pod: { name: 'db' } } }]);
});
