import { AGE } from './age.js';
import { type LineReader, timesOf } from './context.js';
import { seenRuntime } from './seen-runtime.js';

const HEADER = /^NAME\s+STATUS\s+ROLES\s+AGE\s+VERSION\b/;
const ROW = new RegExp(
  `^\\S+\\s+((?:Not)?Ready|Unknown)(?:,SchedulingDisabled)?\\s+\\S+\\s+(${AGE}|<unknown>)(?:\\s+v(\\d+\\.\\d+)\\.\\S*)?(?:\\s.*?([a-z][\\w-]{0,30}://\\S{1,60})\\s*$|\\s|$)`,
);

export const readNodeLine: LineReader = (line, context, own) => {
  if (HEADER.test(line)) {
    context.capture++;
    return [];
  }
  const [, status, , version, runtime = ''] = ROW.exec(line) ?? [];
  if (status === undefined) return undefined;
  // A node's age says nothing about a run.
  const times = timesOf(context, own);
  return [
    { what: 'node', isReady: status === 'Ready', times },
    ...(version === undefined ? [] : [{ what: 'version' as const, version }]),
    ...seenRuntime(runtime),
  ];
};
