import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readTextFile } from '../../src/base/input/text-file.js';
import { tapeImportCommand } from '../../src/cli/commands/tape/import.js';
import type { RunPodSandboxRequest } from '../../src/cri/gen/runtime/v1/api.js';
import { createCrioLogReader } from '../../src/tape/import/crio-log.js';
import { jsonOfGoValue } from '../../src/tape/import/go-value.js';
import { importLog } from '../../src/tape/import/import.js';
import { createKubeletLogReader } from '../../src/tape/import/kubelet-log.js';
import type { LogReader } from '../../src/tape/import/log-reader.js';
import { jsonOfProtoText } from '../../src/tape/import/prototext.js';
import { redactions } from '../../src/tape/keep.js';
import { openTape } from '../../src/tape/read.js';
import { readAll } from '../support/tape/recorded-run.js';
import { useTemporaryDirectories } from '../support/temporary.js';

const directory = useTemporaryDirectories();
const logs = new URL('./logs/', import.meta.url).pathname;
const imported = async (log: string, reader: LogReader) => {
  const output = join(directory(), 'run.tape');
  await importLog({ log, reader, output, about: { recorder: 'test' }, keep: redactions });
  return readAll(output);
};

test('the log of a real kubelet becomes a tape of its calls', async () => {
  const reader = createKubeletLogReader(2026);
  const { header, entries } = await imported(join(logs, 'kubelet-sample.txt'), reader);
  expect(header.lacks?.[0]).toContain('CreateContainer');
  const calls = entries.filter((entry) => entry.kind === 'call');
  const replies = entries.filter((entry) => entry.kind === 'reply');
  expect(reader.counts.calls).toBe(calls.length);
  const run = calls.find(({ method }) => method === 'RunPodSandbox');
  const { config } = run?.message.value<RunPodSandboxRequest>() ?? {};
  expect(config).toMatchObject({
    metadata: { name: 'crash-node', namespace: 'default', attempt: 0 },
    labels: { 'io.kubernetes.pod.name': 'crash-node' },
    dnsConfig: { servers: ['10.255.255.53'] },
  });
  const codes = replies.flatMap(({ method, code, details }) =>
    code === 'OK' ? [] : [[method, code, details]],
  );
  expect(codes[0]).toEqual([
    'ContainerStatus',
    'NOT_FOUND',
    expect.stringMatching(/^container "[0-9a-f]{64}" not found$/),
  ]);
  const status = replies.find(({ method, code }) => method === 'ContainerStatus' && code === 'OK');
  expect(status?.message?.json()).toMatchObject({ status: { state: 'CONTAINER_EXITED', exitCode: 1 } });
  const started = calls.find(({ method }) => method === 'ExecSync');
  expect(started).toMatchObject({ pod: { name: 'crash-node' }, container: { name: 'app' } });
});

test('PLEG messages in the log of a kubelet become entries', () => {
  const line =
    'E1124 10:00:00.000001   12 generic.go:256] "GenericPLEG: Unable to retrieve pods" err="rpc error: code = Unavailable desc = no"';
  expect(createKubeletLogReader(2026).read(line)?.happening).toEqual({
    kind: 'pleg',
    state: 'list-failed',
    text: 'rpc error: code = Unavailable desc = no',
  });
});

// The sample is written after the source of CRI-O's interceptor; it is no recording of a CRI-O that ran.
test("lines of CRI-O's interceptor become calls, from either form of its messages", async () => {
  const { entries } = await imported(join(logs, 'crio-sample.txt'), createCrioLogReader());
  const seen = entries.map((entry) =>
    entry.kind === 'call'
      ? [entry.kind, entry.method, entry.message.json()]
      : entry.kind === 'reply'
        ? [entry.kind, entry.method, entry.code, entry.details ?? entry.message?.json()]
        : [entry.kind],
  );
  const id = '5c0e'.repeat(16);
  expect(seen).toEqual([
    ['call', 'StartContainer', { containerId: id }],
    ['call', 'ListContainers', { filter: { labelSelector: { app: 'web' } } }],
    ['reply', 'StartContainer', 'OK', {}],
    [
      'reply',
      'ListContainers',
      'OK',
      { containers: [{ id, state: 'CONTAINER_RUNNING', createdAt: '1795325910255579173' }] },
    ],
    ['call', 'StopContainer', { containerId: id, timeout: '30' }],
    ['reply', 'StopContainer', 'NOT_FOUND', 'could not find container'],
  ]);
});

