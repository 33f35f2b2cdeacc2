import { itemsOf, unaryLists } from '../../world/list-joiner.js';
import { isFaulty, type Watcher } from '../../world/watcher.js';
import type { Findings } from '../finding.js';

export function watchStreamLists(findings: Findings): Watcher {
  return {
    finished: ({ call, end, callLine, endLine, chunks }) => {
      const { method } = call;
      if (unaryLists[method] === undefined || isFaulty(end)) return;
      const broken = (text: string) => findings.add(`INV-20.${method}`, method, text, [callLine, endLine]);
      const seen = new Set<unknown>();
      for (const chunk of chunks) {
        const items = itemsOf(chunk.value());
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

function idOf(item: unknown): string | undefined {
  const { id, podSandboxId, attributes } = item as {
    readonly id?: string;
    readonly podSandboxId?: string;
    readonly attributes?: { readonly id?: string };
  };
  return id ?? attributes?.id ?? podSandboxId;
}
