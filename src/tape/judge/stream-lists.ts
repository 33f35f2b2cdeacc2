import { Message } from '../message.js';
import { type Exchange, type FinishedStream, isFaulty, type Watcher } from './exchange.js';
import type { Findings } from './finding.js';

/** The list that has the same items, and the field of its answer, for each streaming list (KEP-5825). */
const unaryLists: Readonly<Record<string, { readonly method: string; readonly field: string }>> = {
  StreamPodSandboxes: { method: 'ListPodSandbox', field: 'items' },
  StreamContainers: { method: 'ListContainers', field: 'containers' },
  StreamContainerStats: { method: 'ListContainerStats', field: 'stats' },
  StreamPodSandboxStats: { method: 'ListPodSandboxStats', field: 'stats' },
  StreamPodSandboxMetrics: { method: 'ListPodSandboxMetrics', field: 'podMetrics' },
  StreamImages: { method: 'ListImages', field: 'images' },
};

/**
 * Makes what joins the chunks of a streaming list to the answer of the list that is no stream; undefined for another
 * stream, and for one that was not ended by the runtime.
 */
export function createListJoiner(): (stream: FinishedStream) => Exchange | undefined {
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
      // The requests of both are alike, but their types differ.
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

const itemsOf = (chunk: Message): unknown[] =>
  (Object.values(chunk.value()).find(Array.isArray) as unknown[] | undefined) ?? [];

/** Checks streaming lists against the rules for their form (INV-20); what they show, other watchers compare. */
export function watchStreamLists(findings: Findings): Watcher {
  return {
    finished: ({ call, end, callLine, endLine, chunks }) => {
      const { method } = call;
      if (unaryLists[method] === undefined || isFaulty(end)) return;
      const broken = (text: string) => findings.add(`INV-20.${method}`, method, text, [callLine, endLine]);
      const seen = new Set<unknown>();
      for (const chunk of chunks) {
        const items = itemsOf(chunk);
        if (items.length === 0) broken(`${method} sends a chunk without items`);
        for (const item of items) {
          const id = idOf(item);
          if (id !== undefined && seen.has(id)) broken(`${method} sends ${id} twice`);
          seen.add(id);
        }
      }
      if (end.by === undefined && chunks.length > 0 && !/^(OK|UNAVAILABLE|CANCELLED)$/.test(end.code))
        broken(`${method} ends with ${end.code} after ${chunks.length} chunks: ${end.details ?? ''}`);
    },
  };
}

/** What an item of any list is known by. */
function idOf(item: unknown): string | undefined {
  const { id, podSandboxId, attributes } = item as {
    readonly id?: string;
    readonly podSandboxId?: string;
    readonly attributes?: { readonly id?: string };
  };
  return id ?? attributes?.id ?? podSandboxId;
}
