import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { createRealClock } from '../../src/base/clock/real-clock.js';
import { turn } from '../../src/base/clock/turn.js';
import { InputError } from '../../src/base/input/yaml.js';
import type { CreateContainerRequest, ListContainersResponse } from '../../src/cri/gen/runtime/v1/api.js';
import type { Entry } from '../../src/tape/entries.js';
import { recordToFile } from '../../src/tape/file.js';
import { redactions } from '../../src/tape/keep.js';
import { Message } from '../../src/tape/message.js';
import { createTape } from '../../src/tape/tape.js';
import fc from '../support/properties.js';
import { podConfig, readAll, recordRun, wholeLife } from '../support/tape/recorded-run.js';
import { useTemporaryDirectories } from '../support/temporary.js';
import { countOf, isThorough } from '../support/thorough.js';

const directory = useTemporaryDirectories();
const record = (name = 'run.tape') =>
  recordRun({ directory: directory(), name, keep: redactions }, (cri) => wholeLife(cri, 'web'));

test.each(['run.tape', 'run.tape.gz'])('%s has every call with its reply', async (name) => {
  const { header, entries } = await readAll(await record(name));
  expect(header).toMatchObject({ version: 1, clock: 'virtual', recorder: 'test', redacted: [] });
  const calls = entries.filter((entry) => entry.kind === 'call');
  expect(calls.map(({ method }) => method)).toEqual([
    'PullImage',
    'RunPodSandbox',
    'CreateContainer',
    'StartContainer',
    'ListContainers',
    'ListContainers',
    'ContainerStatus',
    'StopContainer',
    'RemoveContainer',
    'StopPodSandbox',
    'RemovePodSandbox',
  ]);
  const replies = entries.filter((entry) => entry.kind === 'reply');
  expect(replies.map(({ call }) => call)).toEqual(calls.map(({ call }) => call));
  expect(new Set(replies.map(({ code }) => code))).toEqual(new Set(['OK']));
  expect(calls[3]).toMatchObject({
    pod: { name: 'web', namespace: 'default', uid: 'uid-web', attempt: 0 },
    container: { name: 'app', attempt: 0 },
  });
  const asked = calls[2]?.message.value<CreateContainerRequest>();
  expect(asked?.config?.command).toEqual(['sleep', '3600']);
});

test('a repeated reply is written once, and read as often as it was sent', async () => {
  const file = await record();
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const lists = lines.filter((line) => line.includes('"reply"') && line.includes('ListContainers'));
  expect(JSON.parse(lists[0] ?? '')).toHaveProperty('message.containers');
  expect(JSON.parse(lists[1] ?? '')).toMatchObject({ sameAs: lines.indexOf(lists[0] ?? '') + 1 });
  const { entries } = await readAll(file);
  const [first, second] = entries.flatMap((entry) =>
    entry.kind === 'reply' && entry.method === 'ListContainers' ? [entry.message] : [],
  );
  expect(first?.value<ListContainersResponse>().containers).toHaveLength(1);
  expect(second).toBe(first);
});

test('errors are kept with their code and text', async () => {
  const file = await recordRun({ directory: directory() }, async (cri) => {
    await cri.startContainer({ containerId: 'none' }).catch(() => {});
  });
  const { entries } = await readAll(file);
  expect(entries.at(-1)).toMatchObject({
    kind: 'reply',
    code: 'NOT_FOUND',
    details: expect.stringContaining('none'),
  });
});

test('a stream is recorded message by message, with the side that ended it', async () => {
  const file = await recordRun({ directory: directory() }, async (cri) => {
    const stop = new AbortController();
    const events = cri.getContainerEvents({}, { signal: stop.signal })[Symbol.asyncIterator]();
    const first = events.next();
    await cri.runPodSandbox({ config: podConfig('web'), runtimeHandler: '' });
    await first;
    stop.abort();
  });
  const { entries } = await readAll(file);
  const stream = entries.filter((entry) => 'method' in entry && entry.method === 'GetContainerEvents');
  expect(stream.map(({ kind }) => kind)).toEqual(['call', 'message', 'end']);
  expect(stream[1]).toMatchObject({ pod: { name: 'web' } });
  expect(stream[2]).toMatchObject({ code: 'CANCELLED', by: 'client' });
});

test('a tape that is truncated anywhere is readable up to its last complete line', async () => {
  const file = await record();
  const text = readFileSync(file, 'utf8');
  const { entries } = await readAll(file);
  for (const compress of [(data: Buffer) => data, (data: Buffer) => gzipSync(data)]) {
    const whole = compress(Buffer.from(text));
    for (let end = whole.length - 1; end > whole.length * 0.6; end -= 97) {
      writeFileSync(file, whole.subarray(0, end));
      const cut = await readAll(file);
      expect(cut.entries.length).toBeLessThanOrEqual(entries.length);
      expect(kinds(cut.entries)).toEqual(kinds(entries.slice(0, cut.entries.length)));
    }
  }
});

