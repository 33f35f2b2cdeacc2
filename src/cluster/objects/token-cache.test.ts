import { expect, test } from 'vitest';
import { aPod } from '../../../test/support/kubelet/objects.js';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';
import type { ApiClient } from '../api/api-client.js';
import { createTokenCache, requestToken } from './token-cache.js';

function setup() {
  const clock = createVirtualClock();
  let failure: Error | undefined;
  let issued = 0;
  const request = async () => {
    if (failure !== undefined) throw failure;
    issued += 1;
    const expires = Number(clock.now() / 1_000_000n) + 600_000;
    return { status: { token: `token ${issued}`, expirationTimestamp: new Date(expires).toISOString() } };
  };
  const tokens = createTokenCache(requestToken({ request } as Partial<ApiClient> as ApiClient), clock);
  const ask = async () =>
    clock.run(async () =>
      String(await tokens.token(aPod(), { audience: '', expirationSeconds: 600, path: 'token' })),
    );
  return { clock, ask, fail: (error: Error | undefined) => (failure = error) };
}

test('without a token the error says that it could not be fetched, and the next one asks again', async () => {
  const { ask, fail } = setup();
  fail(new Error('pod "web" not found'));
  await expect(ask()).rejects.toThrow('failed to fetch token: pod "web" not found');
  fail(undefined);
  expect(await ask()).toBe('token 1');
});

test('a token that cannot be replaced is used until it expires', async () => {
  const { clock, ask, fail } = setup();
  expect(await ask()).toBe('token 1');
  fail(new Error('the server is away'));
  await clock.advance(500_000);
  expect(await ask()).toBe('token 1');
  await clock.advance(100_000);
  await expect(ask()).rejects.toThrow('expired and refresh failed: the server is away');
  fail(undefined);
  expect(await ask()).toBe('token 2');
});
