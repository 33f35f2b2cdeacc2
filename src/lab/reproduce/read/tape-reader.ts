import { shortened } from '../../../cri/shortened.js';
import type { Entry } from '../../../tape/entries.js';
import { podText } from '../../../tape/pod-text.js';
import { openTape } from '../../../tape/read.js';
import type { Seen, SeenFile, SeenTime } from '../facts.js';
import { LARGEST_SEEN, LONGEST_LINE, MOST_SEEN, tooMuch } from './limits.js';
import { logKind } from './log-kinds.js';
import { partsOf } from './parts.js';

/** Ignores calls, which only a tape has. Throws InputError when it shows more than can be compared with runs. */
export async function readTape(file: string): Promise<SeenFile> {
  const tape = await openTape(file);
  const seen: Seen[] = [];
  const version = /^\d+\.\d+$/.exec(tape.header.kubelet ?? '')?.[0];
  if (version !== undefined) seen.push({ what: 'version', version });
  let begun: number | undefined;
  let read = 0;
  let unread = 0;
  let characters = 0;
  for await (const { entry } of tape.entries) {
    if (entry.kind === 'kubelet' && entry.what === 'started') begun ??= entry.t;
    const seconds = (entry.t - (begun ?? 0)) / 1e9;
    const found = seenIn(entry, [{ by: 'run', seconds }]);
    if (found === undefined) {
      unread++;
      continue;
    }
    read++;
    seen.push(found);
    characters += lengthOf(found);
    if (seen.length > MOST_SEEN) throw tooMuch(file);
    if (characters > LARGEST_SEEN) throw tooMuch(file, `${LARGEST_SEEN} characters of observations`);
  }
  return { file, seen, parts: partsOf(seen), lines: { read, unread }, examples: [] };
}

const lengthOf = (seen: Seen): number =>
  Object.values(seen).reduce((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0);

const beginning = (text: string): string => shortened(text, LONGEST_LINE);

const beginnings = <T extends readonly string[]>(...texts: T): { [K in keyof T]: string } =>
  texts.map(beginning) as { [K in keyof T]: string };

function seenIn(entry: Entry, times: readonly SeenTime[]): Seen | undefined {
  switch (entry.kind) {
    case 'row': {
      const [pod, ready, status] = beginnings(podText(entry.pod), entry.ready, entry.status);
      return { what: 'row', pod, ready, status, restarts: entry.restarts, times };
    }
    case 'event': {
      const [pod, type, reason, message] = beginnings(
        podText(entry.pod),
        entry.type,
        entry.reason,
        entry.text,
      );
      return { what: 'event', pod, type, reason, message, count: 1, first: times, times };
    }
    case 'node':
      return { what: 'node', isReady: entry.ready === 'True', message: beginning(entry.text), times };
    case 'log': {
      const kind = entry.from === 'kubelet' ? logKind(beginning(entry.text)) : undefined;
      return kind === undefined ? undefined : { what: 'log', kind, times };
    }
    default:
      return undefined;
  }
}
