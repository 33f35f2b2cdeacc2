import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { VirtualClock } from '../../../base/clock/virtual-clock.js';

/**
 * Reads a program's metrics from its unauthenticated port; empty if nothing listens there. No virtual time passes
 * meanwhile: the clock settles once the request is sent, and the program answers at this instant.
 */
export async function scrape(clock: VirtualClock, port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const release = clock.hold();
  try {
    await once(socket, 'connect');
    clock.wires.follow(socket);
    const asked = request({
      createConnection: () => socket,
      path: '/metrics',
      headers: { Connection: 'close' },
    });
    const answer = once(asked, 'response').then(([response]) => text(response));
    await new Promise<void>((resolve) => asked.end(resolve));
    release();
    return await clock.idle(answer);
  } catch {
    return '';
  } finally {
    release();
    socket.destroy();
  }
}
