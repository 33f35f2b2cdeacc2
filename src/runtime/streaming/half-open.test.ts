import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';
import { HalfOpenConnections } from './half-open.js';

/** A connection from the same port of a client, which may have one to each port of a server. */
function connection(localPort: number) {
  let isDestroyed = false;
  const socket = Object.assign(new EventEmitter(), {
    ...{ remoteAddress: '127.0.0.1', remotePort: 40_000, localAddress: '127.0.0.1', localPort },
    destroy: () => {
      isDestroyed = true;
    },
  });
  return { socket: socket as unknown as Socket, isDestroyed: () => isDestroyed };
}

test('connections of one client port to two server ports are distinguished', async () => {
  const clock = createVirtualClock();
  const halfOpen = new HalfOpenConnections(clock, { connections: 2, timeout: 1000 });
  const [first, second] = [connection(10250), connection(10251)];
  halfOpen.add(first.socket);
  halfOpen.add(second.socket);
  halfOpen.complete(first.socket);
  await clock.advance(1000);
  expect([first.isDestroyed(), second.isDestroyed()]).toEqual([false, true]);
});

test('the end of an old connection does not concern a new one with the same ports', async () => {
  const clock = createVirtualClock();
  const halfOpen = new HalfOpenConnections(clock, { connections: 2, timeout: 1000 });
  const [old, fresh] = [connection(10250), connection(10250)];
  halfOpen.add(old.socket);
  halfOpen.complete(old.socket);
  halfOpen.add(fresh.socket);
  old.socket.emit('close');
  await clock.advance(1000);
  expect([old.isDestroyed(), fresh.isDestroyed()]).toEqual([false, true]);
});
