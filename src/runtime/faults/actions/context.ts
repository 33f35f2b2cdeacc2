import type { Clock } from '../../../base/clock/clock.js';
import { forgetOldest } from '../../../base/input/forget-oldest.js';
import { once } from '../../../base/input/once.js';
import { FAULT_TRAILER } from '../../../cri/fault-trailer.js';
import { ContainerEventResponse } from '../../../cri/gen/runtime/v1/api.js';
import type { CriMethod } from '../../../cri/methods.js';
import type { Call, Encoded } from '../../../cri/service.js';
import { type CallSubject, subjectOfEvent, subjectOfRequest } from '../../../cri/subject.js';
import type { FaultListener } from '../application.js';
import type { Holds } from '../holds.js';
import type { FaultHost } from '../host.js';
import type { Trigger } from '../language/trigger.js';
import type { FaultRegistry, FaultSite, RuleDecision } from '../matching/registry.js';
import type { Rule } from '../matching/rule.js';
import type { Effects } from './effects.js';

export interface FaultContext {
  readonly clock: Clock;
  readonly effects: Effects;
  /** The held calls; undefined where no one could release them. */
  readonly holds: Holds | undefined;
  siteOf(method: CriMethod, request: object, call: Call): FaultSite;
  siteOfMessage(method: CriMethod, site: FaultSite, message: Encoded): FaultSite;
  subjectOfContainer(id: string): CallSubject;
  /** Asks the rules, calls the listener for those that act, and adds their names to the call's trailers. */
  decide(trigger: Trigger, site: FaultSite, call: Call, among?: ReadonlySet<Rule>): RuleDecision | undefined;
  onStreamRules(listener: (fresh: ReadonlySet<Rule>) => void): () => void;
  readonly hasMessageRules: boolean;
  keepsReplies(method: CriMethod): boolean;
  keepReply(method: CriMethod, request: object, reply: Encoded): void;
  previousReply(method: CriMethod, request: object): Encoded | undefined;
  /** Runs work in `delay` ms, although its caller has its reply already. */
  later(delay: number, work: () => unknown): void;
}

export interface FaultContextOptions {
  readonly registry: FaultRegistry;
  readonly host: FaultHost;
  readonly clock: Clock;
  readonly effects: Effects;
  readonly holds?: Holds | undefined;
  readonly onFault?: FaultListener | undefined;
}

export function createFaultContext(options: FaultContextOptions): FaultContext {
  const { registry, host, clock, effects, holds, onFault } = options;
  const replies = new Map<string, Encoded>();
  const streams = new Set<(fresh: ReadonlySet<Rule>) => void>();
  let repeaters = repeatersIn(registry);
  registry.onChange(() => {
    repeaters = repeatersIn(registry);
    if (repeaters.length === 0) replies.clear();
    const fresh = new Set(registry.rulesOn('open-streams').filter((rule) => rule.adopt()));
    if (fresh.size > 0) for (const listener of [...streams]) listener(fresh);
  });

  const context: FaultContext = {
    clock,
    effects,
    holds,
    siteOf: (method, request, call) => ({
      method: method.name,
      connection: call.transport?.connection ?? 0,
      subject: once(() => subjectOfRequest(method.name, request, host)),
      request: () => request,
    }),
    siteOfMessage: (method, site, message) =>
      method.name === 'GetContainerEvents'
        ? { ...site, subject: once(() => subjectOfEvent(ContainerEventResponse.decode(message), host)) }
        : site,
    subjectOfContainer: (containerId) => subjectOfRequest('ContainerStatus', { containerId }, host),
    decide: (trigger, site, call, among) => {
      const decision = registry.decide(trigger, site, among);
      for (const rule of decision?.rules ?? []) {
        call.transport?.addTrailer(FAULT_TRAILER, rule.name);
        onFault?.({ rule, trigger, method: site.method, subject: site.subject() });
      }
      return decision;
    },
    onStreamRules: (listener) => {
      streams.add(listener);
      return () => streams.delete(listener);
    },
    get hasMessageRules() {
      return registry.rulesOn('message').length > 0;
    },
    keepsReplies: ({ name }) => repeaters.some(({ match }) => match.method(name)),
    keepReply: (method, request, reply) => {
      replies.set(questionOf(method, request), reply);
      forgetOldest(replies, MOST_REPLIES);
    },
    previousReply: (method, request) => replies.get(questionOf(method, request)),
    later: (delay, work) => {
      clock.setTimer(delay, async () => {
        try {
          await work();
        } catch {
          // Its caller already has a reply; the result of the work shows in the runtime's state.
        }
      });
    },
  };
  return context;
}

const repeatersIn = (registry: FaultRegistry): readonly Rule[] =>
  [...registry.rulesOn('call'), ...registry.rulesOn('reply')].filter(
    ({ spec: { action } }) => action?.name === 'reply' && 'stale' in action.options,
  );

/** Maximum number of requests whose last reply is kept. */
const MOST_REPLIES = 1000;

/** Equal for equal requests. */
const questionOf = ({ name }: CriMethod, request: object): string =>
  `${name} ${JSON.stringify(request, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value))}`;
