import type { Duplex } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Clock } from '../../base/clock/clock.js';
import { messageOf } from '../../base/input/error-text.js';
import type { StreamingHandler } from '../engine/streaming.js';
import type { StreamRules } from '../fault-decisions.js';
import { SessionTap } from './session-tap.js';

/** Whether it is an integer from 1 to 65535. */
export function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1 && port <= 65_535;
}

/** Any text on the error stream means failure. The CRI has no uid (cri-streaming portforward httpstream.go). */
function forwardFailure(sandboxId: string, port: number, failure: unknown): string {
  return `error forwarding port ${port} to pod ${sandboxId}, uid : ${messageOf(failure)}`;
}

/** Forwards to the ports of a sandbox. */
export interface Forwarder {
  readonly clock: Clock;
  readonly handler: StreamingHandler;
  readonly sandboxId: string;
  readonly rules?: StreamRules | undefined;
}

/** Forwards one connection. Resolves after all bytes, with the text for the error stream, if any. */
export async function forwardPort(
  { clock, handler, sandboxId, rules }: Forwarder,
  port: number,
  data: Duplex,
  breakConnection: () => void,
  signal: AbortSignal,
): Promise<string | undefined> {
  const site = { method: 'PortForward', request: { podSandboxId: sandboxId, port: [port] }, port } as const;
  const treatment = await rules?.treatSession(site, signal);
  const breaksAll = treatment?.action?.name === 'reset' && treatment.action.scope === 'connection';
  const tap =
    treatment && new SessionTap(treatment, clock, breaksAll ? breakConnection : () => data.destroy());
  try {
    if (treatment?.action?.name === 'refuse') throw new Error('connection refused');
    tap?.begin();
    const connection = tap?.duplex(data) ?? data;
    await handler.portForward(sandboxId, port, connection, signal);
    if (!connection.destroyed) connection.end();
    if (connection !== data) await finished(data, { readable: false }).catch(() => {});
    return undefined;
  } catch (failure) {
    // A client that has dropped the connection itself would mistake a text here for a failure of all forwarding.
    if (signal.aborted) return undefined;
    const text = forwardFailure(sandboxId, port, failure);
    return tap ? await tap.status(text).catch(() => undefined) : text;
  }
}