const kinds = (entries: readonly Entry[]) => entries.map(({ kind, t }) => `${t} ${kind}`);

test.each([
  ['no tape', 'hello\n', ':1: this is not JSON: "hello"'],
  ['another JSON', '{"a":1}\n', ':1: this is not a tape: its first line has to be of kind "header"'],
  [
    'a newer tape',
    '{"kind":"header","version":2}\n',
    ':1: the tape is of version 2; this program reads up to version 1',
  ],
  ['an empty file', '', ': this is not a tape: it has no whole line'],
])('%s is refused with its line', async (_, text, problem) => {
  const file = join(directory(), 'bad.tape');
  writeFileSync(file, text);
  await expect(readAll(file)).rejects.toThrow(new InputError([`${file}${problem}`]));
});

const HEADER =
  '{"t":0,"kind":"header","version":1,"startedAt":"0","clock":"real","recorder":"test","redacted":[]}';
const CALL =
  '{"t":5,"kind":"call","call":1,"method":"StartContainer","connection":1,"message":{"containerId":"c"}}';

test.each([
  ['an unknown kind', '{"t":1,"kind":"cal"}', 'kind: it is missing, or none of those that a tape has'],
  ['an unknown field', '{"t":1,"kind":"step","text":"","x":1}', 'Unrecognized key: "x"'],
  ['a wrong type', '{"t":"1","kind":"step","text":""}', 't: Invalid input: expected number, received string'],
  ['an unknown RPC', CALL.replace('StartC', 'StrtC'), 'no message type for StrtContainer'],
  [
    'a reply to nothing',
    '{"t":1,"kind":"reply","call":1,"method":"Version","code":"OK","message":{}}',
    'call: no call 1 is open here',
  ],
  [
    'time that goes back',
    `${CALL}\n{"t":1,"kind":"step","text":""}`,
    't: 1 is before the line above, which is at 5',
  ],
  ['a second header', HEADER, 'kind: a header is allowed only in the first line'],
  ['an answer twice', `${CALL}\n${REPLY(6)}\n${REPLY(7)}`, 'call: no call 1 is open here'],
  [
    'a line that nothing is the same as',
    CALL.replace('"message":{"containerId":"c"}', '"sameAs":1'),
    'sameAs: line 1',
  ],
])('%s is refused with its line', async (_, text, problem) => {
  const file = join(directory(), 'bad.tape');
  writeFileSync(file, `${HEADER}\n${text}\n`);
  const line = 1 + text.split('\n').length;
  const refusal = await readAll(file).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(InputError);
  expect((refusal as Error).message).toContain(`${file}:${line}: `);
  expect((refusal as Error).message).toContain(problem);
});

function REPLY(t: number) {
  return `{"t":${t},"kind":"reply","call":1,"method":"StartContainer","code":"OK","message":{}}`;
}

test('a message that does not fit its type is refused when it is read', () => {
  const look = (json: object) => () =>
    Message.ofJson('ListContainers', 'Response', json as Record<string, unknown>).value();
  expect(look({ containers: [{ id: 'c', createdAt: '7', state: 'CONTAINER_EXITED' }] })).not.toThrow();
  expect(look({ containers: 'none' })).toThrow('containers: "none" does not fit the field');
  expect(look({ containers: [{ idd: 'c' }] })).toThrow(
    'containers[0].idd: "c" does not fit the field, or there is no such field',
  );
  expect(look({ containers: [{ createdAt: 'soon' }] })).toThrow('soon');
});

test.runIf(isThorough)('an endless line is refused, not kept in memory', async () => {
  const file = join(directory(), 'long.tape.gz');
  writeFileSync(file, gzipSync(Buffer.alloc(129 * 1024 * 1024, 'a')));
  await expect(readAll(file)).rejects.toThrow(`${file}:1: the line has more than 134217728 bytes`);
});

test('all damaged lines are refused, with file and line', async () => {
  const file = await record();
  const whole = readFileSync(file);
  const bytes = fc.array(fc.record({ at: fc.nat(whole.length - 1), to: fc.nat(255) }), {
    minLength: 1,
    maxLength: 4,
  });
  await fc.assert(
    fc.asyncProperty(bytes, async (changes) => {
      const damaged = Buffer.from(whole);
      for (const { at, to } of changes) damaged[at] = to;
      writeFileSync(file, damaged);
      const outcome = await readAll(file).catch((error: unknown) => error);
      if (!(outcome instanceof Error)) return;
      expect(outcome).toBeInstanceOf(InputError);
      expect(outcome.message).toContain(file);
      expect(outcome.message).toMatch(/:\d+: |no whole line/);
    }),
    { numRuns: countOf(300, 60) },
  );
});

