import type { Duplex } from 'node:stream';
import type { Process } from '../../process/process.js';
import { waitFor } from '../kit/io.js';

export class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

/**
 * Runs a task with a signal that aborts with TimedOut after `limit` ms (undefined means never) or when the process is
 * killed.
 */
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

/** Rejects with TimedOut or the socket's error. */
export const openConnection = (
  process: Process,
  address: string,
  port: number,
  limit?: number,
): Promise<Duplex> => within(process, limit, (signal) => process.connect(address, port, signal));
