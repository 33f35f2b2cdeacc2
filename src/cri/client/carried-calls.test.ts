import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { answer, OK, useBareServer, withPrefix } from '../../../test/support/network/http2-server.js';
import fc from '../../../test/support/properties.js';
import { until, untilStill } from '../../../test/support/turns.js';
import { Code } from '../status-code.js';
import type { OutgoingCall } from './channel.js';

const bare = useBareServer();

test('reads whatever header values a server compresses', async () => {
  const value = fc.string({
    unit: fc.integer({ min: 33, max: 126 }).map((code) => String.fromCharCode(code)),
  });
  await fc.assert(
    fc.asyncProperty(value, async (text) => {
      const message = text.replaceAll('%', '%25');
      bare.handle = (stream) =>
        stream.respond({ 'grpc-status': '9', 'grpc-message': message }, { endStream: true });
      expect((await bare.call()).status).toEqual({ code: 9, details: text });
    }),
  );
});

test('sends and takes more than the windows and frames hold', async () => {
  let received = 0;
  bare.handle = (stream) => {
    stream.on('data', (bytes: Buffer) => {
      received += bytes.length;
    });
    stream.on('end', () => answer(stream, withPrefix(Buffer.alloc(900_000, 3))));
  };
  const { status, messages } = await bare.call(700_000);
  expect(status.code).toBe(Code.OK);
  expect(received).toBe(700_005);
  expect(messages.map((bytes) => bytes.length)).toEqual([900_000]);
});

test('messages in pieces, several in one, and none', async () => {
  const bytes = Buffer.concat([
    withPrefix(Buffer.from('one')),
    withPrefix(Buffer.alloc(0)),
    withPrefix(Buffer.from('3')),
  ]);
  bare.handle = (stream) => {
    stream.respond({ ':status': 200 }, { waitForTrailers: true });
    stream.once('wantTrailers', () => stream.sendTrailers(OK));
    for (const byte of bytes) stream.write(Buffer.from([byte]));
    stream.end();
  };
  expect((await bare.call()).messages.map(String)).toEqual(['one', '', '3']);
  bare.handle = (stream) => answer(stream, bytes);
  expect((await bare.call()).messages.map(String)).toEqual(['one', '', '3']);
});

test('a call that does not read takes no more than a window', async () => {
  let written = 0;
  bare.handle = (stream) => {
    stream.respond({ ':status': 200 }, { waitForTrailers: true });
    stream.once('wantTrailers', () => stream.sendTrailers(OK));
    const pump = () => {
      while (written < 100) {
        written++;
        if (!stream.write(withPrefix(Buffer.alloc(10_000)))) break;
      }
      if (written < 100) stream.once('drain', pump);
      else stream.end();
    };
    pump();
  };
  let held: OutgoingCall | undefined;
  let count = 0;
  const ended = bare.call(0, (made) => {
    count++;
    if (count === 6 && held === undefined) {
      held = made;
      return false;
    }
    return true;
  });
  await until(() => count === 6);
  await untilStill(() => count);
  expect(count).toBe(6);
  // What was read, the window, and what a stream holds: 16 KiB in Node 20, 64 KiB later.
  expect(written).toBeLessThan(30);
  held?.read();
  expect((await ended).messages.length).toBe(100);
});

test('reads trailers of many frames', async () => {
  const details = 'x'.repeat(40_000);
  bare.handle = (stream) => answer(stream, Buffer.alloc(0), { 'grpc-status': '5', 'grpc-message': details });
  expect((await bare.call()).status).toEqual({ code: Code.NOT_FOUND, details });
});

test('waits for a free stream where the server allows few', async () => {
  bare.close();
  await rm(bare.path, { force: true });
  await bare.serve({ maxConcurrentStreams: 1 });
  let open = 0;
  let most = 0;
  bare.handle = (stream) => {
    most = Math.max(most, ++open);
    stream.resume();
    stream.on('end', () => {
      open--;
      answer(stream, withPrefix(Buffer.alloc(0)));
    });
  };
  await bare.channel.waitForReady(5000);
  const ended = await Promise.all([bare.call(), bare.call(), bare.call()]);
  expect(ended.map(({ status }) => status.code)).toEqual([0, 0, 0]);
  expect(most).toBe(1);
});
