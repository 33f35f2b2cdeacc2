import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { z } from 'zod';
import { turn } from '../../src/base/clock/turn.js';
import { descriptorsOf } from '../../src/base/host/descriptors.js';
import { createNodeFaults } from '../../src/cluster/faults/node-faults.js';
import { recordNodes } from '../../src/cluster/record-nodes.js';
import type { EventStream } from '../../src/runtime/control/router.js';
import { parseShorthand } from '../../src/runtime/faults/language/shorthand.js';
import { readRules } from '../../src/runtime/faults/language/written-rule.js';
import { type FinishedCall, joinCalls } from '../../src/tape/calls.js';
import type { Entry, Line } from '../../src/tape/entries.js';
import { readHistory } from '../../src/tape/history/exchanges.js';
import { judgeTape } from '../../src/tape/judge/tape-judge.js';
import { entriesOfNodes } from '../../src/tape/of-nodes.js';
import { openTape } from '../../src/tape/read.js';
import { clusterRig, controlOf } from '../support/cluster/cluster-rig.js';
import { operations } from '../support/openapi/operations.js';
import { useTemporaryDirectories } from '../support/temporary.js';

const { setup, close } = clusterRig();
afterEach(close);
const directory = useTemporaryDirectories();
const BUSY = parseShorthand('StartContainer=1*error(UNAVAILABLE)').map((rule) => ({
  ...rule,
  match: { ...rule.match, node: 'mock-1' },
}));

/** Two nodes with a pod each, recorded from before their kubelets run. The container on mock-1 can't start at first. */
async function recordTwo(file: string) {
  let recording: ReturnType<typeof recordNodes> | undefined;
  const rig = await setup({
    nodes: ['mock-0', 'mock-1'],
    before: async ({ nodes }, tapes) => {
      recording = recordNodes({ tapes, nodes, about: { recorder: 'test' }, onFailure: () => {} });
      await recording.recorder.start(file);
    },
  });
  const { clock, cluster, put } = rig;
  const faults = createNodeFaults(cluster.nodes, clock);
  faults.add(readRules(BUSY, 'test'), 'test');
  put('web', {}, 'sleep 3');
  put('db', { nodeName: 'mock-1' });
  await clock.advance(40_000);
  await recording?.recorder.stop();
  return rig;
}

async function read(file: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const { entry } of (await openTape(file)).entries) entries.push(entry);
  return entries;
}

test('one tape has the entries of all nodes, and each entry names its node', async () => {
  const file = join(directory(), 'nodes.tape');
  await recordTwo(file);
  const entries = await read(file);
  const kinds = (wanted: string) =>
    new Set(entries.flatMap((entry) => ('node' in entry && entry.node === wanted ? [entry.kind] : [])));
  expect(entries.filter((entry) => !('node' in entry) || entry.node === undefined)).toEqual([]);
  for (const kind of ['call', 'reply', 'container', 'sandbox', 'row', 'event', 'node', 'log', 'pleg'])
    expect(kinds('mock-0')).toContain(kind);
  expect(kinds('mock-0')).toContain('backoff');
  expect([kinds('mock-0').has('fault'), kinds('mock-1').has('fault')]).toEqual([false, true]);
  const rows = entries.flatMap((entry) =>
    entry.kind === 'row' && entry.node === 'mock-1' ? [`${entry.pod.name} ${entry.status}`] : [],
  );
  expect(rows).toEqual(['db ContainerCreating', 'db RunContainerError', 'db Running']);
  const event = entries.find((entry) => entry.kind === 'event' && entry.node === 'mock-0');
  expect(event).toMatchObject({ pod: { name: 'web', namespace: 'default', uid: 'uid-web' } });
});

test('the tape of one node can be extracted, and each node is judged separately', async () => {
  const file = join(directory(), 'nodes.tape');
  await recordTwo(file);
  expect((await judgeTape(await openTape(file))).findings).toEqual([]);
  const tape = await openTape(file);
  const own: FinishedCall[] = [];
  for await (const each of joinCalls(entriesOfNodes(tape, (node) => node === 'mock-1')))
    if (each.kind === 'finished') own.push(each);
  expect(new Set(own.map(({ call }) => call.node))).toEqual(new Set(['mock-1']));
  const started = own.filter(({ call }) => call.method === 'StartContainer');
  expect(started.map(({ end }) => [end?.code, Object.values(end?.trailers ?? {}).flat()])).toEqual([
    ['UNAVAILABLE', ['error-StartContainer-1']],
    ['OK', []],
  ]);
});

test('commands for one runtime refuse a tape of several nodes', async () => {
  const file = join(directory(), 'nodes.tape');
  await recordTwo(file);
  await expect(openTape(file).then(readHistory)).rejects.toThrow(
    /several nodes, such as mock-\d and mock-\d.*--format tape --node mock-\d/,
  );
});

/** The control API of two nodes. */
async function control() {
  const rig = await setup({ nodes: ['mock-0', 'mock-1'] });
  return { ...rig, ...controlOf(rig) };
}

test('the control API records the nodes that match a pattern', async () => {
  const { clock, put, ask } = await control();
  const file = join(directory(), 'one.tape');
  await ask('POST', '/v1/tape', { file, node: '*-1' });
  put('web');
  put('db', { nodeName: 'mock-1' });
  await clock.advance(5000);
  expect(await ask('GET', '/v1/tape', {})).toMatchObject({ json: { recording: true, file } });
  await ask('POST', '/v1/tape', { stop: true });
  const entries = await read(file);
  expect(entries.filter((entry) => !('node' in entry && entry.node === 'mock-1'))).toEqual([]);
  expect(entries.some((entry) => entry.kind === 'container' && entry.what === 'started')).toBe(true);
  await expect(ask('POST', '/v1/tape', { file, node: 'mock-7' })).rejects.toThrow(
    'no node of this process fits "mock-7"',
  );
});

