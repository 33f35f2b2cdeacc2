import { codeName } from '../../cri/status-code.js';
import type { FaultApplication } from '../../faults/application.js';
import { actionName } from '../../faults/faults.js';
import type { CallRecord } from '../../server/call-log.js';

/** The fields of the log line for one application of a fault rule. */
export const faultFields = (application: FaultApplication): object => {
  const { rule, trigger, method, subject } = application;
  const { pod, container } = subject;
  return {
    rule: rule.name,
    action: actionName(application),
    on: trigger,
    ...(method && { method }),
    ...(pod && { pod: `${pod.namespace}/${pod.name}` }),
    ...(container && { container: container.name }),
  };
};

/** The fields of the log line for one finished call. */
export const callFields = ({ code, duration, peer, faults, subject, details }: CallRecord): object => ({
  code: codeName(code),
  ms: Math.round(duration * 1000) / 1000,
  peer,
  ...subject,
  ...(details && { details }),
  ...(faults.length > 0 && { faults }),
});
