import { expect, test } from 'vitest';
import type { Json } from '../../../kubelet/api-server/json.js';
import type { Api } from '../control/api.js';
import { differences, problemsOf, snapshot } from './outcome.js';

const resource = (plural: string, kind: string) => ({
  resource: plural,
  responseKind: { kind },
  scope: 'Namespaced',
  verbs: ['create', 'list'],
});

/** An API server with these pods, and an event that no comparison takes into account. */
const apiWith = (pods: readonly Json[]): Api => ({
  send: async ({ path }) => {
    if (path === '/api')
      return {
        items: [
          {
            metadata: {},
            versions: [{ version: 'v1', resources: [resource('pods', 'Pod'), resource('events', 'Event')] }],
          },
        ],
      };
    return { items: path === '/api/v1/pods' ? pods : [] };
  },
  watch: async () => {},
  close: () => {},
});

const pod = (suffix: string, image = 'nginx:1', more: object = {}): Json => ({
  metadata: { name: `web-${suffix}`, generateName: 'web-', namespace: 'default', uid: suffix, ...more },
  spec: { image, nodeName: `node-${suffix}`, volumes: [{ name: `token-${suffix}` }] },
  status: { phase: 'Running' },
});

test('objects are equal whatever their generated names, their uids and their nodes are', async () => {
  const one = await snapshot(apiWith([pod('bcdfg'), pod('hjklm', 'busybox:1')]));
  const other = await snapshot(apiWith([pod('x2456', 'busybox:1'), pod('789vw')]));
  expect(differences(one, other)).toEqual([]);
  expect([...one.keys()]).toEqual(['pods/default/web-*']);
});

test('a missing object, another spec and one that is being deleted are differences', async () => {
  const usual = await snapshot(apiWith([pod('bcdfg'), pod('hjklm')]));
  const fewer = await snapshot(apiWith([pod('bcdfg')]));
  expect(differences(fewer, usual)).toEqual(['1 of pods/default/web-*, without the fault 2']);
  const changed = 'pods/default/web-* has another spec or phase than without the fault';
  const other = await snapshot(apiWith([pod('bcdfg'), pod('hjklm', 'nginx:2')]));
  expect(differences(other, usual)).toEqual([changed]);
  const deleted = pod('hjklm', 'nginx:1', { deletionTimestamp: '2026-01-01T00:00:00Z' });
  expect(differences(await snapshot(apiWith([pod('bcdfg'), deleted])), usual)).toEqual([changed]);
});

test('more creations than without the fault, and writes without end, are problems', () => {
  const usual = { objects: new Map(), changes: new Map([['a: create pods', 4]]), lateWrites: 3 };
  const outcome = { ...usual, changes: new Map([['a: create pods', 7]]), lateWrites: 24 };
  expect(problemsOf(usual, usual)).toEqual([]);
  expect(problemsOf(outcome, usual)).toEqual([
    'a: create pods 7 times, without the fault 4',
    '24 writes in the last minute, without the fault 3',
  ]);
});
