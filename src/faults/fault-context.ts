import type { Clock } from '../clock/clock.js';
import type { Call, Encoded } from '../cri/service.js';
import type { Subject } from '../cri/subject.js';
import type { Effects } from './actions/effects.js';
import type { Trigger } from './language/trigger.js';
import type { MethodFacts } from './matching/methods.js';
import type { FaultSite, Verdict } from './matching/registry.js';

/** What the faulty RPCs share. */
export interface FaultContext {
  readonly clock: Clock;
  readonly effects: Effects;
  occasion(method: MethodFacts, request: object, call: Call): FaultSite;
  messageOccasion(method: MethodFacts, request: object, call: Call, message: Encoded): FaultSite;
  subjectOfContainer(id: string): Subject;
  /** Asks the rules, tells the listener and marks the call. */
  judge(trigger: Trigger, occasion: FaultSite, call: Call): Verdict | undefined;
  readonly hasMessageRules: boolean;
  /** Whether some rule may want a stale reply. */
  readonly keepsReplies: boolean;
  keepReply(method: MethodFacts, reply: Encoded): void;
  previousReply(method: MethodFacts): Encoded | undefined;
  /** Work that goes on when its caller is gone. */
  later(delay: number, work: () => unknown): void;
  orphan(call: Call): Call;
}
