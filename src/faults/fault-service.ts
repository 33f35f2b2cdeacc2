import type { Clock } from '../clock/clock.js';
import type { Layer } from '../cri/layer.js';
import type { Call, CriMethodName, CriService, Encoded } from '../cri/service.js';
import { type Subject, subjectOfEncodedEvent, subjectOfRequest } from '../cri/subject.js';
import type { Effects } from './actions/effects.js';
import { faultyStream } from './actions/stream.js';
import { faultyUnary } from './actions/unary.js';
import type { FaultContext } from './fault-context.js';
import type { FaultHost } from './host.js';
import type { Rule } from './language/rule.js';
import type { Trigger } from './language/trigger.js';
import { type MethodFacts, methodFacts } from './matching/methods.js';
import type { FaultRegistry, FaultSite } from './matching/registry.js';

/** The trailer that tells which rules took part in a reply. */
export const FAULT_TRAILER = 'x-mockri-fault';

/** Called for every rule that took part in something. */
export type FaultListener = (application: FaultApplication) => void;

/** One time that a rule acted: on what, and for which pod or container, as far as that is known. */
export interface FaultApplication {
  readonly rule: Rule;
  readonly trigger: Trigger;
  readonly method: string | undefined;
  readonly subject: Subject;
}

/** What the rules are held against, and who is told when one acts. */
export interface FaultLayerOptions {
  readonly registry: FaultRegistry;
  readonly host: FaultHost;
  readonly clock: Clock;
  readonly effects: Effects;
  readonly onFault?: FaultListener | undefined;
}

/** Applies the rules to each call. While no rule is in force, a call costs one look at a flag. */
export function faultLayer(options: FaultLayerOptions): Layer {
  const context = createContext(options);
  return (below) => {
    const entries = methodFacts.map(
      (method) => [method.key, wrap(method, below, options.registry, context)] as const,
    );
    return Object.fromEntries(entries) as unknown as CriService;
  };
}

type AnyFunction = (request: object, call: Call) => never;

function wrap(
  method: MethodFacts,
  service: CriService,
  registry: FaultRegistry,
  context: FaultContext,
): AnyFunction {
  const work = (service as unknown as Record<CriMethodName, AnyFunction>)[method.key].bind(
    service,
  ) as AnyFunction;
  if (method.stream) return (request, call) => faultyStream(context, method, work, request, call) as never;
  return (request, call) =>
    registry.active ? (faultyUnary(context, method, work, request, call) as never) : work(request, call);
}

function createContext({ registry, host, clock, effects, onFault }: FaultLayerOptions): FaultContext {
  const replies = new Map<string, Encoded>();
  registry.onChange(() => {
    if (!context.keepsReplies) replies.clear();
  });
  const remembered = (trigger: Trigger, name: string) =>
    registry.rulesOn(trigger).some((rule) => rule.compiled.action?.name === name);

  const occasion = (method: MethodFacts, request: object, call: Call): FaultSite => ({
    method: method.name,
    connection: call.transport?.connection ?? 0,
    subject: once(() => subjectOfRequest(method.name, request, host)),
    request: () => request,
  });

  const context: FaultContext = {
    clock,
    effects,
    occasion,
    messageOccasion: (method, request, call, message) => {
      if (method.name !== 'GetContainerEvents') return occasion(method, request, call);
      return {
        ...occasion(method, request, call),
        subject: once(() => subjectOfEncodedEvent(message, host)),
      };
    },
    subjectOfContainer: (containerId) => subjectOfRequest('ContainerStatus', { containerId }, host),
    judge: (trigger, on, call) => {
      const verdict = registry.judge(trigger, on);
      for (const rule of verdict?.rules ?? []) {
        call.transport?.addTrailer(FAULT_TRAILER, rule.name);
        onFault?.({ rule, trigger, method: on.method, subject: on.subject() });
      }
      return verdict;
    },
    get hasMessageRules() {
      return registry.rulesOn('message').length > 0;
    },
    get keepsReplies() {
      return remembered('call', 'reply') || remembered('reply', 'reply');
    },
    keepReply: (method, reply) => void replies.set(method.name, reply),
    previousReply: (method) => replies.get(method.name),
    later: (delay, work) => {
      clock.setTimer(delay, async () => {
        try {
          await work();
        } catch {
          // Its caller was answered long ago; what became of the work shows in the runtime's state.
        }
      });
    },
    orphan: (call) => ({ signal: new AbortController().signal, deadline: call.deadline }),
  };
  return context;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
