import type { Socket } from 'node:net';
import type { Clock } from '../clock/clock.js';
import type { FaultListener } from './interpose.js';
import type { FaultRegistry } from './registry.js';
import type { Rule } from './rule.js';
import { holdUp } from './waiting.js';

/** How a new connection is to be treated. */
export interface ConnectionTreatment {
  /** Close it at once. */
  readonly refuse: boolean;
  /** GOAWAY once it is established. */
  readonly goaway: boolean;
  /** Extra milliseconds for whatever passes, each way. */
  readonly latency: number;
  readonly bytesPerSecond: number | undefined;
}

const NEVER = new AbortController().signal;

/**
 * Asks the rules on connections what is to become of a new one; resolves once it may go on (a stall waits here).
 * Undefined means that nothing is to be done, which is known at once.
 */
export function judgeConnection(
  registry: FaultRegistry,
  clock: Clock,
  connection: number,
  onFault?: FaultListener,
): Promise<ConnectionTreatment> | undefined {
  if (registry.rulesOn('connection').length === 0) return undefined;
  const subject = () => ({});
  const verdict = registry.judge('connection', {
    method: undefined,
    connection,
    subject,
    request: () => undefined,
  });
  if (verdict === undefined) return undefined;
  for (const rule of verdict.rules)
    onFault?.({ rule, trigger: 'connection', method: undefined, subject: {} });
  return treat(clock, verdict.delay, verdict.rule);
}

async function treat(clock: Clock, delay: number, rule: Rule | undefined): Promise<ConnectionTreatment> {
  if (delay > 0) await clock.sleep(delay);
  const action = rule?.compiled.action;
  if (action?.name === 'stall' && rule) await holdUp(clock, action.options.for, rule.released, NEVER);
  return {
    refuse: action?.name === 'refuse' || action?.name === 'reset',
    goaway: action?.name === 'goaway',
    latency: action?.name === 'latency' ? action.options.duration : 0,
    bytesPerSecond: action?.name === 'throttle' ? action.options.bytesPerSecond : undefined,
  };
}

/** Closes a connection the way a broken peer does. */
export function breakConnection(socket: Socket): void {
  if ('resetAndDestroy' in socket && socket.remoteAddress !== undefined) socket.resetAndDestroy();
  else socket.destroy();
}
