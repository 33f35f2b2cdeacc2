import type { Seen, SeenFile, SeenTime } from '../facts.js';
import { klogTime, takeTime } from './clock-times.js';
import { type LineContext, type LineReader, timesOf } from './context.js';
import { createDescribeReader } from './describe-lines.js';
import { readEventLine } from './event-lines.js';
import { LONGEST_LINE, MOST_SEEN, tooMuch } from './limits.js';
import { logKind } from './log-kinds.js';
import { readNodeLine } from './node-table.js';
import { partsOf } from './parts.js';
import { readPodLine, withWatches } from './pod-table.js';

/** klog, after any prefix of a journal. */
const KLOG = /^(?:.{0,160}?\s)?[IWEF](\d{2})(\d{2})\s+(\d{2}:\d{2}:\d{2}\.\d+)\s+\d+\s+[\w.-]+:\d+\]\s(.*)$/;

const readLogLine: LineReader = (line, context, own) => {
  const [, month = '', day = '', time = '', text] = KLOG.exec(line) ?? [];
  if (text === undefined) return undefined;
  const kind = logKind(text);
  if (kind === undefined) return [];
  const stamp = own?.by === 'clock' ? own : klogTime(month, day, time);
  return [{ what: 'log', kind, times: timesOf(context, stamp) }];
};

const HEADER = /^CONTAINER(?: ID)?\s+IMAGE\s+CREATED\s+STATE\s+NAME\s+ATTEMPT\s+POD/;
/** Words in a time are separated by one space, as in `About an hour ago`, so that long lines are read quickly. */
const ROW =
  /^([0-9a-f]{12,64})\s+(\S+)\s+(\S+(?: \S+){0,5})\s+(Running|Exited|Created|Unknown)\s+(\S+)\s+(\d+)\s+([0-9a-f]{12,64})(?:\s+(\S+))?/;

const readCrictlLine: LineReader = (line, context, own) => {
  if (HEADER.test(line)) {
    context.capture++;
    return [];
  }
  const [, , , , state, name = '', attempt, , pod = ''] = ROW.exec(line) ?? [];
  if (state === undefined) return undefined;
  const times = timesOf(context, own);
  return [{ what: 'container', pod, name, attempt: Number(attempt), isRunning: state === 'Running', times }];
};

const MOST_EXAMPLES = 5;

/** Dots for omitted lines. */
const GAP = /^\s*(?:\.{2,}|…|\[(?:\.{2,}|…|snip)\]|<snip>)\s*$/i;

const COMMAND = /^(?:.{0,80}?[$#%>]\s+)?(?:sudo\s+)?(?:kubectl|crictl|oc)\s+\S/;

/** `Every 2.0s: kubectl get pod   host: Tue Nov 24 11:40:20 2026`, as printed by watch. */
const WATCH = /^Every \d+(?:\.\d+)?s: .*?((?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) .*)$/;

export function readLines(text: string, file: string): SeenFile {
  const context: LineContext = {
    capture: 0,
    clock: undefined,
    table: undefined,
    described: undefined,
    hasNamespace: false,
  };
  const describe = createDescribeReader();
  const readers: readonly LineReader[] = [
    describe,
    readPodLine,
    readEventLine,
    readNodeLine,
    readLogLine,
    readCrictlLine,
  ];
  const seen: Seen[] = [];
  const examples: string[] = [];
  let read = 0;
  let unread = 0;
  const take = (line: string): readonly Seen[] | undefined => {
    if (GAP.test(line)) return [{ what: 'gap' }];
    if (COMMAND.test(line)) return [];
    const { time, rest } = takeTime(WATCH.exec(line)?.[1] ?? line);
    const stamped = time === undefined || rest === '' ? undefined : firstOf(readers, rest, context, time);
    const found = stamped ?? firstOf(readers, line, context, undefined);
    if (found !== undefined || time === undefined || rest !== '') return found;
    context.clock = time;
    return [];
  };
  for (const each of text.split(/\r?\n/)) {
    const line = each.slice(0, LONGEST_LINE).trimEnd();
    if (line.trim() === '') continue;
    const found = take(unquoted(line));
    if (found === undefined) {
      unread++;
      if (examples.length < MOST_EXAMPLES) examples.push(line);
    } else {
      read++;
      seen.push(...found);
      if (seen.length > MOST_SEEN) throw tooMuch(file);
    }
  }
  // No line follows the last container of a description.
  seen.push(...(describe('End:', context, undefined) ?? []));
  const watched = withWatches(seen);
  return { file, seen: watched, parts: partsOf(watched), lines: { read, unread }, examples };
}

/** Removes the quotation marks of issues and mails. */
const unquoted = (line: string): string => line.replace(/^(?:>\s)+/, '');

function firstOf(
  readers: readonly LineReader[],
  line: string,
  context: LineContext,
  own: SeenTime | undefined,
): readonly Seen[] | undefined {
  for (const read of readers) {
    const found = read(line, context, own);
    if (found !== undefined) return found;
  }
  return undefined;
}
