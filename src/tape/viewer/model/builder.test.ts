import { expect, test } from 'vitest';
import { pod, tapeText } from '../../../../test/support/tape/text.js';
import type { Line } from '../../entries.js';
import { readTape } from './reader.js';
import type { LaneKind, Timeline } from './timeline.js';

const S = 1e9;
const app = (attempt: number) => ({ name: 'app', attempt });

const read = (...lines: readonly Line[]): Timeline => readTape('x', tapeText(...lines)).timeline;

/** Items of the lanes of a kind, as `start-end shape label`, in seconds. */
const shown = ({ lanes }: Timeline, kind: LaneKind): string[] =>
  lanes
    .filter((lane) => lane.kind === kind)
    .flatMap(({ items }) =>
      items.map(
        ({ t, end, shape, label }) => `${t / S}-${end === undefined ? '' : end / S} ${shape} ${label}`,
      ),
    );

test('shows the instances of a container with exit code and reason, and the back-off between them', () => {
  const timeline = read(
    { t: S, kind: 'container', pod, container: app(0), what: 'created' },
    { t: 2 * S, kind: 'container', pod, container: app(0), what: 'started' },
    {
      t: 5 * S,
      kind: 'container',
      pod,
      container: app(0),
      what: 'ended',
      exitCode: 137,
      reason: 'OOMKilled',
    },
    { t: 6 * S, kind: 'backoff', pod, container: { name: 'app' }, waits: true, delay: 10 * S, endedAgo: S },
    {
      t: 8 * S,
      kind: 'backoff',
      pod,
      container: { name: 'app' },
      waits: true,
      delay: 10 * S,
      endedAgo: 3 * S,
    },
    { t: 16 * S, kind: 'container', pod, container: app(1), what: 'started' },
  );
  expect(shown(timeline, 'container')).toEqual([
    '1-2 bar created',
    '2-5 bar exit 137 OOMKilled',
    '5-15 hatch back-off 10s',
    '16- bar running #1',
  ]);
  expect(timeline.links.map(({ why, from, to }) => [why, from.t / S, to.t / S])).toEqual([
    ['restart', 2, 16],
  ]);
  expect(timeline.moments.map(({ text }) => text)).toEqual([
    'app of default/web ends with exit code 137 (OOMKilled) after 3s.',
    'app #1 of default/web starts 11s after the end of the instance before; it waited for a back-off of 10s.',
  ]);
});

test('a container that ran and was killed is red at its end, not from its start', () => {
  const tones = (...whats: ('started' | 'ended')[]) =>
    read(
      { t: 0, kind: 'container', pod, container: app(0), what: 'created' },
      ...whats.map((what, index) => ({
        ...({ t: index * 540 * S, kind: 'container', pod, container: app(0), what } as const),
        ...(what === 'ended' && { exitCode: 137 }),
      })),
    )
      .lanes.flatMap(({ items }) => items)
      .map(({ tone, endTone }) => [tone, endTone]);
  expect(tones('started', 'ended')).toEqual([
    ['idle', undefined],
    ['good', 'bad'],
  ]);
  // It never ran.
  expect(tones('ended')).toEqual([['bad', undefined]]);
});

test('no arrow runs back: a start that is dated before the end of the instance before is no restart after it', () => {
  const timeline = read(
    { t: S, kind: 'container', pod, container: app(0), what: 'started' },
    { t: 2 * S, kind: 'container', pod, container: app(1), what: 'started' },
    { t: 5 * S, kind: 'container', pod, container: app(0), what: 'ended', exitCode: 0 },
  );
  expect(timeline.links).toEqual([]);
});

test('finds the instances in calls and statuses where the runtime does not say them itself', () => {
  const container = { id: 'c1', name: 'app', attempt: 0 };
  const call = (number: number, method: string) =>
    ({ t: number * S, kind: 'call', call: number, method, connection: 0, pod }) as const;
  const reply = (number: number, method: string, message: object) =>
    ({
      t: number * S + 5e8,
      kind: 'reply',
      call: number,
      method,
      code: 'OK',
      message: { ...message },
    }) as const;
  const status = {
    id: 'c1',
    metadata: { name: 'app' },
    state: 'CONTAINER_EXITED',
    finishedAt: String(3 * S + 1000),
    exitCode: 2,
    reason: 'Error',
  };
  const timeline = read(
    { ...call(1, 'CreateContainer'), message: { config: { metadata: { name: 'app' } } } },
    reply(1, 'CreateContainer', { containerId: 'c1' }),
    { ...call(2, 'StartContainer'), container },
    reply(2, 'StartContainer', {}),
    { ...call(4, 'ContainerStatus'), container },
    reply(4, 'ContainerStatus', { status }),
  );
  expect(shown(timeline, 'container')).toEqual(['1.5-2.5 bar created', '2.5-3 bar exit 2']);
});

