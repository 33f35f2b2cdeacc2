import type { CallSubject } from '../../cri/subject.js';
import type { Trigger } from './language/trigger.js';
import type { Rule } from './matching/rule.js';

export interface FaultApplication {
  readonly rule: Rule;
  readonly trigger: Trigger;
  readonly method: string | undefined;
  readonly subject: CallSubject;
}

export type FaultListener = (application: FaultApplication) => void;
