import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Process } from '../../process/process.js';
import { waitFor } from '../kit/io.js';
import { realAddress } from './names.js';

/** Thrown when nothing came in time. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

/** Runs a task with a signal that aborts with TimedOut after `limit` ms (never if undefined) or when the process is killed. */
export async function within<T>(
  process: Process,
  limit: number | undefined,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const timer =
    limit === undefined
      ? undefined
      : process.clock.setTimer(limit, () => late.abort(new TimedOut('timed out')));
  try {
    return await waitFor(process, task(AbortSignal.any([late.signal, process.killed])));
  } catch (error) {
    if (late.signal.aborted) throw late.signal.reason;
    throw error;
  } finally {
    timer?.cancel();
  }
}

/** Connects to a TCP port; the socket is destroyed when the process is killed. Rejects with the socket's error. */
export async function openConnection(
  process: Process,
  address: string,
  port: number,
  limit?: number,
): Promise<Duplex> {
  const host = realAddress(process, address);
  const simulated = process.clock.loopback?.connect(host, port);
  if (simulated !== undefined) {
    process.killed.addEventListener('abort', () => simulated.destroy(), { once: true });
    return simulated;
  }
  return within(process, limit, (signal) => {
    const socket = connect({ host, port, allowHalfOpen: true });
    process.killed.addEventListener('abort', () => socket.destroy(), { once: true });
    return new Promise<Duplex>((resolve, reject) => {
      socket.once('connect', () => resolve(socket)).once('error', reject);
      signal.addEventListener('abort', () => {
        if (socket.connecting) socket.destroy();
        reject(signal.reason);
      });
    });
  });
}
