import type { Call, Encoded } from '../../cri/service.js';
import type { FaultContext } from '../fault-context.js';
import type { Rule } from '../language/rule.js';
import type { MethodFacts } from '../matching/methods.js';
import type { FaultSite, Verdict } from '../matching/registry.js';
import { alterReply, encode } from './reply.js';
import { injectedError } from './unary.js';
import { delayed, holdUp, whilePaused } from './waiting.js';

/** How many messages of a stream are remembered for `replay`. */
const REMEMBERED = 1000;

/** A server stream with the rules on the call before its first message and the rules on messages on each. */
export async function* faultyStream(
  context: FaultContext,
  method: MethodFacts,
  work: (request: object, call: Call) => AsyncIterable<object>,
  request: object,
  call: Call,
): AsyncGenerator<object, void> {
  const occasion = context.occasion(method, request, call);
  await whilePaused(context, call);
  const verdict = context.judge('call', occasion, call);
  if (verdict && !(await open(context, occasion, verdict, call))) return;
  const messages = new MessageFaults(context, method, request, call);
  const source = work(request, call)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { held } = messages;
      // What is held back must not wait for a message that may never come once its rule is taken back.
      const next = held ? context.clock.run(() => source.next()) : source.next();
      if (held) {
        await context.clock.idle(Promise.race([next, held.released]));
        if (held.rule.released.aborted) yield* messages.rest();
        await context.clock.idle(next);
      }
      const { done, value: message } = await next;
      if (done) break;
      if (context.effects.pause) await whilePaused(context, call);
      // A rule may come while the stream is open, so each message asks anew.
      if (messages.idle) {
        yield message;
        continue;
      }
      for await (const out of messages.pass(encode(method, message))) yield out;
      if (messages.ended) return;
    }
    yield* messages.rest();
  } finally {
    messages.held?.forget();
    await source.return?.();
  }
}

/** What a rule on the call does before the stream begins; false ends it. */
async function open(
  context: FaultContext,
  occasion: FaultSite,
  verdict: Verdict,
  call: Call,
): Promise<boolean> {
  if (verdict.delays.length > 0) await delayed(context.clock, verdict, call.signal);
  const { action, rule } = verdict;
  if (action === undefined || rule === undefined) return true;
  if (action.name === 'end') return false;
  if (action.name === 'error' || action.name === 'close') throw injectedError(action, rule);
  if (action.name === 'hang' || action.name === 'stall') {
    await holdUp(context.clock, action.options.for, rule.released, call.signal);
    return true;
  }
  context.effects.perform(action, rule, occasion.subject(), call.transport);
  return action.name !== 'reset';
}

/** Messages that come out latest first, once there are `window` of them or their rule is taken back. */
interface HeldBack {
  readonly messages: Encoded[];
  readonly window: number;
  readonly rule: Rule;
  readonly released: Promise<void>;
  /** No more waits for `released`. */
  forget(): void;
}

function holdBack(window: number, rule: Rule): HeldBack {
  let forget = () => {};
  const released = new Promise<void>((resolve) => {
    const release = () => resolve();
    rule.released.addEventListener('abort', release, { once: true });
    forget = () => rule.released.removeEventListener('abort', release);
  });
  return { messages: [], window, rule, released, forget };
}

/** The faults of one stream's messages; what it holds back and remembers is the stream's own. */
class MessageFaults {
  /** Set once a rule has ended the stream. */
  ended = false;
  readonly #context: FaultContext;
  readonly #method: MethodFacts;
  readonly #request: object;
  readonly #call: Call;
  readonly #past: Encoded[] = [];
  /** Of messages that are held back for reordering. */
  held: HeldBack | undefined;

  constructor(context: FaultContext, method: MethodFacts, request: object, call: Call) {
    this.#context = context;
    this.#method = method;
    this.#request = request;
    this.#call = call;
  }

  /** Whether messages just pass: no rule acts on them and none is held back. */
  get idle(): boolean {
    return this.held === undefined && !this.#context.hasMessageRules;
  }

  /** The messages that come out for one that goes in. */
  async *pass(message: Encoded): AsyncGenerator<Encoded, void> {
    const out = await this.#judge(message);
    this.#past.push(message);
    if (this.#past.length > REMEMBERED) this.#past.shift();
    if (this.held === undefined) {
      yield* out;
      return;
    }
    this.held.messages.push(...out);
    if (this.held.messages.length >= this.held.window) yield* this.rest();
  }

  /** What is held back for reordering, latest first. */
  *rest(): Generator<Encoded, void> {
    const { messages = [], forget } = this.held ?? {};
    forget?.();
    this.held = undefined;
    yield* messages.reverse();
  }

  async #judge(message: Encoded): Promise<Encoded[]> {
    const context = this.#context;
    const occasion = context.messageOccasion(this.#method, this.#request, this.#call, message);
    const verdict = context.judge('message', occasion, this.#call);
    if (verdict === undefined) return [message];
    if (verdict.delays.length > 0) await delayed(context.clock, verdict, this.#call.signal);
    const { action, rule } = verdict;
    if (action === undefined || rule === undefined) return [message];
    switch (action.name) {
      case 'drop':
        return [];
      case 'duplicate':
        return Array.from({ length: action.options.copies + 1 }, () => message);
      case 'replay':
        return [message, ...this.#past.slice(-action.options.last)];
      case 'reorder':
        this.held ??= holdBack(action.options.window, rule);
        return [message];
      case 'reply':
        return [alterReply(this.#method, message, action, this.#past.at(-1), rule.pad)];
      case 'throttle':
        await holdUp(context.clock, 1000 / (action.options.perSecond ?? 1), rule.released, this.#call.signal);
        return [message];
      case 'stall':
        await holdUp(context.clock, action.options.for, rule.released, this.#call.signal);
        return [message];
      case 'end':
        this.ended = true;
        return [];
      case 'close':
        throw injectedError(action, rule);
      default:
        context.effects.perform(action, rule, occasion.subject(), this.#call.transport);
        this.ended = action.name === 'reset';
        return this.ended ? [] : [message];
    }
  }
}