test('events of the nodes that match a pattern are streamed as described', async () => {
  const { clock, put, ask, faults } = await control();
  faults.add(readRules(BUSY, 'test'), 'test');
  const stop = new AbortController();
  const reply = (await ask('GET', '/v1/events', { node: 'mock-1' }, stop.signal)) as { events: EventStream };
  const seen: { readonly event: string; readonly data: { readonly [key: string]: unknown } }[] = [];
  const reading = (async () => {
    for await (const bytes of reply.events) {
      const [, event = '', data = ''] = /^event: (\w+)\ndata: (.*)\n\n$/s.exec(bytes.toString()) ?? [];
      seen.push({ event, data: JSON.parse(data) });
    }
  })();
  put('web');
  put('db', { nodeName: 'mock-1' });
  await clock.advance(30_000);
  await turn();
  stop.abort();
  await reading;
  const described = operations['GET /v1/events']?.reply as { events: Record<string, z.ZodType> };
  for (const { event, data } of seen) expect(() => described.events[event]?.parse(data)).not.toThrow();
  expect(new Set(seen.map(({ data }) => data.node))).toEqual(new Set(['mock-1']));
  expect(seen.filter(({ event }) => event === 'fault')).toHaveLength(1);
  const calls = seen.filter(({ event, data }) => event === 'call' && data.method === 'StartContainer');
  expect(calls.map(({ data }) => data)).toMatchObject([
    {
      code: 'UNAVAILABLE',
      faults: ['error-StartContainer-1'],
      subject: { pod: { name: 'db' } },
      messages: 0,
    },
    { code: 'OK', faults: [], subject: { container: { name: 'app' } }, messages: 1 },
  ]);
  expect(seen.some(({ event, data }) => event === 'event' && 'containerId' in data)).toBe(true);
});

test('the number of readers of node events is limited', async () => {
  const { ask } = await control();
  const stop = new AbortController();
  const read = (signal = stop.signal) => ask('GET', '/v1/events', {}, signal);
  const most = descriptorsOf(512, 16);
  for (let reader = 0; reader < most; reader++) await read();
  await expect(read()).rejects.toThrow(`/v1/events has ${most} readers; end one of them`);
  stop.abort();
  const later = new AbortController();
  await read(later.signal);
  later.abort();
});

test('the live tape of one node begins with its existing objects, and has no entries of other nodes', async () => {
  const { clock, put, ask } = await control();
  put('web');
  put('db', { nodeName: 'mock-1' });
  await clock.advance(5000);
  const stop = new AbortController();
  const reply = (await ask('GET', '/v1/tape/live', { node: 'mock-1' }, stop.signal)) as {
    events: EventStream;
  };
  put('cache', { nodeName: 'mock-1' });
  put('shop');
  await clock.advance(5000);
  const [header, ...lines] = await linesOf(
    reply.events,
    (line) => line.kind === 'row' && line.pod.name === 'cache',
  );
  stop.abort();
  expect(header).toMatchObject({ kind: 'header', recorder: 'test', runtime: { name: 'mockri' } });
  const before = lines.filter((line) => 'pod' in line && line.pod?.name === 'db');
  expect(before.map((line) => ('what' in line ? `${line.kind} ${line.what}` : line.kind))).toEqual([
    'row',
    'backoff',
    'event',
    'sandbox ready',
    'event',
    'event',
    'event',
    'row',
    'container created',
    'container started',
  ]);
  expect(new Set(lines.map((line) => 'node' in line && line.node))).toEqual(new Set(['mock-1']));
  await expect(ask('GET', '/v1/tape/live', { node: 'mock-7' })).rejects.toThrow(
    'no node of this process fits',
  );
});

test('the page shows one node, and without one it lists them', async () => {
  const { clock, put, ask } = await control();
  put('db', { nodeName: 'mock-1' });
  await clock.advance(5000);
  const list = await ask('GET', '/', {});
  expect(list).toMatchObject({ type: 'text/html; charset=utf-8' });
  const html = list !== undefined && 'text' in list ? list.text : '';
  expect(html.match(/<a href="[^"]*">[^<]*<\/a>/g)).toEqual([
    '<a href="/?node=mock-0">mock-0</a>',
    '<a href="/?node=mock-1">mock-1</a>',
  ]);
  const [, row = ''] = /<tr>(<td class=""><a href="\/\?node=mock-1">.*)/.exec(html) ?? [];
  expect(row.split('<td').map((cell) => cell.replace(/^[^>]*>|<[^>]*>/g, ''))).toEqual([
    '',
    'mock-1',
    'Ready',
    '1',
    '1',
    '0',
    '0',
    '–',
  ]);
  await expect(ask('GET', '/', { node: 'mock-7' })).rejects.toThrow('no node of this process fits');
  expect(await ask('GET', '/', { node: '*-1' })).toMatchObject({
    text: expect.stringContaining('{"live":true,"node":"mock-1","title":"mock-1"}'),
  });
});

/** The lines of a live tape up to one. */
async function linesOf(events: EventStream, isLast: (line: Line) => boolean): Promise<Line[]> {
  const lines: Line[] = [];
  for await (const event of events) {
    if (event.toString().startsWith('event: now')) continue;
    const [, data = '[]'] = /^data: (.*)$/m.exec(event.toString()) ?? [];
    const parsed = JSON.parse(data) as Line | string[];
    lines.push(...(Array.isArray(parsed) ? parsed.map((line) => JSON.parse(line) as Line) : [parsed]));
    if (lines.some(isLast)) return lines;
  }
  return lines;
}
