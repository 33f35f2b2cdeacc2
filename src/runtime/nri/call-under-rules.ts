import type { Clock } from '../../base/clock/clock.js';
import type { PluginFault, PluginFaults, PluginRequestFacts } from '../fault-decisions.js';
import { closedError, protocolError, statusError, timeoutError } from '../ttrpc/error.js';

export interface Sending<Response> {
  readonly faults: PluginFaults;
  readonly clock: Clock;
  /** Time limit for everything, in ms. */
  readonly timeout: number;
  send(timeout: number): Promise<Response>;
  close(): void;
  make(fields: object): Response;
}

/** Sends a request under the fault rules. Rejects with TtrpcError, also for their effects. */
export async function callUnderRules<Response extends object>(
  call: PluginRequestFacts,
  sending: Sending<Response>,
): Promise<Response> {
  const { faults, clock, timeout } = sending;
  const begin = clock.elapsed();
  const over = new AbortController();
  const timer = clock.setTimer(timeout, () => over.abort(timeoutError()));
  const send = () => sending.send(Math.max(1, timeout - (clock.elapsed() - begin)));
  try {
    const before = await faults.decide('call', call, over.signal);
    if (before?.kind === 'close' || (before?.kind === 'error' && !before.isSent)) fail(before, sending);
    if (before?.kind === 'twice') await send();
    const response = after(before, await send(), sending);
    const then = await faults.decide('reply', call, over.signal);
    return after(then, response, sending);
  } finally {
    timer.cancel();
  }
}

function after<Response extends object>(
  fault: PluginFault | undefined,
  response: Response,
  sending: Sending<Response>,
): Response {
  if (fault === undefined || fault.kind === 'twice') return response;
  if (fault.kind === 'reply') return sending.make(fault.alter(response));
  return fail(fault, sending);
}

function fail(fault: PluginFault, { close }: Pick<Sending<never>, 'close'>): never {
  if (fault.kind === 'error') throw statusError(fault.code, fault.message);
  if (fault.kind === 'corrupt') throw protocolError("the answer can't be decoded (a fault rule)");
  close();
  throw closedError();
}
