import { expect, test } from 'vitest';
import { createBacklog } from './backlog.js';
import type { EntryOf } from './entries.js';

const call: EntryOf<'nri'> = {
  t: 0,
  kind: 'nri',
  plugin: '10-a',
  connection: 1,
  method: 'CreateContainer',
  took: 1,
};
const large = 'x'.repeat(2 ** 20);

test.each([
  ['the text of an error', { ...call, details: large }],
  ['ids of containers', { ...call, updates: Array.from({ length: 2 ** 14 }, () => 'x'.repeat(64)) }],
  ['a line of a log', { t: 0, kind: 'log', from: 'container', text: large } as const],
])('what waits has a bound, whatever takes the space: %s', (_, entry) => {
  const backlog = createBacklog();
  for (let count = 0; count < 1000; count++) backlog.add(entry);
  expect(backlog.isFull).toBe(true);
  expect(backlog.count).toBeLessThan(200);
  for (const each of backlog.take()) backlog.done(each);
  expect(backlog.isFull).toBe(false);
  backlog.add(entry);
  expect(backlog.take()).toEqual([expect.objectContaining({ kind: 'gap' }), entry]);
});
