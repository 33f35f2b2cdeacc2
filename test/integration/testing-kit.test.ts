import { readdirSync } from 'node:fs';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { startControl } from '../../src/runtime/control/server.js';
import { type MockriOptions, startMockri } from '../../src/testing/index.js';
import { useTemporaryDirectories } from '../support/temporary.js';

const temporary = useTemporaryDirectories();
afterEach(() => {
  vi.unstubAllEnvs();
});

const listening = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;

describe('a failed start cleans up', () => {
  test.each<[string, MockriOptions, RegExp]>([
    [
      'a rule for an unknown RPC',
      { faults: [{ match: { method: 'StartContianer' }, then: { error: {} } }] },
      /did you mean "StartContainer"\?/,
    ],
    ['a misspelled behavior', { behaviors: [{ match: {}, behavior: 'exti=1' }] }, /did you mean "exit"\?/],
    ['an invalid address', { listen: 'foo' }, /"foo" is not an endpoint/],
    ['an invalid clock', { clock: 'virtaul' as 'virtual' }, /clock: expected real or virtual;.*"virtual"/],
    ['an unknown option', { contrl: true } as MockriOptions, /contrl: unknown key; did you mean "control"/],
    [
      'behaviors by name instead of a list',
      { behaviors: { app: 'exit=1' } as never },
      /behaviors: expected a list, as in \[\{ match: \{ name: 'app' \}, behavior: 'exit=1' \}\]; given/,
    ],
    ['an invalid seed', { seed: 1.5 }, /seed: expected a whole number; given 1.5/],
  ])('%s', async (_, options, message) => {
    const directory = temporary();
    vi.stubEnv('TMPDIR', directory);
    const before = listening();
    await expect(startMockri(options)).rejects.toThrow(message);
    expect(readdirSync(directory)).toEqual([]);
    expect(listening()).toBe(before);
  });
});

test('an error about a misspelled RPC or code names the nearest one', async () => {
  await using mockri = await startMockri();
  expect(() => mockri.calls({ method: 'StartContianer' as 'StartContainer' })).toThrow(
    'calls: method "StartContianer": unknown RPC; did you mean "StartContainer"?',
  );
  expect(() => mockri.fault('StartContianer').once().drop()).toThrow(/did you mean "StartContainer"\?/);
  expect(() => mockri.fault('StartContainer').error('UNAVAILBLE' as 'UNAVAILABLE')).toThrow(
    /then\.error\.code: .*did you mean "UNAVAILABLE"\?/,
  );
});

test('a misspelled field of a query is refused: it would match everything', async () => {
  await using mockri = await startMockri();
  const misspelled = { metod: 'Status' } as object;
  expect(() => mockri.calls(misspelled)).toThrow('calls: metod: unknown key; did you mean "method"?');
  expect(() => mockri.calls({ code: 'UNAVAILBLE' as 'UNAVAILABLE' })).toThrow('did you mean "UNAVAILABLE"?');
  await expect(mockri.waitForCall(misspelled)).rejects.toThrow('did you mean "method"?');
  await expect(mockri.waitForEvent({ typ: 'STOPPED' } as object)).rejects.toThrow(
    'waitForEvent: typ: unknown key; did you mean "type"?',
  );
  expect(() => mockri.container({ name: 'app', pdo: 'web' } as { name: string })).toThrow(
    'container: pdo: unknown key; did you mean "pod"?',
  );
});

test('one pending rule is one rule', async () => {
  await using mockri = await startMockri();
  mockri.fault('Version').once().error();
  expect(() => mockri.assertNoPendingFaults()).toThrow(/^1 fault rule is pending:/);
});

test('a control port that is too large: the error names the range', async () => {
  await expect(startControl({ listen: '127.0.0.1:99999', routes: [] })).rejects.toThrow(
    'port 99999: expected 0 to 65535',
  );
});

test('it can be closed twice', async () => {
  const directory = temporary();
  vi.stubEnv('TMPDIR', directory);
  const mockri = await startMockri({ control: true });
  expect(readdirSync(directory)).toHaveLength(1);
  await mockri.close();
  await mockri[Symbol.asyncDispose]();
  expect(readdirSync(directory)).toEqual([]);
  await expect(fetch(`${mockri.control}/healthz`)).rejects.toThrow();
});

describe('waiting', () => {
  const metadata = { name: 'web', namespace: 'default', uid: 'u1', attempt: 0 };
  const sandboxConfig = { metadata, linux: {} };
  const config = { metadata: { name: 'app', attempt: 0 }, image: { image: 'busybox' }, command: ['true'] };

  test('for a call and for an event of another client', async () => {
    await using mockri = await startMockri();
    const { client } = mockri;
    await client.pullImage({ image: { image: 'busybox' } });
    const { podSandboxId } = await client.runPodSandbox({ config: sandboxConfig });
    const { containerId } = await client.createContainer({ podSandboxId, config, sandboxConfig });
    const call = mockri.waitForCall({ method: 'StartContainer', container: 'app' });
    const event = mockri.waitForEvent({ type: 'STOPPED', container: containerId.slice(0, 12) });
    await client.startContainer({ containerId });
    expect(await call).toMatchObject({ method: 'StartContainer', code: 0 });
    expect(await event).toMatchObject({ containerId });
    expect((await mockri.waitForCall({ method: 'PullImage' })).sequence).toBe(1);
  });

  test('a call that does not arrive: the error lists the last calls', async () => {
    await using mockri = await startMockri();
    const { client } = mockri;
    for (let count = 0; count < 11; count++) await client.listContainers({});
    await client.runPodSandbox({ config: sandboxConfig });
    mockri.fault('Version').once().error('UNAVAILABLE', 'x');
    await expect(client.version({})).rejects.toThrow();
    const error = await mockri.waitForCall({ method: 'Status' }, 1).catch((each: Error) => each.message);
    expect(error).toBe(
      [
        'no call that fits {"method":"Status"} within 1; the last calls:',
        ...Array.from({ length: 8 }, (_, index) => `  ${index + 4} ListContainers OK`),
        '  12 RunPodSandbox OK default/web',
        '  13 Version UNAVAILABLE',
      ].join('\n'),
    );
  });

  test('has a timeout', async () => {
    await using mockri = await startMockri();
    await expect(mockri.waitForCall({ method: 'Status' }, 1)).rejects.toThrow(
      'no call that fits {"method":"Status"} within 1; no call has ended yet',
    );
    await expect(mockri.waitForEvent({ type: 'CREATED' }, '1ms')).rejects.toThrow(
      'no event that fits {"type":"CREATED"} within 1ms',
    );
    await expect(mockri.waitForCall({ method: 'Statsu' as 'Status' })).rejects.toThrow(
      'did you mean "Status"?',
    );
  });
});
