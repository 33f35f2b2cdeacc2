import { messageTypeOf } from '../../cri/messages.js';
import { Message } from '../message.js';
import { type AnsweredCall, type FinishedStream, isFaulty } from './watcher.js';

/** The unary RPC with the same items as each streaming list (KEP-5825). */
export const unaryLists: Readonly<Record<string, string>> = {
  StreamPodSandboxes: 'ListPodSandbox',
  StreamContainers: 'ListContainers',
  StreamContainerStats: 'ListContainerStats',
  StreamPodSandboxStats: 'ListPodSandboxStats',
  StreamPodSandboxMetrics: 'ListPodSandboxMetrics',
  StreamImages: 'ListImages',
};

/** Joins chunks to the unary list's reply; undefined for another stream, and for one the runtime did not end. */
export function createListJoiner(): (stream: FinishedStream) => AnsweredCall | undefined {
  const last = new Map<string, { readonly chunks: readonly Message[]; readonly message: Message }>();
  return ({ call, end, callLine, endLine, chunks }) => {
    const method = unaryLists[call.method];
    if (method === undefined || end.code !== 'OK' || end.by !== undefined || isFaulty(end)) return undefined;
    const before = last.get(call.method);
    const isSame =
      before?.chunks.length === chunks.length && before.chunks.every((one, i) => one === chunks[i]);
    const message = isSame
      ? before.message
      : Message.of(method, 'Response', {
          [listField(method)]: chunks.flatMap((one) => itemsOf(one.value())),
        });
    last.set(call.method, { chunks, message });
    return {
      method,
      // The requests have the same fields but different types.
      call: { ...call, method },
      reply: { t: end.t, kind: 'reply', call: call.call, method, code: 'OK', message },
      callLine,
      replyLine: endLine,
      isOk: true,
      isOpenEnded: false,
      stream: call.method,
    };
  };
}

/** The items of a list's reply, or of a message of a streaming list: its only array. */
export const itemsOf = <T = unknown>(reply: object): T[] => Object.values(reply).find(Array.isArray) ?? [];

/** The field of these items. */
export function listField(method: string): string {
  const empty = Object.entries(messageTypeOf(method, 'Response').fromPartial({}));
  return empty.find(([, value]) => Array.isArray(value))?.[0] ?? '';
}
