import { codeName } from '../../../cri/status-code.js';
import type { CallRecord } from '../../../runtime/server/call-log.js';
import type { EntryOf } from '../../../tape/entries.js';

export const faultFields = ({ rule, action, on, method, pod, container }: EntryOf<'fault'>): object => ({
  rule,
  action,
  on,
  ...(method && { method }),
  ...(pod && { pod: `${pod.namespace}/${pod.name}` }),
  ...(container && { container: container.name }),
});

export const callFields = ({
  code,
  duration,
  peer,
  faults,
  subject,
  details,
  newFields,
}: CallRecord): object => ({
  code: codeName(code),
  ms: Math.round(duration * 1000) / 1000,
  peer,
  ...subject,
  ...(details && { details }),
  ...(faults.length > 0 && { faults }),
  ...(newFields && { newFields }),
});
