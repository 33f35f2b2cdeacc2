import { expect, test } from 'vitest';
import { type Seen, triesOf } from './points.js';

test('each write and event of a program has its faults, the first of each resource first, and of these those that it creates', () => {
  const seen = (verb: Seen['verb'], resource: string, time: number) => ({
    program: 'operator',
    ...{ verb, resource, time },
  });
  const tries = triesOf(
    [
      seen('watch', 'configmaps', 500),
      seen('watch', 'pods', 1000),
      // The same event in another watch.
      seen('watch', 'pods', 1000.01),
      seen('create', 'pods', 2000),
      seen('watch', 'pods', 3000),
      seen('watch', 'webs.example.com', 4000),
      seen('get', 'pods', 5000),
    ],
    90_000,
  );
  expect(tries.map(({ fault: { name } }) => name)).toEqual([
    'stale-pods-1',
    'unobserved-pods-1',
    'stale-configmaps-1',
    'unobserved-configmaps-1',
    'killed-after-write-1',
    'killed-before-write-1',
    'stale-webs-example-com-1',
    'unobserved-webs-example-com-1',
    'stale-pods-2',
    'unobserved-pods-2',
  ]);
  // From the second event on, it sees what was 90 s before.
  expect(tries[8]).toEqual({
    lasts: 90_000,
    text: {
      name: 'stale-pods-2',
      match: { program: 'operator', watch: 'pods' },
      when: { during: { from: '3s', for: '1m27s' } },
      then: { delay: '1m30s' },
    },
    fault: expect.objectContaining({ then: { delay: 90_000 } }),
  });
});
