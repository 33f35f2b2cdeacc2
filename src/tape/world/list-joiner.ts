import { Message } from '../message.js';
import { type AnsweredCall, type FinishedStream, isFaulty } from './watcher.js';

/** Unary equivalent of each streaming list (KEP-5825), with the field of its items. */
export const unaryLists: Readonly<Record<string, { readonly method: string; readonly field: string }>> = {
  StreamPodSandboxes: { method: 'ListPodSandbox', field: 'items' },
  StreamContainers: { method: 'ListContainers', field: 'containers' },
  StreamContainerStats: { method: 'ListContainerStats', field: 'stats' },
  StreamPodSandboxStats: { method: 'ListPodSandboxStats', field: 'stats' },
  StreamPodSandboxMetrics: { method: 'ListPodSandboxMetrics', field: 'podMetrics' },
  StreamImages: { method: 'ListImages', field: 'images' },
};

/** Joins chunks to the unary list's reply; undefined for another stream, and for one the runtime did not end. */
export function createListJoiner(): (stream: FinishedStream) => AnsweredCall | undefined {
  const last = new Map<string, { readonly chunks: readonly Message[]; readonly message: Message }>();
  return ({ call, end, callLine, endLine, chunks }) => {
    const list = unaryLists[call.method];
    if (list === undefined || end.code !== 'OK' || end.by !== undefined || isFaulty(end)) return undefined;
    const before = last.get(call.method);
    const isSame =
      before?.chunks.length === chunks.length && before.chunks.every((one, i) => one === chunks[i]);
    const message = isSame
      ? before.message
      : Message.of(list.method, 'Response', { [list.field]: chunks.flatMap(itemsOf) });
    last.set(call.method, { chunks, message });
    const { method } = list;
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

export const itemsOf = (chunk: Message): unknown[] =>
  (Object.values(chunk.value()).find(Array.isArray) as unknown[] | undefined) ?? [];
