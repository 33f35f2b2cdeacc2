import type { CallSubject } from '../../cri/subject.js';
import type { Trigger } from './language/trigger.js';
import type { Rule } from './matching/rule.js';

/** One time that a rule acted: on what, and for which pod or container, as far as that is known. */
export interface FaultApplication {
  readonly rule: Rule;
  readonly trigger: Trigger;
  readonly method: string | undefined;
  readonly subject: CallSubject;
}

/** Called each time that a rule acts. */
export type FaultListener = (application: FaultApplication) => void;
