import { expect, test } from 'vitest';
import type { Json } from '../../kubelet/api-server/json.js';
import type { Resource } from './control/resources.js';
import { watchRows } from './rows.js';

const pods: Resource = {
  ...{ name: 'pods', kind: 'Pod', group: '', version: 'v1', isNamespaced: true, shortNames: [], verbs: [] },
};

test('a row is shown when it changes, and again when its object is created again', async () => {
  const shown: string[] = [];
  let tell: (event: Json) => void = () => {};
  const api = {
    send: () => Promise.reject(new Error('unused')),
    watch: async (_: string, __: string, changed: (event: Json) => void) => {
      tell = changed;
    },
    close: () => {},
  };
  await watchRows(api, pods, ({ object, type, cells }) => shown.push(`${type} ${object} ${cells.Status}`));
  const event = (type: string, status: string) =>
    tell({
      type,
      object: {
        columnDefinitions: [{ name: 'Status', priority: 0 }],
        rows: [{ cells: [status], object: { metadata: { name: 'web' } } }],
      },
    });
  event('ADDED', 'Running');
  event('MODIFIED', 'Running');
  event('DELETED', 'Running');
  event('ADDED', 'Running');
  expect(shown).toEqual(['ADDED pods/web Running', 'DELETED pods/web Running', 'ADDED pods/web Running']);
});
