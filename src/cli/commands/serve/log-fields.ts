import { codeName } from '../../../cri/status-code.js';
import type { CallRecord } from '../../../runtime/server/call-log.js';
import type { EntryOf } from '../../../tape/entries.js';

/** Fields of the log line for one use of a fault rule. */
export const faultFields = ({ rule, action, on, method, pod, container }: EntryOf<'fault'>): object => ({
  rule,
  action,
  on,
  ...(method && { method }),
  ...(pod && { pod: `${pod.namespace}/${pod.name}` }),
  ...(container && { container: container.name }),
});

/** Fields of the log line for one finished call. */
export const callFields = ({ code, duration, peer, faults, subject, details }: CallRecord): object => ({
  code: codeName(code),
  ms: Math.round(duration * 1000) / 1000,
  peer,
  ...subject,
  ...(details && { details }),
  ...(faults.length > 0 && { faults }),
});
