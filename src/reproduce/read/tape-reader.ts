import type { Entry } from '../../tape/entries.js';
import { podText } from '../../tape/pod-text.js';
import { openTape } from '../../tape/read.js';
import type { Seen, SeenFile, SeenTime } from '../seen.js';
import { logKind } from './log-kinds.js';
import { partsOf } from './parts.js';

/** What a tape shows of what people see; calls are left out, because nobody else has them. */
export async function readTape(file: string): Promise<SeenFile> {
  const tape = await openTape(file);
  const seen: Seen[] = [];
  const version = /^\d+\.\d+$/.exec(tape.header.kubelet ?? '')?.[0];
  if (version !== undefined) seen.push({ what: 'version', version });
  let begun: number | undefined;
  let read = 0;
  let unread = 0;
  for await (const { entry } of tape.entries) {
    if (entry.kind === 'kubelet' && entry.what === 'started') begun ??= entry.t;
    const seconds = (entry.t - (begun ?? 0)) / 1e9;
    const found = seenIn(entry, [{ by: 'run', seconds }]);
    if (found === undefined) unread++;
    else read++;
    seen.push(...(found ?? []));
  }
  return { file, seen, parts: partsOf(seen), lines: { read, unread }, examples: [] };
}

function seenIn(entry: Entry, times: readonly SeenTime[]): Seen[] | undefined {
  switch (entry.kind) {
    case 'row': {
      const { ready, status, restarts } = entry;
      return [{ what: 'row', pod: podText(entry.pod), ready, status, restarts, times }];
    }
    case 'event': {
      const { type, reason, text } = entry;
      return [
        {
          what: 'event',
          pod: podText(entry.pod),
          type,
          reason,
          message: text,
          count: 1,
          first: times,
          times,
        },
      ];
    }
    case 'node':
      return [{ what: 'node', isReady: entry.ready === 'True', message: entry.text, times }];
    case 'log': {
      const kind = entry.from === 'kubelet' ? logKind(entry.text) : undefined;
      return kind === undefined ? undefined : [{ what: 'log', kind, times }];
    }
    default:
      return undefined;
  }
}
