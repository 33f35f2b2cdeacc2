import { afterEach, beforeEach, expect, test } from 'vitest';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';
import { FaultRegistry } from '../faults/matching/registry.js';
import { faultRoutes } from './faults.js';
import { type ControlServer, startControl } from './server.js';

let control: ControlServer;

beforeEach(async () => {
  const conditions = () => ({ runtime: true, network: true });
  const registry = new FaultRegistry({ clock: createVirtualClock(), seed: 1, conditions });
  const counts = {
    sandboxes: { READY: 1, NOTREADY: 0 },
    containers: { CREATED: 0, RUNNING: 1, EXITED: 0, UNKNOWN: 0 },
  };
  const app = { id: 'c', name: 'app', attempt: 0, state: 'RUNNING', image: '', createdAt: '', startedAt: '' };
  const web = {
    id: 'p',
    name: 'web-1',
    namespace: 'default',
    uid: 'u',
    attempt: 0,
    state: 'READY',
    labels: {},
  };
  const snapshot = () => ({
    conditions: [],
    counts,
    events: { published: 0, dropped: 0, disconnected: 0, queues: [] },
    sandboxes: [
      {
        ...web,
        runtimeHandler: '',
        createdAt: '',
        ips: [],
        containers: [{ ...app, finishedAt: '', exitCode: 0, reason: '' }],
      },
    ],
  });
  control = await startControl({ listen: '127.0.0.1:0', routes: faultRoutes(registry, { snapshot }) });
});

afterEach(() => control.close());

async function send(method: string, path: string, body: object) {
  const response = await fetch(`${control.url}${path}`, { method, body: JSON.stringify(body) });
  const answer = (await response.json()) as { readonly notes?: readonly string[] };
  return { status: response.status, ...answer };
}

test('PUT takes a shorthand that makes one rule', async () => {
  expect(await send('PUT', '/v1/faults/slow', { shorthand: 'StartContainer=2*delay(5s)' })).toMatchObject({
    status: 200,
    name: 'slow',
    left: 2,
    spec: { match: { method: 'StartContainer' }, then: { delay: '5s' } },
  });
  expect(
    await send('PUT', '/v1/faults/slow', { shorthand: 'StartContainer=1*drop->delay(5s)' }),
  ).toMatchObject({
    status: 400,
    detail: 'the shorthand makes 2 rules, and the path names one: give one term, or use POST /v1/faults',
  });
  expect(await send('PUT', '/v1/faults/a', { shorthand: 'Status=hang', name: 'b' })).toMatchObject({
    detail: 'the path names rule a, the body b: give one name',
  });
  expect(
    await send('PUT', '/v1/faults/one', { shorthand: 'StopContainer=hang', node: 'mock-1*' }),
  ).toMatchObject({ detail: expect.stringContaining('match.node is for the nodes of mockri node') });
});

test('a rule for what does not exist is noted', async () => {
  const rule = (match: object) => ({
    match: { method: 'StopContainer', ...match },
    then: { ignoreStop: {} },
  });
  const notes = async (match: object) => (await send('POST', '/v1/faults', rule(match))).notes;
  expect(await notes({})).toBeUndefined();
  expect(await notes({ pod: { name: 'web-*' }, container: { name: 'app' } })).toBeUndefined();
  expect(await notes({ pod: { name: 'wbe-*' } })).toEqual([
    'rule ignoreStop-StopContainer-1-3 matches no pod that exists now: StopContainer=ignoreStop pod=wbe-*',
  ]);
  expect(await notes({ pod: { name: 'web-*' }, container: { name: 'ap' } })).toEqual([
    expect.stringContaining('matches no container that exists now'),
  ]);
});
