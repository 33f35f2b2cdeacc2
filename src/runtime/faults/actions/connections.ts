import type { Clock } from '../../../base/clock/clock.js';
import type { ConnectionTreatment } from '../../fault-decisions.js';
import type { FaultListener } from '../application.js';
import type { FaultRegistry, RuleDecision } from '../matching/registry.js';
import { delayed, holdUp } from './waiting.js';

/**
 * Applies the connection rules to a new connection, with stalls. Returns undefined synchronously if no rule acts on it.
 */
export function decideOnConnection(
  registry: FaultRegistry,
  clock: Clock,
  connection: number,
  gone: AbortSignal,
  onFault?: FaultListener,
  server: 'cri' | 'streaming' = 'cri',
): Promise<ConnectionTreatment> | undefined {
  if (registry.rulesOn('connection').length === 0) return undefined;
  const subject = () => ({});
  const decision = registry.decide('connection', {
    method: undefined,
    connection,
    server,
    subject,
    request: () => undefined,
  });
  if (decision === undefined) return undefined;
  for (const rule of decision.rules)
    onFault?.({ rule, trigger: 'connection', method: undefined, subject: {} });
  return treat(clock, decision, gone);
}

async function treat(clock: Clock, decision: RuleDecision, gone: AbortSignal): Promise<ConnectionTreatment> {
  const { action, rule } = decision;
  try {
    await delayed(clock, decision, gone);
    if (action?.name === 'stall' && rule) await holdUp(clock, action.options.for, rule.released, gone);
  } catch {
    // The client has left: the treatment no longer matters.
  }
  return {
    refuse: action?.name === 'refuse' || action?.name === 'reset',
    goaway: action?.name === 'goaway',
    latency: action?.name === 'latency' ? action.options.duration : 0,
    bytesPerSecond: action?.name === 'throttle' ? action.options.bytesPerSecond : undefined,
    released: rule?.released ?? gone,
  };
}
