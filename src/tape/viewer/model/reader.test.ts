import { expect, test } from 'vitest';
import fc from '../../../../test/support/properties.js';
import { pod, tapeText } from '../../../../test/support/tape/text.js';
import { readTape, TapeProblem } from './reader.js';

test('reads calls with duration and code, and what is open stays open', () => {
  const { timeline, text, problem } = readTape(
    'x',
    tapeText(
      {
        t: 1e6,
        kind: 'call',
        call: 1,
        method: 'StartContainer',
        connection: 0,
        pod,
        container: { name: 'app' },
      },
      { t: 3e6, kind: 'reply', call: 1, method: 'StartContainer', code: 'UNKNOWN', details: 'no' },
      { t: 4e6, kind: 'call', call: 2, method: 'Status', connection: 0 },
    ),
  );
  expect(problem).toBeUndefined();
  expect(timeline).toMatchObject({ calls: 2, lines: 4, end: 4e6 });
  const [status, start] = timeline.lanes.map(({ items }) => items[0]);
  expect(start).toMatchObject({ t: 1e6, end: 3e6, code: 'UNKNOWN', tone: 'bad', line: 2, endLine: 3 });
  expect(start?.text).toBe('StartContainer app: UNKNOWN after 2ms; no');
  expect(status?.end).toBeUndefined();
  expect(status?.code).toBeUndefined();
  expect(JSON.parse(text(3) ?? '')).toMatchObject({ kind: 'reply' });
});

test.each([
  ['nothing', '', 'x: this is not a tape: the file is empty'],
  ['another file', '<html>\n', 'x: this is not a tape: its first line has to be JSON of kind "header"'],
  ['other JSON', '[1]\n', 'x: this is not a tape: its first line has to be JSON of kind "header"'],
  [
    'a newer tape',
    '{"kind":"header","version":2,"startedAt":"1","t":0}\n',
    'x: the tape is of version 2; this page reads up to version 1',
  ],
  [
    'a header without a time',
    '{"kind":"header","version":1,"t":0}\n',
    'x:1: startedAt: nanoseconds as text are expected',
  ],
])('refuses %s', (_, text, message) => {
  expect(() => readTape('x', text)).toThrow(new TapeProblem(message));
});

test.each([
  ['{"t":5,"ki', 'line 3 is cut off'],
  ['nonsense\n', 'line 3 is not JSON'],
  ['{"t":0,"kind":"step","text":"b"}\n', 'line 3 goes back in time'],
  ['{"t":5,"kind":"call"}\n', 'line 3: call, method, connection is missing'],
  ['{"a":1}\n', 'line 3 is not an entry of a tape'],
  ['null\n', 'line 3 is not an entry of a tape'],
  ['{"t":5,"kind":"step","text":5}\n', 'line 3: text has a value of another type'],
  ['{"t":5,"kind":"pod","what":"gone","pod":"web"}\n', 'line 3: pod has a value of another type'],
  [
    '{"t":5,"kind":"nri","plugin":"a","connection":1,"method":"X","took":1,"adjusts":5}\n',
    'line 3: adjusts has a value of another type',
  ],
  [
    '{"t":5,"kind":"node","ready":"True","reason":"","text":"","evicting":false,"problems":5}\n',
    'line 3: problems has a value of another type',
  ],
  [
    '{"t":5,"kind":"reply","call":1,"method":"X","code":"OK","trailers":{"x-mockri-fault":5}}\n',
    'line 3: trailers has a value of another type',
  ],
  ['{"t":9007199254740992,"kind":"step","text":"b"}\n', 'line 3: t is not a whole number of nanoseconds'],
  ['{"t":5.5,"kind":"step","text":"b"}\n', 'line 3: t is not a whole number of nanoseconds'],
])('shows what comes before a damaged line: %j', (damaged, message) => {
  const { timeline, problem } = readTape('x', tapeText({ t: 2, kind: 'step', text: 'a' }) + damaged);
  expect(problem).toContain(message);
  expect(timeline.lanes[0]?.items).toHaveLength(1);
});

test.each(['constructor', 'toString', '__proto__'])(
  'a line of kind %j shows nothing, as any unknown kind',
  (kind) => {
    const line = `{"t":5,"kind":${JSON.stringify(kind)}}\n`;
    const { timeline, problem } = readTape('x', tapeText({ t: 2, kind: 'step', text: 'a' }) + line);
    expect(problem).toBeUndefined();
    expect(timeline.lanes.flatMap(({ items }) => items)).toHaveLength(1);
  },
);

test('a line with any value in any field is shown, or is a problem with its line', () => {
  const container = { name: 'app' };
  const kinds: readonly Record<string, unknown>[] = [
    { kind: 'call', call: 1, method: 'StartContainer', connection: 0, pod, container, message: {} },
    {
      kind: 'reply',
      call: 1,
      method: 'StartContainer',
      code: 'OK',
      details: '',
      message: {},
      trailers: { a: ['b'] },
    },
    { kind: 'fault', rule: 'r', action: 'error', method: 'Status', call: 1 },
    { kind: 'container', pod, container, what: 'ended', exitCode: 1, reason: 'Error' },
    { kind: 'sandbox', pod, what: 'ready' },
    { kind: 'log', from: 'container', text: 'x', pod, container, stream: 'stdout' },
    { kind: 'row', pod, ready: '0/1', status: 'Error', restarts: 1 },
    { kind: 'event', pod, reason: 'BackOff', text: 'x', field: '', type: 'Warning' },
    { kind: 'node', ready: 'False', reason: 'x', text: 'x', evicting: true, problems: ['pleg-starting'] },
    { kind: 'backoff', pod, container, delay: 1, waits: true },
    { kind: 'pleg', state: 'evented', text: 'x', duration: 1 },
    { kind: 'probe', pod, container, probe: 'liveness', outcome: 'failure', text: 'x' },
    {
      kind: 'nri',
      plugin: '1-a',
      connection: 1,
      method: 'X',
      took: 1,
      adjusts: ['a'],
      updates: ['b'],
      shows: ['c'],
    },
    { kind: 'plugin', plugin: '1-a', connection: 1, what: 'lost', events: ['X'] },
    { kind: 'connection', connection: 1, peer: 'a', what: 'lost' },
    { kind: 'kubelet', what: 'exited', text: 'x', restarts: 1 },
    { kind: 'step', text: 'x' },
    { kind: 'gap', lost: 1, text: 'x' },
  ];
  fc.assert(
    fc.property(fc.constantFrom(...kinds), fc.nat(), fc.jsonValue(), (line, field, value) => {
      const names = Object.keys(line).filter((name) => name !== 'kind');
      const changed = { ...line, [names[field % names.length] as string]: value };
      const lines = [...kinds, changed].map((each, t) => JSON.stringify({ t, ...each }));
      const { problem, timeline } = readTape('x', `${tapeText()}${lines.join('\n')}\n`);
      expect(problem ?? '').toMatch(/^$|^line 20: /);
      for (const { items } of timeline.lanes)
        for (const { text } of items) expect(typeof text).toBe('string');
    }),
  );
});
