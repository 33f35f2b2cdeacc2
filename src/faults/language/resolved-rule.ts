import type { CriMethod } from '../../cri/methods.js';
import type { Action } from './actions.js';
import type { Trigger } from './trigger.js';

/** What a rule comes to. */
export interface ResolvedRule {
  readonly action: Action | undefined;
  readonly methods: readonly CriMethod[];
  readonly trigger: Trigger;
}

/** Notes a problem: where in the rule (`match.method`), and what it is. */
export type Say = (path: string, message: string) => void;
