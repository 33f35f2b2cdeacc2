import type { Clock } from '../../../base/clock/clock.js';
import { type CallSubject, subjectOfRequest } from '../../../cri/subject.js';
import type { SessionAction, SessionSite, SessionTreatment } from '../../fault-decisions.js';
import type { FaultListener } from '../application.js';
import type { FaultHost } from '../host.js';
import type { Action } from '../language/actions.js';
import type { FaultRegistry } from '../matching/registry.js';
import type { Rule } from '../matching/rule.js';
import { delayed, holdUp } from './waiting.js';

interface SessionRules {
  readonly registry: FaultRegistry;
  readonly host: Pick<FaultHost, 'pod' | 'container'>;
  readonly clock: Clock;
  readonly onFault?: FaultListener | undefined;
}

/** Waits for the delays of the rules on a new session; resolves with its treatment. Undefined if no rule acts on it. */
export function decideOnSession(
  { registry, host, clock, onFault }: SessionRules,
  { method, request, port }: SessionSite,
  gone: AbortSignal,
): Promise<SessionTreatment> | undefined {
  if (registry.rulesOn('session').length === 0) return undefined;
  let found: CallSubject | undefined;
  const subject = () => {
    found ??= subjectOfRequest(method, request, host);
    return found;
  };
  const decision = registry.decide('session', {
    method,
    port,
    connection: 0,
    subject,
    request: () => request,
  });
  if (decision === undefined) return undefined;
  for (const rule of decision.rules) onFault?.({ rule, trigger: 'session', method, subject: subject() });
  const { action, rule } = decision;
  return delayed(clock, decision, gone)
    .catch(() => {})
    .then(() => ({
      action: action && rule && sessionAction(action, rule, clock, gone),
      afterBytes: rule?.spec.when.afterBytes ?? 0,
      stream: rule?.spec.match.stream,
      released: rule?.released ?? gone,
    }));
}

function sessionAction(
  action: Action,
  { name, released }: Rule,
  clock: Clock,
  gone: AbortSignal,
): SessionAction | undefined {
  switch (action.name) {
    case 'refuse':
    case 'end':
    case 'drop':
    case 'corrupt':
      return { name: action.name };
    case 'error':
      return { name: 'error', message: action.options.message ?? `injected by fault rule ${name}` };
    case 'reset':
      return { name: 'reset', scope: action.options.scope ?? 'call' };
    case 'stall':
      return { name: 'stall', over: () => holdUp(clock, action.options.for, released, gone) };
    case 'latency':
      return { name: 'shape', latency: action.options.duration, bytesPerSecond: undefined };
    case 'throttle':
      return { name: 'shape', latency: 0, bytesPerSecond: action.options.bytesPerSecond };
    default:
      return undefined;
  }
}
