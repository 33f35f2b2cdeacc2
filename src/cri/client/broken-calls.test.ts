import { rm } from 'node:fs/promises';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import {
  answer,
  type Handler,
  useBareServer,
  withPrefix,
} from '../../../test/support/network/http2-server.js';
import { until, untilStill } from '../../../test/support/turns.js';
import { createRealClock } from '../../base/clock/real-clock.js';
import { LARGEST_MESSAGE } from '../limits.js';
import { type CallStatus, Code } from '../status-code.js';
import { openChannel } from './channel.js';

const bare = useBareServer();

test('gives a call without a status the one that Go gives it', async () => {
  const endings: [Handler, CallStatus][] = [
    [
      (stream) => stream.respond({ ':status': 503 }, { endStream: true }),
      { code: Code.UNAVAILABLE, details: 'unexpected HTTP status code received from server: 503' },
    ],
    [
      (stream) => {
        stream.respond({ ':status': 404 });
        stream.end('not here');
      },
      { code: Code.UNIMPLEMENTED, details: 'unexpected HTTP status code received from server: 404' },
    ],
    [
      (stream) => {
        stream.respond({ ':status': 200 });
        stream.end();
      },
      { code: Code.INTERNAL, details: 'server closed the stream without sending trailers' },
    ],
    [
      (stream) => stream.close(2),
      { code: Code.INTERNAL, details: 'stream terminated by RST_STREAM with error code: INTERNAL_ERROR' },
    ],
    [
      (stream) => answer(stream, Buffer.from([1, 0, 0, 0, 0])),
      { code: Code.INTERNAL, details: 'a compressed message came, which was not asked for' },
    ],
    [
      (stream) => answer(stream, Buffer.from([0, 1, 0, 0, 1])),
      {
        code: Code.RESOURCE_EXHAUSTED,
        details: `Received message larger than max (${LARGEST_MESSAGE + 1} vs ${LARGEST_MESSAGE})`,
      },
    ],
    [
      (stream) => stream.session?.destroy(),
      { code: Code.UNAVAILABLE, details: 'error reading from server: EOF' },
    ],
  ];
  for (const [ending, status] of endings) {
    bare.handle = ending;
    expect((await bare.call()).status).toEqual(status);
  }
});

test('sends a refused call a second time, not a third', async () => {
  let refused = 0;
  bare.handle = (stream) => {
    refused++;
    stream.close(7);
  };
  expect((await bare.call()).status.code).toBe(Code.UNAVAILABLE);
  expect(refused).toBe(2);
});

test('after GOAWAY what is in progress ends, and the next call dials', async () => {
  let release = () => {};
  let isSentAway = false;
  bare.handle = (stream) => {
    release = () => answer(stream, withPrefix(Buffer.from('late')));
    stream.session?.goaway(0, stream.id);
    isSentAway = true;
  };
  const under = bare.call();
  await until(() => isSentAway);
  await untilStill(() => bare.sessions.length);
  bare.handle = (stream) => answer(stream, withPrefix(Buffer.from('new')));
  expect((await bare.call()).messages.map(String)).toEqual(['new']);
  expect(bare.sessions.length).toBe(2);
  release();
  expect(await under).toMatchObject({ status: { code: 0 }, messages: [Buffer.from('late')] });
});

test('fails at once where nobody listens, and finds a server that comes back', async () => {
  for (const session of bare.sessions) session.destroy();
  bare.close();
  await rm(bare.path, { force: true });
  const details = `connection error: desc = "transport: Error while dialing: dial unix ${bare.path}: connect: no such file or directory"`;
  const status = { code: Code.UNAVAILABLE, details, unreached: true };
  expect((await bare.call()).status).toEqual(status);
  expect((await bare.call()).status).toEqual(status);
  await expect(bare.channel.waitForReady(1)).rejects.toThrow(`no connection to unix://${bare.path}`);
  await bare.serve();
  bare.handle = (stream) => answer(stream, withPrefix(Buffer.alloc(0)));
  await bare.channel.waitForReady(5000);
  expect((await bare.call()).status.code).toBe(Code.OK);
});

test('a call whose deadline passes, and one to a port where nobody listens', async () => {
  bare.handle = () => {};
  const soon = Number(createRealClock().now() / 1_000_000n) + 30;
  const late = await bare.call(0, () => true, soon);
  expect(late.status).toEqual({ code: Code.DEADLINE_EXCEEDED, details: 'context deadline exceeded' });

  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as AddressInfo;
  await new Promise((resolve) => taken.close(resolve));
  bare.channel.close();
  bare.channel = openChannel(`tcp://127.0.0.1:${port}`);
  const details = `connection error: desc = "transport: Error while dialing: dial tcp 127.0.0.1:${port}: connect: connection refused"`;
  expect((await bare.call()).status).toEqual({ code: Code.UNAVAILABLE, details, unreached: true });
});
