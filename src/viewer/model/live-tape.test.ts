import { expect, test } from 'vitest';
import { pod, tapeText } from '../../../test/support/tape-text.js';
import type { Line } from '../../tape/entries.js';
import { createLiveTape } from './live-tape.js';
import { headerOf } from './reader.js';

test('forgets old calls, but not what runs nor a message that a later line refers to', () => {
  const header = tapeText().trim();
  const tape = createLiveTape(headerOf('x', JSON.parse(header)), header, 40);
  const add = (line: Line) => tape.add(JSON.stringify(line));
  add({ t: 0, kind: 'container', pod, container: { name: 'app', attempt: 0 }, what: 'started' });
  add({ t: 1, kind: 'call', call: 1, method: 'Status', connection: 0, message: { verbose: true } });
  for (let call = 2; call < 200; call++)
    add({ t: call, kind: 'call', call, method: 'Status', connection: 0, sameAs: 3 });
  const { timeline, text } = tape.read();
  const items = timeline.lanes.map(({ kind, items: { length } }) => [kind, length] as const);
  expect(items.find(([kind]) => kind === 'container')).toEqual(['container', 1]);
  const [, calls = 0] = items.find(([kind]) => kind === 'call') ?? [];
  expect(calls).toBeGreaterThan(15);
  expect(calls).toBeLessThan(41);
  expect(text(4)).toBeUndefined();
  expect(text(200)).toContain('"sameAs":3');
  expect(JSON.parse(text(3) ?? '{}')).toMatchObject({ message: { verbose: true } });
});
