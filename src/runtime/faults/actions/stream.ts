import type { Call, Encoded } from '../../../cri/service.js';
import type { Reply, StreamWork } from '../../../cri/wrap-service.js';
import type { RuleDecision } from '../matching/registry.js';
import type { Rule } from '../matching/rule.js';
import { CallUnderRules } from './call-under-rules.js';
import { encode } from './reply.js';
import { injectedError } from './unary.js';

/** An open stream, which a rule on open streams can end by cancelling the work behind it. */
interface OpenStream {
  /** The call, with a signal that also aborts when a rule ends the stream. */
  readonly ruled: CallUnderRules;
  readonly endedBy: RuleDecision | undefined;
  close(): void;
}

/** Messages of a stream that are kept for `replay`. */
const REMEMBERED = 1000;

/** A server stream: rules on the call act before its first message, rules on messages on each message. */
export async function* faultyStream(given: CallUnderRules, work: StreamWork): AsyncGenerator<Reply, void> {
  const stream = watchStream(given);
  const { ruled } = stream;
  const { context, clock, method, request, call } = ruled;
  const messages = new MessageFaults(ruled);
  let source: AsyncIterator<Reply> | undefined;
  try {
    await ruled.whilePaused();
    const decision = ruled.decide('call');
    const opened = decision === undefined || (await open(ruled, decision));
    if (typeof opened === 'object') yield opened;
    if (opened !== true) return;
    source = work(request, call)[Symbol.asyncIterator]();
    for (;;) {
      const { held } = messages;
      // Once its rule is removed, a held-back message must not wait for another one that may never come.
      const pending = source;
      const next = held ? clock.run(() => pending.next()) : pending.next();
      if (held) {
        await clock.idle(Promise.race([next, held.released]));
        if (held.rule.released.aborted) yield* messages.rest();
        await clock.idle(next);
      }
      const { done, value: message } = await next;
      if (done) break;
      if (context.effects.pause) await ruled.whilePaused();
      // A rule may be added while the stream is open, so each message checks the rules.
      if (messages.idle) {
        yield message;
        continue;
      }
      for await (const out of messages.pass(encode(method, message))) yield out;
      if (messages.ended) return;
    }
    yield* messages.rest();
  } catch (error) {
    if (stream.endedBy === undefined) throw error;
  } finally {
    stream.close();
    messages.held?.forget();
    await source?.return?.();
  }
  const { action, rule } = stream.endedBy ?? {};
  if (action?.name === 'close' && rule !== undefined) throw injectedError(action, rule);
}

/** Watches for rules on open streams until `close`. */
function watchStream(ruled: CallUnderRules): OpenStream {
  const { context, method, request, call } = ruled;
  const stopped = new AbortController();
  const forward = () => stopped.abort(call.signal.reason);
  if (call.signal.aborted) forward();
  else call.signal.addEventListener('abort', forward, { once: true });
  let endedBy: RuleDecision | undefined;
  const forget = context.onStreamRules((fresh) => {
    if (endedBy !== undefined) return;
    endedBy = ruled.decideOpen(fresh);
    if (endedBy !== undefined) stopped.abort(new Error('a fault rule ended the stream'));
  });
  const stoppable: Call = { signal: stopped.signal, deadline: call.deadline, transport: call.transport };
  return {
    ruled: new CallUnderRules(context, method, request, stoppable),
    get endedBy() {
      return endedBy;
    },
    close: () => {
      forget();
      call.signal.removeEventListener('abort', forward);
    },
  };
}

/** False for a stream that ends here, or the only message of a stream. */
async function open(ruled: CallUnderRules, decision: RuleDecision): Promise<boolean | Encoded> {
  if (decision.delays.length > 0) await ruled.delay(decision);
  const action = await ruled.settle(decision, 'call');
  const { rule } = decision;
  if (action === undefined || rule === undefined) return true;
  if (action.name === 'end') return false;
  if (action.name === 'reply') return ruled.alter({}, action, rule);
  if (action.name === 'error' || action.name === 'close') throw injectedError(action, rule);
  if (action.name === 'hang' || action.name === 'stall') {
    await ruled.holdUp(action.options.for, rule);
    return true;
  }
  ruled.perform(action, rule);
  return action.name !== 'reset';
}

/** Messages that the stream sends latest first, once there are `window` of them or their rule is removed. */
interface HeldBack {
  readonly messages: Encoded[];
  readonly window: number;
  readonly rule: Rule;
  readonly released: Promise<void>;
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

class MessageFaults {
  ended = false;
  readonly #ruled: CallUnderRules;
  readonly #past: Encoded[] = [];
  held: HeldBack | undefined;

  constructor(ruled: CallUnderRules) {
    this.#ruled = ruled;
  }

  /** Whether messages pass unchanged: no rule acts on them and none is held back. */
  get idle(): boolean {
    return this.held === undefined && !this.#ruled.context.hasMessageRules;
  }

  async *pass(message: Encoded): AsyncGenerator<Encoded, void> {
    const out = await this.#underRules(message);
    this.#past.push(message);
    if (this.#past.length > REMEMBERED) this.#past.shift();
    if (this.held === undefined) {
      yield* out;
      return;
    }
    this.held.messages.push(...out);
    if (this.held.messages.length >= this.held.window) yield* this.rest();
  }

  *rest(): Generator<Encoded, void> {
    const { messages = [], forget } = this.held ?? {};
    forget?.();
    this.held = undefined;
    yield* messages.reverse();
  }

  async #underRules(message: Encoded): Promise<Encoded[]> {
    const ruled = this.#ruled;
    const site = ruled.siteOfMessage(message);
    const decision = ruled.decide('message', site);
    if (decision === undefined) return [message];
    if (decision.delays.length > 0) await ruled.delay(decision);
    const action = await ruled.settle(decision, 'message', site);
    const { rule } = decision;
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
        return [ruled.alter(message, action, rule, this.#past.at(-1))];
      case 'throttle':
        await ruled.holdUp(1000 / (action.options.perSecond ?? 1), rule);
        return [message];
      case 'stall':
        await ruled.holdUp(action.options.for, rule);
        return [message];
      case 'end':
        this.ended = true;
        return [];
      case 'close':
        throw injectedError(action, rule);
      default:
        ruled.perform(action, rule, site);
        this.ended = action.name === 'reset';
        return this.ended ? [] : [message];
    }
  }
}
