import type { Seen, SeenRow, SeenTime } from '../facts.js';
import { AGE, parseAge } from './age.js';
import { type LineReader, podName, timesOf } from './context.js';

const NAME = '[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?';
const HEADER = /^(NAMESPACE\s+)?NAME\s+READY\s+STATUS\s+RESTARTS\b/;
const ROW = new RegExp(
  `^(?:(${NAME})\\s+)?((?:${NAME}/)?${NAME})\\s+(\\d+/\\d+)\\s+([A-Z][\\w:./-]*)\\s+(\\d+)(?:\\s+\\((${AGE}) ago\\))?(?:\\s+(${AGE}|<unknown>|<invalid>))?(?:\\s|$)`,
);

export const readPodLine: LineReader = (line, context, own) => {
  const header = HEADER.exec(line);
  if (header !== null) {
    context.capture++;
    context.table = context.capture;
    context.hasNamespace = header[1] !== undefined;
    return [];
  }
  const found = ROW.exec(line);
  if (found === null) return undefined;
  const [, namespace, name = '', ready = '', status = '', restarts = '', ago = '', age = ''] = found;
  const span = parseAge(age);
  const times: SeenTime[] = [
    ...timesOf(context, own),
    ...(span === undefined ? [] : [{ by: 'age' as const, span }]),
  ];
  const { table } = context;
  const pod = podName(namespace, name);
  const restarted = parseAge(ago);
  return [{ what: 'row', pod, ready, status, restarts: Number(restarts), restarted, times, table }];
};

/** A pod that occurs several times in one table is watched: each row but the last was valid until the next. */
export function withWatches(seen: readonly Seen[]): Seen[] {
  const next = new Map<string, SeenRow>();
  return seen
    .toReversed()
    .map((each): Seen => {
      if (each.what !== 'row' || each.table === undefined) return each;
      const key = `${each.table} ${each.pod}`;
      const after = next.get(key);
      next.set(key, each);
      return after === undefined ? each : { ...each, until: after.times };
    })
    .reverse();
}
