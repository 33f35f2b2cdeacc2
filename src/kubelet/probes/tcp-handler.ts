import { formatSocketAddress } from '../../base/input/socket-address.js';
import { type Dialer, dial } from './dial.js';
import { exchange } from './exchange.js';
import { failure, type ProbeOutcome, socketError, success } from './outcome.js';

/** pkg/probe/tcp: an open connection is a success. `timeout` in ms. */
export async function checkTcp(
  dialer: Dialer,
  host: string,
  port: number,
  timeout: number,
): Promise<ProbeOutcome> {
  const address = formatSocketAddress({ host, port });
  try {
    const opened = await exchange(dialer.clock, timeout, (signal) => dial(dialer, host, port, signal));
    return opened === undefined ? failure(`dial tcp ${address}: i/o timeout`) : success();
  } catch (error) {
    return failure(socketError(error, address));
  }
}
