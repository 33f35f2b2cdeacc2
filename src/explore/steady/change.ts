import type { Entry } from '../../tape/entries.js';

/** Calls that change nothing. */
const READING = /^(List|Stream|Version$|ImageFsInfo$)|Status$/;

/** Whether something has changed, or gone wrong: all but good answers to questions, and relists. */
export function isChange(entry: Entry): boolean {
  if (entry.kind === 'pleg') return entry.state !== 'relist';
  if (entry.kind === 'call' || entry.kind === 'message') return !READING.test(entry.method);
  if (entry.kind === 'reply' || entry.kind === 'end')
    return entry.code !== 'OK' || entry.trailers !== undefined || !READING.test(entry.method);
  return true;
}
