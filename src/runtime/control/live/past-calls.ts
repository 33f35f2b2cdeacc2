import { FAULT_TRAILER } from '../../../cri/fault-trailer.js';
import { allMethods } from '../../../cri/methods.js';
import { type CodeName, codeName } from '../../../cri/status-code.js';
import type { Entry } from '../../../tape/entries.js';
import type { UnreadCall } from '../../../tape/line-writer.js';
import type { ReadableTape } from '../../../tape/tape.js';
import type { CallLog, CallRecord } from '../../server/call-log.js';

/** Maximum number of calls of the history to show: the newest. */
const MOST = 5000;

const streams: ReadonlySet<string> = new Set(
  allMethods.filter(({ stream }) => stream).map(({ name }) => name),
);

export function pastCalls(
  log: Pick<CallLog, 'list'>,
  tape: ReadableTape,
  start: number,
): (Entry | UnreadCall)[] {
  const since = tape.startedAt + BigInt(Math.round(start));
  return log
    .list({ limit: MOST })
    .filter(({ startedAt }) => startedAt >= since)
    .flatMap((record) => entriesOf(record, Number(record.startedAt - tape.startedAt)));
}

function entriesOf(record: CallRecord, t: number): (Entry | UnreadCall)[] {
  const { sequence: call, method, connection, subject, code, details, duration, faults } = record;
  const about = {
    ...(subject?.pod && { pod: subject.pod }),
    ...(subject?.container && { container: subject.container }),
  };
  return [
    { t, kind: 'call', call, method, connection, ...about },
    {
      t: t + Math.round(duration * 1e6),
      kind: streams.has(method) ? 'end' : 'reply',
      call,
      method,
      code: codeName(code) as CodeName,
      ...(details && { details }),
      ...(faults.length > 0 && { trailers: { [FAULT_TRAILER]: [...faults] } }),
    },
  ];
}