test('points from a fault to the call that it acted on, and marks lost events', () => {
  const timeline = read(
    { t: 0, kind: 'call', call: 1, method: 'GetContainerEvents', connection: 1 },
    { t: S, kind: 'call', call: 2, method: 'StopContainer', connection: 1, pod },
    { t: S, kind: 'call', call: 3, method: 'StopContainer', connection: 1, pod: { ...pod, name: 'other' } },
    { t: 2 * S, kind: 'fault', rule: 'slow', action: 'delay', method: 'StopContainer', pod },
    { t: 3 * S, kind: 'reply', call: 2, method: 'StopContainer', code: 'OK' },
    { t: 4 * S, kind: 'fault', rule: 'lost', action: 'drop', method: 'GetContainerEvents', pod },
  );
  expect(timeline.links.map(({ from, to }) => [from.label, to.line])).toEqual([
    ['slow: delay', 3],
    ['lost: drop', 2],
  ]);
  expect(shown(timeline, 'stream')).toEqual(['0- bar GetContainerEvents', '4-4 cross lost']);
  expect(timeline.lanes.flatMap(({ items }) => items).find(({ line }) => line === 3)?.rules).toEqual([
    'slow',
  ]);
});

test('points from an exit to its event and to the first relist after it', () => {
  const container = { id: 'c1', name: 'app', attempt: 0 };
  const list = (number: number, t: number): Line[] => [
    { t, kind: 'call', call: number, method: 'ListContainers', connection: 0, message: { filter: {} } },
    { t: t + 1, kind: 'reply', call: number, method: 'ListContainers', code: 'OK' },
  ];
  const timeline = read(
    { t: 0, kind: 'call', call: 1, method: 'GetContainerEvents', connection: 1 },
    { t: 0, kind: 'container', pod, container, what: 'started' },
    ...list(2, S),
    { t: 2 * S, kind: 'container', pod, container, what: 'ended', exitCode: 0 },
    {
      t: 2 * S,
      kind: 'message',
      call: 1,
      method: 'GetContainerEvents',
      message: { containerId: 'c1', containerEventType: 'CONTAINER_STOPPED_EVENT' },
    },
    ...list(3, 3 * S),
  );
  expect(timeline.links.map(({ why, to }) => [why, to.t / S])).toEqual([
    ['event', 2],
    ['seen', 3],
  ]);
});

test('shows node, PLEG, runtime and kubelet as states, and rows as kubectl shows them', () => {
  const status = (number: number, t: number, ready: boolean): Line[] => [
    { t, kind: 'call', call: number, method: 'Status', connection: 0 },
    {
      t,
      kind: 'reply',
      call: number,
      method: 'Status',
      code: 'OK',
      message: { status: { conditions: [{ type: 'RuntimeReady', status: ready }] } },
    },
  ];
  const text = 'PLEG is not healthy: pleg was last seen active 3m5s ago';
  const timeline = read(
    { t: 0, kind: 'node', ready: 'True', reason: '', text: 'fine', evicting: false },
    ...status(1, S, true),
    { t: 2 * S, kind: 'kubelet', what: 'killed' },
    { t: 3 * S, kind: 'call', call: 2, method: 'Status', connection: 0 },
    { t: 3 * S, kind: 'reply', call: 2, method: 'Status', code: 'UNAVAILABLE' },
    ...status(3, 4 * S, false),
    {
      t: 5 * S,
      kind: 'node',
      ready: 'False',
      reason: '',
      text,
      problems: ['pleg-unhealthy'],
      evicting: false,
    },
    { t: 6 * S, kind: 'row', pod, ready: '0/1', status: 'Running', restarts: 0 },
    { t: 7 * S, kind: 'row', pod, ready: '0/1', status: 'CrashLoopBackOff', restarts: 2 },
  );
  expect(shown(timeline, 'node')).toEqual(['0-5 bar Ready', '5- bar NotReady']);
  expect(shown(timeline, 'pleg')).toEqual(['0-5 bar healthy', '5- bar not healthy']);
  expect(shown(timeline, 'runtime')).toEqual(['1-3 bar up', '3-4 bar down', '4- bar RuntimeReady=false']);
  expect(shown(timeline, 'kubelet')).toEqual(['2- bar not running']);
  expect(shown(timeline, 'row')).toEqual(['6-7 bar 0/1 Running', '7- bar 0/1 CrashLoopBackOff · 2 restarts']);
});

