import { connect } from 'node:net';
import type { Clock } from '../../clock/clock.js';
import { exchange } from './in-flight.js';
import { failure, hostPort, type Outcome, socketError, success } from './outcome.js';

/** pkg/probe/tcp: a connection that opens is a success. `timeout` in ms. */
export async function checkTcp(clock: Clock, host: string, port: number, timeout: number): Promise<Outcome> {
  const address = hostPort(host, port);
  try {
    const opened = await exchange(clock, timeout, (signal) => open(host, port, signal));
    return opened === undefined ? failure(`dial tcp ${address}: i/o timeout`) : success();
  } catch (error) {
    return failure(socketError(error, address));
  }
}

function open(host: string, port: number, signal: AbortSignal): Promise<true> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    signal.addEventListener('abort', () => socket.destroy(), { once: true });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
