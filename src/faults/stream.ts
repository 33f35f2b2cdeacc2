import type { Call, Encoded } from '../cri/service.js';
import type { FaultContext } from './interpose.js';
import type { MethodFacts } from './methods.js';
import type { Occasion, Verdict } from './registry.js';
import { alterReply, encode } from './reply.js';
import { injectedError } from './unary.js';
import { holdUp, whilePaused } from './waiting.js';

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
  for await (const message of work(request, call)) {
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
}

/** What a rule on the call does before the stream begins; false ends it. */
async function open(
  context: FaultContext,
  occasion: Occasion,
  verdict: Verdict,
  call: Call,
): Promise<boolean> {
  if (verdict.delay > 0) await context.clock.sleep(verdict.delay, call.signal);
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

/** The faults of one stream's messages; what it holds back and remembers is the stream's own. */
class MessageFaults {
  /** Set once a rule has ended the stream. */
  ended = false;
  readonly #context: FaultContext;
  readonly #method: MethodFacts;
  readonly #request: object;
  readonly #call: Call;
  readonly #past: Encoded[] = [];
  #held: Encoded[] = [];
  #window = 0;

  constructor(context: FaultContext, method: MethodFacts, request: object, call: Call) {
    this.#context = context;
    this.#method = method;
    this.#request = request;
    this.#call = call;
  }

  /** Whether messages just pass: no rule acts on them and none is held back. */
  get idle(): boolean {
    return this.#held.length === 0 && !this.#context.hasMessageRules;
  }

  /** The messages that come out for one that goes in. */
  async *pass(message: Encoded): AsyncGenerator<Encoded, void> {
    const out = await this.#judge(message);
    this.#past.push(message);
    if (this.#past.length > REMEMBERED) this.#past.shift();
    if (this.#window === 0) {
      yield* out;
      return;
    }
    this.#held.push(...out);
    if (this.#held.length >= this.#window) yield* this.rest();
  }

  /** What is held back for reordering, latest first. */
  *rest(): Generator<Encoded, void> {
    const held = this.#held.reverse();
    this.#held = [];
    this.#window = 0;
    yield* held;
  }

  async #judge(message: Encoded): Promise<Encoded[]> {
    const context = this.#context;
    const occasion = context.messageOccasion(this.#method, this.#request, this.#call, message);
    const verdict = context.judge('message', occasion, this.#call);
    if (verdict === undefined) return [message];
    if (verdict.delay > 0) await context.clock.sleep(verdict.delay, this.#call.signal);
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
        if (this.#window === 0) this.#window = action.options.window;
        return [message];
      case 'reply':
        return [alterReply(this.#method, message, action, this.#past.at(-1), rule.pad)];
      case 'throttle':
        await context.clock.sleep(1000 / (action.options.perSecond ?? 1), this.#call.signal);
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
