import { expect, test } from 'vitest';
import { pod, tapeText } from '../../../../test/support/tape/text.js';
import { countOf } from '../../../../test/support/thorough.js';
import type { Line } from '../../entries.js';
import { firstViewOf } from './first-view.js';
import { readTape } from './reader.js';
import type { Timeline } from './timeline.js';

// Work with the square of so many lines takes minutes; a test ends at once if each line takes the same time.
const MANY = countOf(100_000, 5000);

const times = (make: (index: number) => Line): Line[] =>
  Array.from({ length: MANY }, (_, index) => make(index));
const read = (lines: readonly Line[]): Timeline => {
  const texts = lines.map((line) => `${JSON.stringify(line)}\n`);
  return readTape('x', tapeText() + texts.join('')).timeline;
};

test('many faults that name no call, while many calls are open', () => {
  const call = (index: number): Line => ({
    t: 1,
    kind: 'call',
    call: index + 1,
    method: 'StopContainer',
    connection: 0,
    pod,
  });
  const fault = (name: string): Line => ({
    t: 2,
    kind: 'fault',
    rule: 'r',
    action: 'fail',
    method: 'StopContainer',
    pod: { ...pod, name },
  });
  const { links } = read([...times(call), ...times(() => fault('other')), fault('web')]);
  expect(links.map(({ to }) => to.line)).toEqual([MANY + 1]);
});

test('many back-offs that repeat the last one, after many probes', () => {
  const container = { name: 'app' };
  const backoff: Line = { t: 1, kind: 'backoff', pod, container, waits: true, delay: 10 };
  const again = (endedAgo: number): Line => ({ ...backoff, t: 2, endedAgo });
  const probe: Line = { t: 2, kind: 'probe', pod, container, probe: 'liveness', outcome: 'success' };
  const { lanes } = read([backoff, ...times(() => probe), ...times(() => again(1)), again(0)]);
  const hatches = lanes.flatMap(({ items }) => items.filter(({ shape }) => shape === 'hatch'));
  expect(hatches.map(({ t }) => t)).toEqual([1, 2]);
});

test('many containers that end before many lists that fail', () => {
  const container = (what: 'started' | 'ended') => (index: number) =>
    ({ t: 1, kind: 'container', pod, container: { name: 'app', attempt: 2 * index }, what }) as const;
  const call = (number: number): Line => ({
    t: 2,
    kind: 'call',
    call: number,
    method: 'ListContainers',
    connection: 0,
  });
  const reply = (number: number, code: 'OK' | 'UNAVAILABLE'): Line => ({
    t: 2,
    kind: 'reply',
    call: number,
    method: 'ListContainers',
    code,
  });
  const lists = Array.from({ length: MANY }, (_, index) => [
    call(index + 1),
    reply(index + 1, 'UNAVAILABLE'),
  ]);
  const { links } = read([
    ...times(container('started')),
    ...times(container('ended')),
    ...lists.flat(),
    call(MANY + 1),
    reply(MANY + 1, 'OK'),
  ]);
  expect(links).toHaveLength(MANY);
  expect(new Set(links.map(({ to }) => to.line))).toEqual(new Set([4 * MANY + 2]));
});

test('many containers of a pod that run while it has many events', () => {
  const container = (what: 'started' | 'ended') => (index: number) =>
    ({
      t: what === 'started' ? 1 : 3,
      kind: 'container',
      pod,
      container: { name: 'app', attempt: 2 * index },
      what,
    }) as const;
  const event: Line = { t: 2, kind: 'event', pod, reason: 'Pulled', text: 'x', field: '', type: 'Normal' };
  const killing: Line = { ...event, reason: 'Killing', text: 'Stopping it' };
  const { moments } = read([
    ...times(container('started')),
    killing,
    ...times(() => event),
    ...times(container('ended')),
  ]);
  expect(moments.filter(({ text }) => text.includes('Stopping it'))).toHaveLength(MANY + 1);
});

test('many restarts', () => {
  const restart = (index: number) => ({
    from: { t: index, end: index + 1 },
    to: { t: index + 1 },
    why: 'restart',
  });
  const links = Array.from({ length: 2 * MANY }, (_, index) => restart(index * 1000));
  const timeline = { end: 2 * MANY * 1000, lanes: [], links } as unknown as Timeline;
  expect(firstViewOf([timeline]).to).toBeLessThan(MANY);
});