test('bytes that JSON loses are kept separately', async () => {
  const clock = createRealClock();
  const tape = createTape(clock);
  const file = join(directory(), 'raw.tape');
  const recording = await recordToFile({ tape, file, keep: ['raw'], about: { recorder: 'test' } });
  // Field 99 is none of Version's.
  const bytes = Buffer.from([0x0a, 1, 0x31, 0x9a, 6, 1, 0x37]);
  const message = Message.ofBytes('Version', 'Response', bytes);
  tape.write({
    kind: 'call',
    call: 1,
    method: 'Version',
    connection: 0,
    message: Message.ofJson('Version', 'Request', {}),
  });
  tape.write({ kind: 'reply', call: 1, method: 'Version', code: 'OK', message });
  await recording.close();
  const { entries } = await readAll(file);
  const reply = entries.at(-1);
  expect(reply?.kind === 'reply' && reply.message?.bytes()).toEqual(bytes);
  expect(reply?.kind === 'reply' && reply.message?.json()).toEqual({ version: '1' });
});

test('a full disk ends the recording with one message, and nothing else', async () => {
  const tape = createTape(createRealClock());
  const failures: string[] = [];
  const recording = await recordToFile({
    tape,
    file: '/dev/full',
    about: { recorder: 'test' },
    onFailure: (message) => failures.push(message),
  });
  for (let number = 0; number < 1000; number++) tape.write({ kind: 'step', text: 'x'.repeat(1000) });
  await recording.close();
  expect(failures).toEqual(['the recording into /dev/full has ended: ENOSPC']);
  expect(tape.wants('call')).toBe(false);
  tape.write({ kind: 'step', text: 'continues' });
});

test('a file that cannot be created is an error that names it', async () => {
  const tape = createTape(createRealClock());
  const file = join(directory(), 'missing', 'x.tape');
  await expect(recordToFile({ tape, file, about: { recorder: 'test' } })).rejects.toThrow(
    `${file}: it can't be written: there is no such directory`,
  );
});

test('no entry is created without listeners', () => {
  const tape = createTape(createRealClock());
  expect(tape.wants('call')).toBe(false);
  expect(tape.room()).toBeUndefined();
});

test('the compressed form is valid gzip', async () => {
  const file = await record('run.tape.gz');
  expect(gunzipSync(readFileSync(file)).toString()).toMatch(/^\{"t":0,"kind":"header"/);
});

test('a held recording leaves the file unchanged until it is released', async () => {
  const file = await record('kept.tape');
  const before = readFileSync(file, 'utf8');
  const tape = createTape(createRealClock());
  const about = { recorder: 'test' };
  const failed = await recordToFile({ tape, file, about, held: true });
  await failed.close();
  expect(readFileSync(file, 'utf8')).toBe(before);
  const fresh = join(directory(), 'fresh.tape');
  await (await recordToFile({ tape, file: fresh, about, held: true })).close();
  expect(existsSync(fresh)).toBe(false);
  const held = await recordToFile({ tape, file, about, held: true });
  tape.write({ kind: 'step', text: 'while it is held' });
  held.release();
  await held.close();
  expect((await readAll(file)).entries.map(({ kind }) => kind)).toEqual(['step']);
});

test('a file that is not a tape is not overwritten', async () => {
  const file = join(directory(), 'scenario.yaml');
  writeFileSync(file, 'version: 1\n');
  const tape = createTape(createRealClock());
  await expect(recordToFile({ tape, file, about: { recorder: 'test' } })).rejects.toThrow(
    `${file}: it can't be written: the file exists and is not a tape; give another name, or remove it`,
  );
  expect(readFileSync(file, 'utf8')).toBe('version: 1\n');
});

test('a held compressed recording writes nothing, however long a start takes', async () => {
  const file = await record('kept.tape.gz');
  const before = readFileSync(file);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const about = { recorder: 'test' };
  const held = await recordToFile({ tape: createTape(createRealClock()), file, about, held: true });
  vi.advanceTimersByTime(5000);
  vi.useRealTimers();
  // What a compressor writes takes some turns.
  for (let turns = 0; turns < 200; turns++) await turn();
  await held.close();
  expect(readFileSync(file).equals(before)).toBe(true);
});
