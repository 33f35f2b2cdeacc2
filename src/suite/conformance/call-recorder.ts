import type { Clock } from '../../base/clock/clock.js';
import { forgetOldest } from '../../base/input/forget-oldest.js';
import { type CallOptions, type CriClient, createClient, transportOf } from '../../cri/client/client.js';
import { isCutOff } from '../../cri/client/go-status.js';
import { allMethods } from '../../cri/methods.js';
import { recordClient } from '../../tape/client-recorder.js';
import type { EntryOf } from '../../tape/entries.js';
import { createTape } from '../../tape/tape.js';
import { show } from './expect.js';

export interface RecordedCall {
  readonly method: string;
  readonly request: string;
  /** OK with the reply, or the code with its text; `…` while the call is in progress. */
  readonly outcome: string;
  /** ms of the clock's `elapsed`, like `endedAt`. */
  readonly startedAt: number;
  readonly endedAt: number | undefined;
}

export interface AnyCall {
  readonly method: string;
  readonly request: object;
  /** Undefined for a failure, and while the call is in progress. */
  readonly reply: object | undefined;
  /** ms of the clock's `elapsed`, like `endedAt`. */
  readonly startedAt: number;
  readonly endedAt: number | undefined;
}

/** Calls in a check's report: only the last ones matter. */
const KEPT = 40;
/** Calls that create objects and are kept as well, so that the last ones can be repeated. */
const KEPT_MAKING = 100;

interface CallRecord {
  readonly cri: CriClient;
  calls(): RecordedCall[];
  /** The last calls and those that created objects, with their messages, oldest first. */
  messages(): readonly AnyCall[];
  /** Whether a call or stream ended without a status of the server, as all do when the runtime ends. */
  wasCutOff(): boolean;
}

/** Records every call of the client, so that a failure can show the last requests and replies. */
export function recordCalls(client: CriClient, clock: Clock, signal: AbortSignal): CallRecord {
  const tape = createTape(clock);
  const begun = clock.elapsed();
  const kept = new Map<number, Kept>();
  const making = new Map<number, Kept>();
  let wasCutOff = false;
  tape.listen({
    only: ['call', 'reply', 'end'],
    entry: (entry) => {
      if ('code' in entry && isCutOff(entry.code, entry.details ?? '')) wasCutOff = true;
      if (entry.kind === 'call') {
        const one: Kept = { call: entry };
        kept.set(entry.call, one);
        if (MAKING.has(entry.method) && making.size < KEPT_MAKING) making.set(entry.call, one);
        forgetOldest(kept, KEPT);
      } else if (entry.kind === 'reply') {
        const asked = kept.get(entry.call) ?? making.get(entry.call);
        if (asked !== undefined) asked.reply = entry;
      }
    },
  });

  // The end of the check cancels its calls.
  const bound = ({ signal: own, ...rest }: CallOptions): CallOptions => ({
    ...rest,
    signal: own ? AbortSignal.any([own, signal]) : signal,
  });
  const below = transportOf(recordClient(client, tape));
  const cri = createClient({
    unary: (method, request, options) => below.unary(method, request, bound(options)),
    stream: (method, request, options) => below.stream(method, request, bound(options)),
  });
  const elapsedAt = ({ t }: { readonly t: number }) => begun + t / 1e6;
  return {
    cri,
    wasCutOff: () => wasCutOff,
    messages: () =>
      [...new Map([...making, ...kept])]
        .sort(([a], [b]) => a - b)
        .map(([, { call, reply }]) => ({
          method: call.method,
          request: call.message.value(),
          reply: reply?.code === 'OK' ? reply.message?.value() : undefined,
          startedAt: elapsedAt(call),
          endedAt: reply && elapsedAt(reply),
        })),
    calls: () =>
      [...kept.values()].map(({ call, reply }) => ({
        method: call.method,
        request: show(call.message.value()),
        outcome: outcomeOf(call, reply),
        startedAt: elapsedAt(call),
        endedAt: reply && elapsedAt(reply),
      })),
  };
}

interface Kept {
  readonly call: EntryOf<'call'>;
  reply?: EntryOf<'reply'>;
}

/** RPCs that create or change objects of later calls. */
const MAKING = new Set([
  'RunPodSandbox',
  'CreateContainer',
  'StartContainer',
  'StopContainer',
  'UpdateContainerResources',
  'StopPodSandbox',
  'PullImage',
]);

function outcomeOf({ method }: EntryOf<'call'>, reply: EntryOf<'reply'> | undefined): string {
  if (streams.has(method)) return 'stream opened';
  if (reply === undefined) return '…';
  return reply.code === 'OK' ? `OK ${show(reply.message?.value())}` : `${reply.code}: ${reply.details ?? ''}`;
}

const streams = new Set(allMethods.filter(({ stream }) => stream).map(({ name }) => name));
