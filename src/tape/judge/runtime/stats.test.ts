import { expect, test } from 'vitest';
import type { Configs } from '../../world/configs.js';
import type { Objects } from '../../world/objects.js';
import type { AnsweredCall } from '../../world/watcher.js';
import type { Findings } from '../finding.js';
import { watchStats } from './stats.js';

/** What is found in stats of one container, each with its time in ms, from the line of its call to that of its reply. */
function foundIn(calls: readonly { time: number; callLine: number; replyLine: number }[]): string[] {
  const found: string[] = [];
  const objects = { byId: new Map(), containersOf: () => [] } as unknown as Objects;
  const findings = { add: (rule: string) => void found.push(rule) } as unknown as Findings;
  const watcher = watchStats(objects, new Map() as unknown as Configs, findings);
  for (const { time, ...lines } of calls) {
    const nanoseconds = 10n ** 18n * 2n + BigInt(time) * 1_000_000n;
    const cpu = { timestamp: nanoseconds, usageCoreNanoSeconds: { value: BigInt(time) } };
    const message = { value: () => ({ stats: { attributes: { id: 'c1' }, cpu } }) };
    const exchange = { method: 'ContainerStats', isOk: true, reply: { message }, ...lines };
    watcher.answered?.(exchange as unknown as AnsweredCall);
  }
  return found;
}

test('stats go back only if the later call began after the reply of the earlier one', () => {
  expect(
    foundIn([
      { time: 8, callLine: 1, replyLine: 2 },
      { time: 5, callLine: 3, replyLine: 4 },
    ]),
  ).toEqual(['INV-48.moves']);
  expect(
    foundIn([
      { time: 8, callLine: 1, replyLine: 3 },
      { time: 5, callLine: 2, replyLine: 4 },
    ]),
  ).toEqual([]);
});

test('of two calls that overlap, the later measurement is remembered', () => {
  const overlapping = [
    { time: 8, callLine: 1, replyLine: 3 },
    { time: 5, callLine: 2, replyLine: 4 },
  ];
  expect(foundIn([...overlapping, { time: 6, callLine: 5, replyLine: 6 }])).toEqual(['INV-48.moves']);
});
