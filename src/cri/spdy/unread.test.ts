import { expect, it, vi } from 'vitest';
import { eventually } from '../../../test/support/eventually.js';
import { turn } from '../../base/clock/turn.js';
import { SpdyStream } from './stream.js';
import { Unread } from './unread.js';

/** Below what one stream holds by itself before it stalls the connection. */
const PIECE = Buffer.alloc(250 * 1024);

const streams = (count: number) => {
  const unread = new Unread();
  const link = { send: () => {}, release: () => {}, unread };
  return Array.from({ length: count }, (_, index) => new SpdyStream(2 * index + 1, new Map(), link));
};

/** Each stream gets a piece; of the unread ones, the fifth one makes more than a connection may hold. */
const filled = () => {
  const all = streams(5);
  return { all, rooms: all.map((stream) => stream.receive(PIECE)) };
};

it('stops the connection when its streams together hold too much', async () => {
  const { rooms } = filled();
  expect(rooms.map((room) => room !== undefined)).toEqual([false, false, false, false, true]);
});

it.each<[string, (stream: SpdyStream) => void]>([
  ['is read', (stream) => void stream.read()],
  ['is dropped', (stream) => void stream.destroy()],
  ['flows', (stream) => void stream.resume()],
])('continues when one of them %s', async (_, act) => {
  const { all, rooms } = filled();
  const hasRoom = vi.fn();
  rooms[4]?.then(hasRoom);
  act(all[0] as SpdyStream);
  await eventually(() => hasRoom).toHaveBeenCalled();
});

it('holds nothing of a stream that flows', async () => {
  const all = streams(1);
  all[0]?.resume();
  for (let round = 0; round < 20; round++) {
    expect(all[0]?.receive(PIECE)).toBeUndefined();
    await turn();
  }
});
