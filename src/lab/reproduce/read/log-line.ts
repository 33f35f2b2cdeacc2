import { klogTime } from './clock-times.js';
import { type LineReader, timesOf } from './context.js';
import { logKind } from './log-kinds.js';

/** klog, with what a journal of any kind puts before it. */
const KLOG = /^(?:.{0,160}?\s)?[IWEF](\d{2})(\d{2})\s+(\d{2}:\d{2}:\d{2}\.\d+)\s+\d+\s+[\w.-]+:\d+\]\s(.*)$/;

/** A line of the kubelet's log. */
export const readLogLine: LineReader = (line, context, own) => {
  const [, month = '', day = '', time = '', text] = KLOG.exec(line) ?? [];
  if (text === undefined) return undefined;
  const kind = logKind(text);
  if (kind === undefined) return [];
  const stamp = own?.by === 'clock' ? own : klogTime(month, day, time);
  return [{ what: 'log', kind, times: timesOf(context, stamp) }];
};
