import type { CallSubject } from '../../cri/subject.js';
import type { Trigger } from './language/trigger.js';
import type { Rule } from './matching/rule.js';

/** One application of a rule: its trigger and, if known, the pod or container. */
export interface FaultApplication {
  readonly rule: Rule;
  readonly trigger: Trigger;
  readonly method: string | undefined;
  readonly subject: CallSubject;
}

export type FaultListener = (application: FaultApplication) => void;