test('the log of CRI-O 1.34, which writes messages as Go values, becomes a tape of its calls', async () => {
  const { header, entries } = await imported(join(logs, 'crio-1.34.txt'), createCrioLogReader());
  expect(header.runtime?.name).toBe('cri-o');
  const calls = entries.filter((entry) => entry.kind === 'call');
  const replies = entries.filter((entry) => entry.kind === 'reply');
  expect([calls.length, replies.length]).toEqual([17, 17]);
  const pod = { name: 'web-node', namespace: 'default', uid: '9c5d5c0a3b5aecb1cda3085614b3dd03', attempt: 0 };
  const run = calls.find(({ method }) => method === 'RunPodSandbox');
  expect(run?.message.json()).toMatchObject({
    config: {
      metadata: { name: 'web-node', uid: pod.uid },
      annotations: {
        'kubernetes.io/config.seen': '2026-11-23T01:39:52.061472948Z',
        note: '{"a": [1, 2], "b": "x, y: z"}',
      },
      linux: { securityContext: { seccomp: {}, namespaceOptions: { pid: 'CONTAINER' } } },
    },
  });
  const create = calls.find(({ method }) => method === 'CreateContainer');
  expect(create).toMatchObject({ pod, container: { name: 'app', attempt: 0 } });
  expect(create?.message.json()).toMatchObject({
    config: {
      // The log has no quotes.
      command: ['sh', '-c', 'sleep', '2;', 'exit', '1'],
      envs: [{ key: 'TOKEN', value: Buffer.from('secret, Value: {x},').toString('base64') }],
      logPath: 'app/0.log',
      linux: { resources: { oomScoreAdj: '1000' }, securityContext: { runAsUser: { value: '5' } } },
    },
  });
  const image = replies.find(({ method }) => method === 'ImageStatus');
  expect(image?.message?.json()).toMatchObject({
    image: { repoTags: ['registry.k8s.io/e2e-test-images/busybox:1.29-2'], size: '2131880' },
  });
  const execs = replies.filter(({ method }) => method === 'ExecSync');
  expect(execs.map(({ code }) => code)).toEqual(['OK', 'OK', 'NOT_FOUND']);
});

test.each([
  ['no Go value', '&StopContainerRequest{ContainerId:5c0e,Timeout:30', '"30"'],
  ['a list that does not end', '&ListPodSandboxResponse{Items:[]*PodSandbox{&PodSandbox{Id:5c0e,},', '""'],
])('a message as Go writes values is refused: %s', (_, text, there) => {
  const method = text.startsWith('&Stop') ? 'StopContainer' : 'ListPodSandbox';
  const direction = text.startsWith('&Stop') ? 'Request' : 'Response';
  const problem = `this is not a message as Go prints values: ${there}`;
  expect(() => jsonOfGoValue(method, direction, text)).toThrow(problem);
});

test.each([
  ['a log about something else', 'hello\n', ': no line is about a CRI call'],
  [
    'a message that ends early',
    'I1122 05:38:30.097248 1 r.go:1] "[RemoteRuntimeService] ListPodSandbox" filter="state:{" timeout="8s"\n',
    ":1: this is not a message in protobuf's text format",
  ],
])('%s is refused', async (_, text, problem) => {
  const log = join(directory(), 'bad.log');
  writeFileSync(log, text);
  await expect(imported(log, createKubeletLogReader(2026))).rejects.toThrow(`${log}${problem}`);
});

test('the text form becomes JSON: lists with one element, maps, bytes, words', () => {
  const text = readFileSync(join(logs, 'create.prototext'), 'utf8');
  expect(jsonOfProtoText('CreateContainer', 'Request', text)).toEqual({
    podSandboxId: 'p',
    config: {
      metadata: { name: 'app', attempt: '2' },
      command: ['sh'],
      envs: [{ key: 'A', value: Buffer.from('é"\n').toString('base64') }],
      labels: { a: 'b', c: '' },
      linux: { securityContext: { runAsUser: { value: '5' }, noNewPrivs: true } },
      stopSignal: 'SIGNAL_SIGUSR1',
    },
  });
});

test.each([
  ['kubelet-log', () => createKubeletLogReader(2025), '-v=10'],
  ['cri-o-debug', () => createCrioLogReader(), '--log-level debug'],
])('%s: a log without calls: the error names the option that writes them', async (_, reader, option) => {
  const log = join(directory(), 'any.log');
  writeFileSync(log, 'I0102 03:04:05.000006       1 server.go:1] "Started"\n');
  const output = join(directory(), 'any.tape');
  await expect(importLog({ log, reader: reader(), output, about: { recorder: 'test' } })).rejects.toThrow(
    `no line is about a CRI call; the program writes them with ${option}`,
  );
});

test('a missing file always has the same error text', async () => {
  const file = join(directory(), 'none');
  const expected = `${file}: it can't be read: there is no such file`;
  await expect(openTape(file)).rejects.toThrow(expected);
  expect(() => readTextFile(file)).toThrow(expected);
  await expect(
    tapeImportCommand().parseAsync(['--from', 'kubelet-log', file], { from: 'user' }),
  ).rejects.toThrow(expected);
});
