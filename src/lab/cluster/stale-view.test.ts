import { expect, test } from 'vitest';
import type { Hidden } from './proxy/view.js';
import { staleView, staleViewText } from './stale-view.js';

const change = (type: string, name: string, time: number, more: Partial<Hidden> = {}): Hidden => ({
  ...{ type, name, time, resource: 'pods', namespace: 'default', revision: time, isEnding: false },
  ...{ scope: '', isLost: false },
  cause: { fault: 'late', then: { delay: 600_000 } },
  ...more,
});
const written = { verb: 'create', resource: 'pods', namespace: 'default', name: 'web-x' } as const;

test('a stale view says what the program has not seen, since when and why, objects next to the written one first', () => {
  const cut = { fault: 'cut', then: { disconnect: 1 } };
  const view = staleView(written, [
    change('ADDED', 'node-1', 500, { resource: 'nodes', namespace: '', cause: cut }),
    change('ADDED', 'web-a', 1000),
    change('MODIFIED', 'web-a', 4000, { isEnding: true }),
    change('DELETED', 'web-b', 5000),
  ]);
  expect(view[1]).toEqual({
    ...{ object: 'pods/web-a', change: 'marked for deletion', revision: 4000, time: 4000 },
    ...{ fault: 'late', action: 'delay' },
  });
  expect(staleViewText(11_000, view)).toBe(
    'it had not seen pods/web-a (created 10.0s ago), pods/web-a (marked for deletion 7.0s ago), ' +
      'pods/web-b (deleted 6.0s ago), nodes/node-1 (created 10.5s ago), because of fault late (delay), cut (disconnect)',
  );
});

test('of many changes it names ten, those of the written object first', () => {
  const unseen = Array.from({ length: 12 }, (_, n) => change('ADDED', `web-${n}`, n));
  const view = staleView({ ...written, verb: 'update', name: 'web-11' }, unseen);
  expect(staleViewText(12, view)).toMatch(
    /^it had not seen pods\/web-11 .*web-8 \(created 0.0s ago\), because of fault late/,
  );
});
