import { Client, credentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CriClient } from '../../src/cri/client/client.js';
import { RunPodSandboxRequest } from '../../src/cri/gen/runtime/v1/api.js';
import { criMethods } from '../../src/cri/service.js';
import { type Mockri, startMockri } from '../../src/testing/index.js';

// Invalid client input, from the socket down to the memory backend.

const IMAGE = 'busybox';
const INVALID_ARGUMENT = 3;
const NOT_FOUND = 5;
const RESOURCE_EXHAUSTED = 8;

let mockri: Mockri;
let cri: CriClient;
let uid = 0;

beforeAll(async () => {
  mockri = await startMockri({ clock: 'real' });
  cri = mockri.client;
  await cri.pullImage({ image: { image: IMAGE } });
});

afterAll(() => mockri.close());

const pod = (change: object = {}) => ({
  metadata: { name: 'web', namespace: 'default', uid: `${++uid}`, attempt: 0 },
  ...change,
});

/** Creates a container in a new pod. */
async function create(change: object, podChange: object = {}): Promise<string> {
  const sandboxConfig = pod(podChange);
  const { podSandboxId } = await cri.runPodSandbox({ config: sandboxConfig });
  const config = { metadata: { name: 'app' }, image: { image: IMAGE }, command: ['sleep', '1h'], ...change };
  const { containerId } = await cri.createContainer({ podSandboxId, config, sandboxConfig });
  return containerId;
}

/** Expects an error with a code and a helpful message; the next call succeeds. */
async function expectRefusal(call: Promise<unknown>, code: number, text: RegExp): Promise<void> {
  await expect(call).rejects.toMatchObject({ code, details: expect.stringMatching(text) });
  expect((await cri.version({})).runtimeName).toBe('mockri');
}

describe('a pod is rejected', () => {
  test.each([
    ['without metadata', { metadata: undefined }, /metadata/],
    ['without a name', { metadata: { name: '', namespace: 'default', uid: 'x' } }, /name/],
    ['with a relative log directory', { logDirectory: 'var/log' }, /var\/log.*absolute/],
    [
      'with a group but no user',
      { linux: { securityContext: { runAsGroup: { value: 1n } } } },
      /run_as_group/,
    ],
  ])('%s', async (_, change, text) => {
    await expectRefusal(cri.runPodSandbox({ config: pod(change) }), INVALID_ARGUMENT, text);
  });

  test('without a config, or with an unknown handler', async () => {
    await expectRefusal(cri.runPodSandbox({}), INVALID_ARGUMENT, /config/);
    const config = pod();
    await expectRefusal(cri.runPodSandbox({ config, runtimeHandler: 'gvisor' }), INVALID_ARGUMENT, /gvisor/);
    await cri.runPodSandbox({ config });
  });
});

describe('a container is rejected', () => {
  test.each([
    ['without metadata', { metadata: undefined }, {}, /metadata/],
    [
      'with a log path that leaves the directory',
      { logPath: '../../etc/passwd' },
      { logDirectory: '/tmp/logs' },
      /log_path/,
    ],
    [
      'with a group but no user',
      { linux: { securityContext: { runAsGroup: { value: 1n } } } },
      {},
      /run_as_group/,
    ],
    [
      'with a user that the image does not have',
      { linux: { securityContext: { runAsUsername: 'who' } } },
      {},
      /"who"/,
    ],
  ])('%s', async (_, change, podChange, text) => {
    await expectRefusal(create(change, podChange), INVALID_ARGUMENT, text);
  });

  test('with an absent image', async () => {
    await expectRefusal(
      create({ image: { image: 'nowhere/nothing:1' } }),
      NOT_FOUND,
      /nowhere\/nothing:1.*pull/,
    );
  });
});

describe('an id', () => {
  test('that is empty', async () => {
    await expectRefusal(cri.containerStatus({ containerId: '' }), INVALID_ARGUMENT, /empty/);
    await expectRefusal(cri.podSandboxStatus({ podSandboxId: '' }), INVALID_ARGUMENT, /empty/);
    await expectRefusal(cri.execSync({ containerId: '', cmd: ['true'] }), INVALID_ARGUMENT, /empty/);
  });

  test('that is unknown, of any length', async () => {
    await expectRefusal(cri.startContainer({ containerId: 'zz' }), NOT_FOUND, /"zz" not found/);
    await expectRefusal(cri.startContainer({ containerId: 'f'.repeat(100_000) }), NOT_FOUND, /^.{0,200}$/);
  });

  test('that is ambiguous', async () => {
    // Among seventeen hexadecimal ids, two start with the same digit.
    const ids: string[] = [];
    for (let index = 0; index < 17; index++)
      ids.push((await cri.runPodSandbox({ config: pod() })).podSandboxId);
    const digits = ids.map((id) => id.slice(0, 1));
    const twice = digits.find((digit, index) => digits.indexOf(digit) < index) ?? '';
    await expectRefusal(
      cri.podSandboxStatus({ podSandboxId: twice }),
      INVALID_ARGUMENT,
      /ambiguous: it matches [0-9a-f]{64} and [0-9a-f]{64}/,
    );
    expect((await cri.listPodSandbox({ filter: { id: twice } })).items).toEqual([]);
  });
});

describe('large valid input is returned unchanged:', () => {
  test('ten thousand annotations and a label of a mebibyte', async () => {
    const annotations = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, index) => [`example.com/key-${index}`, `value ${index}`]),
    );
    const labels = { big: 'x'.repeat(1 << 20) };
    const { podSandboxId } = await cri.runPodSandbox({ config: pod({ annotations, labels }) });
    const { status } = await cri.podSandboxStatus({ podSandboxId });
    expect(status?.annotations).toEqual(annotations);
    expect(status?.labels).toEqual(labels);
    const selected = await cri.listPodSandbox({ filter: { labelSelector: labels } });
    expect(selected.items.map(({ id }) => id)).toEqual([podSandboxId]);
    await cri.removePodSandbox({ podSandboxId });
  });

  test('variables whose values are not UTF-8', async () => {
    const value = Buffer.from([0xff, 0xfe, 0x00, 0x41]);
    const containerId = await create({ envs: [{ key: 'RAW', value }] });
    await cri.startContainer({ containerId });
    const { exitCode } = await cri.execSync({ containerId, cmd: ['sh', '-c', 'test -n "$RAW"'] });
    expect(exitCode).toBe(0);
  });
});

test('the server also rejects a request over 16 MiB, and creates nothing', async () => {
  const config = pod({ labels: { big: 'x'.repeat(17 << 20) } });
  const client = new Client(mockri.endpoint, credentials.createInsecure(), {
    'grpc.max_send_message_length': -1,
  });
  const { path, requestSerialize } = criMethods.runPodSandbox;
  const request = requestSerialize(RunPodSandboxRequest.fromPartial({ config }));
  const same = (bytes: Buffer) => bytes;
  const call = new Promise((resolve, reject) =>
    client.makeUnaryRequest(path, same, same, request, (error, reply) =>
      error ? reject(error) : resolve(reply),
    ),
  );
  await expectRefusal(call, RESOURCE_EXHAUSTED, /^Received message larger than max/);
  client.close();
  const { items } = await cri.listPodSandbox({});
  expect(items.filter(({ metadata }) => metadata?.uid === config.metadata.uid)).toEqual([]);
});
