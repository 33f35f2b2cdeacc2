import type { Clock } from '../../../base/clock/clock.js';
import type { CriMethod } from '../../../cri/methods.js';
import { ownCall } from '../../../cri/own-call.js';
import type { Call, Encoded } from '../../../cri/service.js';
import type { Reply } from '../../../cri/wrap-service.js';
import type { Action, ActionNamed } from '../language/actions.js';
import type { Trigger } from '../language/trigger.js';
import type { FaultSite, RuleDecision } from '../matching/registry.js';
import type { Rule } from '../matching/rule.js';
import type { FaultContext } from './context.js';
import { alterReply } from './reply.js';
import { delayed, holdUp, whilePaused } from './waiting.js';

export class CallUnderRules {
  readonly context: FaultContext;
  readonly method: CriMethod;
  readonly request: object;
  readonly call: Call;
  readonly #site: FaultSite;

  constructor(context: FaultContext, method: CriMethod, request: object, call: Call) {
    this.context = context;
    this.method = method;
    this.request = request;
    this.call = call;
    this.#site = context.siteOf(method, request, call);
  }

  get clock(): Clock {
    return this.context.clock;
  }

  /** Asks the rules with one trigger for a decision; undefined when none acts. */
  decide(trigger: Trigger, site = this.#site): RuleDecision | undefined {
    return this.context.decide(trigger, site, this.call);
  }

  decideOpen(fresh: ReadonlySet<Rule>): RuleDecision | undefined {
    return this.context.decide('open-streams', this.#site, this.call, fresh);
  }

  siteOfMessage(message: Encoded): FaultSite {
    return this.context.siteOfMessage(this.method, this.#site, message);
  }

  /** Waits for the delays of a decision. Rejects when the client gives up. */
  delay(decision: RuleDecision): Promise<void> {
    return delayed(this.clock, decision, this.call.signal);
  }

  /** Waits `duration` ms (undefined: without end), or until the rule is removed. Rejects when the client gives up. */
  holdUp(duration: number | undefined, rule: Rule): Promise<void> {
    return holdUp(this.clock, duration, rule.released, this.call.signal);
  }

  /** Returns the call for a runtime that takes `duration` ms longer to do its work, or until the rule is removed. */
  slowly(duration: number, rule: Rule): Call {
    const { signal, deadline, transport } = this.call;
    const whileMaking = () => holdUp(this.clock, duration, rule.released, ownCall().signal);
    return {
      signal,
      deadline,
      transport,
      whileMaking,
      addTrailer: (...trailer) => this.call.addTrailer?.(...trailer),
    };
  }

  /** Returns the action of a decision; for `hold`, after a client's decision. Rejects when the client gives up. */
  async settle(
    decision: RuleDecision | undefined,
    on: Trigger,
    site = this.#site,
  ): Promise<Action | undefined> {
    const { action, rule } = decision ?? {};
    if (action?.name !== 'hold' || rule === undefined) return action;
    if (rule.released.aborted) return undefined;
    const over = new AbortController();
    const end = () => over.abort();
    let decided: Action | undefined;
    const held = { rule: rule.name, on, method: this.method.name, subject: site.subject() };
    const forget = this.context.holds?.add(held, (given) => {
      decided = given;
      end();
    });
    rule.released.addEventListener('abort', end);
    try {
      await holdUp(this.clock, action.options.for, over.signal, this.call.signal);
    } finally {
      forget?.();
      rule.released.removeEventListener('abort', end);
    }
    return decided;
  }

  /** Waits while a rule pauses the runtime. Rejects when the client gives up. */
  whilePaused(): Promise<void> {
    return whilePaused(this.context, this.call);
  }

  /** Returns the reply that a rule substitutes; a stale reply repeats `previous`. */
  alter(
    reply: Reply,
    action: ActionNamed<'reply'>,
    rule: Rule,
    previous = this.context.previousReply(this.method, this.request),
  ): Encoded {
    return alterReply(this.method, reply, action, previous, rule);
  }

  /** Carries out an action on the connection, the runtime or a container; false for any other action. */
  perform(action: Action, rule: Rule, site = this.#site): boolean {
    return this.context.effects.perform(action, rule, site.subject(), this.call.transport);
  }
}
