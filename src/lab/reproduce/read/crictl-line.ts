import { type LineReader, timesOf } from './context.js';

const HEADER = /^CONTAINER(?: ID)?\s+IMAGE\s+CREATED\s+STATE\s+NAME\s+ATTEMPT\s+POD/;
/** Words in a time are separated by one space, as in `About an hour ago`, so that long lines are read quickly. */
const ROW =
  /^([0-9a-f]{12,64})\s+(\S+)\s+(\S+(?: \S+){0,5})\s+(Running|Exited|Created|Unknown)\s+(\S+)\s+(\d+)\s+([0-9a-f]{12,64})(?:\s+(\S+))?/;

export const readCrictlLine: LineReader = (line, context, own) => {
  if (HEADER.test(line)) {
    context.capture++;
    return [];
  }
  const [, , , , state, name = '', attempt, , pod = ''] = ROW.exec(line) ?? [];
  if (state === undefined) return undefined;
  const times = timesOf(context, own);
  return [{ what: 'container', pod, name, attempt: Number(attempt), isRunning: state === 'Running', times }];
};
