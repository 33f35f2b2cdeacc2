import { expect, test } from 'vitest';
import { pod, tapeText } from '../../../../test/support/tape/text.js';
import type { Line } from '../../entries.js';
import { createLiveTape } from './live-tape.js';
import { headerOf } from './reader.js';

function createTape(characters = 1e6) {
  const header = tapeText().trim();
  const limits = { lines: 40, characters, lasting: 6 };
  const tape = createLiveTape(headerOf('x', JSON.parse(header)), header, limits);
  const add = (line: Line) => tape.add(JSON.stringify(line));
  const kinds = () => {
    const { timeline } = tape.read();
    const count = new Map<string, number>();
    for (const { kind, items } of timeline.lanes) count.set(kind, (count.get(kind) ?? 0) + items.length);
    return Object.fromEntries(count);
  };
  return { tape, add, kinds };
}

test('forgets old calls, but not what runs nor a message that a later line refers to', () => {
  const { tape, add, kinds } = createTape();
  add({ t: 0, kind: 'container', pod, container: { name: 'app', attempt: 0 }, what: 'started' });
  add({ t: 1, kind: 'call', call: 1, method: 'ListContainers', connection: 0, message: { filter: {} } });
  for (let call = 2; call < 200; call++) {
    add({ t: call, kind: 'call', call, method: 'ListContainers', connection: 0, sameAs: 3 });
    add({ t: call, kind: 'reply', call, method: 'ListContainers', code: 'OK' });
  }
  expect(kinds().container).toBe(1);
  expect(kinds().call).toBeGreaterThan(10);
  // Half of the lines, and the call that has no answer.
  expect(kinds().call).toBeLessThan(22);
  const { text, timeline } = tape.read();
  expect(timeline).toMatchObject({ calls: 199, lines: 399 });
  expect(text(10)).toBeUndefined();
  expect(text(398)).toContain('"sameAs":3');
  expect(JSON.parse(text(3) ?? '{}')).toMatchObject({ message: { filter: {} } });
});

test('keeps few of many open calls, and of pods that are gone', () => {
  const { tape, add, kinds } = createTape();
  for (let number = 1; number < 200; number++) {
    const gone = { ...pod, name: `pod-${number}`, id: `s${number}` };
    const container = { name: 'app', attempt: 0, id: `c${number}` };
    add({ t: number, kind: 'call', call: number, method: 'StopContainer', connection: 0, pod: gone });
    add({ t: number, kind: 'sandbox', pod: gone, what: 'ready' });
    for (const what of ['created', 'started', 'ended', 'removed'] as const)
      add({ t: number, kind: 'container', pod: gone, container, what });
    add({ t: number, kind: 'sandbox', pod: gone, what: 'removed' });
  }
  const { container = 0, sandbox = 0, call = 0 } = kinds();
  expect(container + sandbox).toBeLessThan(6 + 20);
  expect(container).toBeGreaterThan(0);
  expect(call).toBeLessThan(6 + 20);
  // Nothing points to what was forgotten, and the pods of the picture are the last ones.
  const { lanes, links, moments } = tape.read().timeline;
  const items = new Set(lanes.flatMap((lane) => lane.items));
  expect(links.every(({ from, to }) => items.has(from) && items.has(to))).toBe(true);
  expect(moments.length).toBeLessThan(20);
  expect(lanes.every((lane) => Number(lane.pod.split('-')[1]) > 150)).toBe(true);
});

test('keeps fewer lines when they are long', () => {
  const { tape, add } = createTape(10_000);
  const text = 'x'.repeat(1000);
  for (let t = 0; t < 50; t++) add({ t, kind: 'log', from: 'kubelet', text });
  const kept = Array.from({ length: 51 }, (_, index) => tape.read().text(index + 1)).filter(Boolean);
  expect(kept.length).toBeLessThan(13);
  expect(tape.read().text(51)).toContain(text);
});
