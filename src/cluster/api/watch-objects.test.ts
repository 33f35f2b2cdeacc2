import { expect, test } from 'vitest';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';
import { createRandom } from '../../base/random/random.js';
import type { ApiClient, ApiRequest } from './api-client.js';
import { ApiError } from './api-error.js';
import { watchObjects } from './watch-objects.js';

const MIB = 1024 * 1024;

/** Watches for a minute; `page` answers each request for a part of the list, and watches find no version. */
async function watched(page: (request: ApiRequest) => object) {
  const clock = createVirtualClock();
  const stop = new AbortController();
  const logs: string[] = [];
  let requests = 0;
  const api = {
    request: async (request: ApiRequest) => {
      // A watch that never pauses must not hang the test.
      if (++requests > 1000) stop.abort();
      return page(request);
    },
    lines: async () => {
      throw new ApiError(410, 'Expired', 'too old');
    },
  } as unknown as ApiClient;
  const options = {
    api,
    clock,
    random: createRandom(1),
    signal: stop.signal,
    log: (line: string) => logs.push(line),
    path: '/api/v1/pods',
    query: {},
    listed: () => {},
    changed: () => {},
    removed: () => {},
  };
  void clock.run(() => watchObjects(options));
  await clock.advance(60_000);
  stop.abort();
  await clock.advance(0);
  return { requests, logs };
}

const metadata = { resourceVersion: '1', continue: 'more' };

test('a server that is asked again after each watch is asked with a pause', async () => {
  const { requests, logs } = await watched(() => ({ metadata: { resourceVersion: '1' }, items: [] }));
  expect(logs[0]).toBe('watch of /api/v1/pods: too old; listing again');
  expect(requests).toBeLessThan(10);
});

test('an empty page that continues is no list', async () => {
  const { requests, logs } = await watched(() => ({ metadata, items: [] }));
  expect(logs[0]).toBe('watch of /api/v1/pods: a page of the list that continues is empty');
  expect(requests).toBeLessThan(10);
});

test('the pages of a list have a common limit', async () => {
  const { logs } = await watched(({ answered }) => {
    answered?.(100 * MIB);
    return { metadata, items: [{ metadata: { name: 'a' } }] };
  });
  expect(logs[0]).toBe('watch of /api/v1/pods: the list has more than 536870912 bytes');
});