test('two pods of one name in two namespaces have their own lanes', () => {
  const other = { ...pod, namespace: 'blue' };
  const timeline = read(
    { t: S, kind: 'container', pod, container: app(0), what: 'started' },
    { t: 2 * S, kind: 'container', pod: other, container: app(0), what: 'started' },
    { t: 3 * S, kind: 'container', pod: other, container: app(0), what: 'ended', exitCode: 0 },
  );
  expect(timeline.lanes.map((lane) => [lane.pod, lane.items.map(({ label }) => label)])).toEqual([
    ['default/web', ['running']],
    ['blue/web', ['exit 0']],
  ]);
});

test('puts calls that overlap into different rows', () => {
  const call = (number: number, t: number) =>
    ({ t, kind: 'call', call: number, method: 'Status', connection: 0 }) as const;
  const reply = (number: number, t: number) =>
    ({ t, kind: 'reply', call: number, method: 'Status', code: 'OK' }) as const;
  const timeline = read(
    call(1, 0),
    call(2, S),
    reply(1, 2 * S),
    reply(2, 3 * S),
    call(3, 4 * S),
    reply(3, 5 * S),
  );
  const calls = timeline.lanes.find(({ kind }) => kind === 'call');
  expect(calls?.rows).toBe(2);
  expect(calls?.items.map(({ row }) => row)).toEqual([0, 1, 0]);
});

test('puts instances of a container that overlap into different rows', () => {
  const timeline = read(
    { t: S, kind: 'container', pod, container: app(0), what: 'created' },
    { t: 2 * S, kind: 'container', pod, container: app(1), what: 'created' },
    { t: 3 * S, kind: 'container', pod, container: app(1), what: 'started' },
  );
  const lane = timeline.lanes.find(({ kind }) => kind === 'container');
  expect(lane?.items.map(({ label, row }) => [label, row])).toEqual([
    ['created', 0],
    ['created', 1],
    ['running #1', 1],
  ]);
});

test('ends the states of a sandbox with it, and not with the one before', () => {
  const old = { ...pod, id: 'old' };
  const young = { ...pod, id: 'young' };
  const timeline = read(
    { t: S, kind: 'sandbox', pod: old, what: 'ready' },
    { t: 2 * S, kind: 'sandbox', pod: old, what: 'stopped' },
    { t: 3 * S, kind: 'sandbox', pod: young, what: 'ready' },
    { t: 4 * S, kind: 'sandbox', pod: old, what: 'removed' },
    { t: 5 * S, kind: 'sandbox', pod: young, what: 'removed' },
  );
  expect(shown(timeline, 'sandbox')).toEqual(['1-2 bar ready', '2-3 bar stopped', '3-5 bar ready']);
});

test('says once what repeats itself', () => {
  const event = (t: number) =>
    ({ t, kind: 'event', pod, field: '', type: 'Warning', reason: 'BackOff', text: `try ${t}` }) as const;
  expect(read(event(0), event(S), event(2 * S)).moments).toMatchObject([
    { t: 0, text: 'default/web: BackOff, try 0 (3 times until 2s).' },
  ]);
});

test('the lines that a container printed before it failed are one dot of the container', () => {
  const printed = (text: string): Line => ({
    t: 5 * S,
    kind: 'log',
    from: 'container',
    stream: 'stderr',
    text,
    pod,
    container: app(0),
  });
  const timeline = read(
    { t: 2 * S, kind: 'container', pod, container: app(0), what: 'started' },
    printed('loading'),
    printed("cat: can't open '/work/flag'"),
    { t: 5 * S, kind: 'container', pod, container: app(0), what: 'ended', exitCode: 1 },
  );
  expect(shown(timeline, 'container')).toContain('5-5 dot printed');
  expect(shown(timeline, 'log')).toEqual([]);
  const texts = timeline.lanes.flatMap(({ items }) => items.map(({ text }) => text));
  expect(texts).toContain("printed: loading\ncat: can't open '/work/flag'");
});
