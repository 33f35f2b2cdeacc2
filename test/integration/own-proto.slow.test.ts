import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { credentials, loadPackageDefinition, type ServiceClientConstructor } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packagePath } from '../../src/base/input/package-path.js';
import { connectCri } from '../../src/cri/client/connect.js';
import { spawnCommand } from '../support/command.js';
import { commandLine } from '../support/program.js';
import { useTemporaryDirectory } from '../support/temporary.js';

const directory = useTemporaryDirectory();
const proto = join(directory, 'api.proto');
const tape = join(directory, 'run.tape.gz');
const socket = `unix://${join(directory, 'cri.sock')}`;

type Reply = Record<string, unknown>;
let child: ChildProcess;
let control: string;
let stream: (method: string, request: object) => Promise<Reply[]>;
let call: (method: string, request: object) => Promise<Reply>;

/** The shipped file with fields of KEP-6035 and KEP-5758, and RPCs that no KEP has. */
function writeProto(): void {
  const text = readFileSync(packagePath('proto/runtime/v1/api.proto'), 'utf8')
    .replace('message ExecRequest {', '$& repeated KeyValue envs = 20;')
    .replace(
      'message ContainerConfig {',
      '$& repeated Ulimit ulimits = 40; CgroupMountMode cgroup_mount_mode = 41;',
    )
    .replace('message PodSandboxConfig {', '$& int64 priority = 40;')
    .replace('message Mount {', '$& string tier = 40;')
    .replace(
      'service RuntimeService {',
      '$& rpc Freeze(FreezeRequest) returns (FreezeResponse) {} rpc WatchFreezes(FreezeRequest) returns (stream FreezeResponse) {}',
    );
  writeFileSync(
    proto,
    `${text}
enum CgroupMountMode { CGROUP_DEFAULT = 0; CGROUP_RW = 1; }
message Ulimit { string name = 1; int64 soft = 2; int64 hard = 3; CgroupMountMode mode = 4; }
message FreezeRequest { string container_id = 1; Ulimit limit = 2; }
message FreezeResponse { string state = 1; Container container = 2; repeated CgroupMountMode modes = 3; map<string, Ulimit> limits = 4; }
`,
  );
}

beforeAll(async () => {
  writeProto();
  const args = ['serve', '--listen', socket, '--control', '127.0.0.1:0', '--record', tape, '--proto', proto];
  child = spawn(process.execPath, commandLine(...args), { stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = await once(createInterface(child.stdout as NodeJS.ReadableStream), 'line');
  ({ control } = JSON.parse(line));
  const loaded = loadPackageDefinition(loadSync(proto, { keepCase: true, enums: String }));
  const { RuntimeService } = (loaded.runtime as never as { v1: Record<string, ServiceClientConstructor> }).v1;
  const client = new (RuntimeService as ServiceClientConstructor)(socket, credentials.createInsecure());
  stream = (method, request) =>
    new Promise((resolve, reject) => {
      const replies: Reply[] = [];
      (client as never as Record<string, (request: object) => Readable>)[method]
        ?.call(client, request)
        .on('data', (reply: Reply) => replies.push(reply))
        .on('error', reject)
        .on('end', () => resolve(replies));
    });
  call = (method, request) =>
    new Promise((resolve, reject) => {
      (
        client as never as Record<
          string,
          (request: object, then: (error: Error | null, reply: Reply) => void) => void
        >
      )[method]?.call(client, request, (error, reply) => (error ? reject(error) : resolve(reply)));
    });
});

afterAll(() => child.kill('SIGKILL'));

const addRule = async (rule: object): Promise<void> => {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${control}/v1/faults`, {
    method: 'POST',
    headers,
    body: JSON.stringify(rule),
  });
  expect(response.status, await response.text()).toBe(201);
};

test('a new RPC is not implemented until a rule answers it', async () => {
  await expect(call('Freeze', { container_id: 'c' })).rejects.toThrow('UNIMPLEMENTED: unknown method Freeze');
  await addRule({
    name: 'frozen',
    match: { method: 'Freeze', request: { limit: { name: 'nofile' } } },
    then: { reply: { replace: { state: 'frozen', container: { id: 'c1' } } } },
  });
  expect(await call('Freeze', { limit: { name: 'nofile' } })).toMatchObject({
    state: 'frozen',
    container: { id: 'c1' },
  });
  await expect(call('Freeze', { limit: { name: 'nproc' } })).rejects.toThrow('UNIMPLEMENTED');
});

test('a rule answers a new stream with one message', async () => {
  await expect(stream('WatchFreezes', {})).rejects.toThrow('UNIMPLEMENTED: unknown method WatchFreezes');
  await addRule({
    name: 'freezes',
    match: { method: 'WatchFreezes', request: { limit: { mode: 'CGROUP_RW' } } },
    then: {
      reply: {
        replace: { state: 'frozen', modes: ['CGROUP_RW'], limits: { a: { soft: '9007199254740993' } } },
      },
    },
  });
  expect(await stream('WatchFreezes', { limit: { mode: 'CGROUP_RW' } })).toMatchObject([
    { state: 'frozen', modes: ['CGROUP_RW'], limits: { a: { soft: expect.anything() } } },
  ]);
  await expect(stream('WatchFreezes', {})).rejects.toThrow('UNIMPLEMENTED');
});

test('new fields are kept, shown, matched and set', async () => {
  const sandbox_config = { metadata: { name: 'web', uid: 'u', namespace: 'default' } };
  const { pod_sandbox_id } = await call('RunPodSandbox', { config: sandbox_config });
  const cri = connectCri(socket);
  await cri.pullImage({ image: { image: 'registry.k8s.io/pause:3.10' } });
  cri.close();
  const config = {
    metadata: { name: 'app' },
    image: { image: 'registry.k8s.io/pause:3.10' },
    ulimits: [{ name: 'nofile', soft: 10, hard: 20 }],
    cgroup_mount_mode: 'CGROUP_RW',
  };
  const rule = { method: 'CreateContainer', request: { config: { cgroup_mount_mode: 'CGROUP_RW' } } };
  await addRule({
    name: 'read-write',
    match: rule,
    then: { error: { code: 'UNKNOWN', message: 'no' } },
    when: { times: 1 },
  });
  await expect(call('CreateContainer', { pod_sandbox_id, config, sandbox_config })).rejects.toThrow('no');
  const { container_id } = await call('CreateContainer', { pod_sandbox_id, config, sandbox_config });
  const { info } = await call('ContainerStatus', { container_id, verbose: true });
  expect(JSON.parse((info as { info: string }).info).config).toMatchObject({
    ulimits: [{ name: 'nofile', soft: '10', hard: '20' }],
    cgroupMountMode: 1,
  });
});

test('calls, the state and mockri watch show new fields', async () => {
  const metadata = { name: 'db', uid: 'u2', namespace: 'default' };
  const sandbox_config = { metadata, priority: 7 };
  const { pod_sandbox_id } = await call('RunPodSandbox', { config: sandbox_config });
  const [plain, fast] = [{ container_path: '/a' }, { container_path: '/b', tier: 'fast' }];
  const config = {
    metadata: { name: 'app' },
    image: { image: 'registry.k8s.io/pause:3.10' },
    mounts: [plain, fast].map((mount) => ({ ...mount, host_path: '/tmp' })),
    ulimits: [{ name: 'nofile', soft: 10 }],
    cgroup_mount_mode: 'CGROUP_RW',
  };
  await call('CreateContainer', { pod_sandbox_id, config, sandbox_config });
  const newFields = {
    'config.mounts[1].tier': 'fast',
    'config.ulimits': [{ name: 'nofile', soft: '10' }],
    'config.cgroup_mount_mode': 'CGROUP_RW',
  };
  const get = async (path: string) => (await fetch(`${control}${path}`)).json();
  const { sandboxes } = (await get('/v1/state')) as { sandboxes: { containers: object[] }[] };
  expect(sandboxes.at(-1)).toMatchObject({
    name: 'db',
    newFields: { 'config.priority': '7' },
    containers: [{ newFields }],
  });
  const { calls } = (await get('/v1/calls?method=CreateContainer&pod=db')) as { calls: object[] };
  expect(calls).toMatchObject([
    {
      newFields: {
        ...Object.fromEntries(Object.entries(newFields).map(([path, value]) => [`request.${path}`, value])),
        'request.sandbox_config.priority': '7',
      },
    },
  ]);

  const freezes = ['--proto', proto, '--only', 'call', '--method', 'Freeze', '--count', '1'];
  const watch = (...args: string[]) =>
    spawnCommand('watch', '--control', new URL(control).host, ...freezes, ...args);
  let isOver = false;
  const watched = Promise.all([watch(), watch('--json')]).finally(() => {
    isOver = true;
  });
  // A watch does not say when it is ready, so the calls end when both have seen one.
  while (!isOver) await call('Freeze', { limit: { name: 'nofile' } });
  const [text, json] = await watched;
  expect(text.out).toContain(
    ' request.limit={"name":"nofile"} reply.state="frozen" reply.container={"id":"c1"}',
  );
  expect(JSON.parse(json.out).newFields).toEqual({
    'request.limit': { name: 'nofile' },
    'reply.state': 'frozen',
    'reply.container': { id: 'c1' },
  });
});

test('the tape shows new fields, with the same file', async () => {
  child.kill('SIGTERM');
  await once(child, 'exit');
  const shown = await spawnCommand('tape', 'show', tape, '--proto', proto, '--json');
  expect(shown).toMatchObject({
    code: 0,
    err: expect.stringContaining('+ ExecRequest.envs = 20 (repeated KeyValue)'),
  });
  expect(shown.out).toContain('"cgroupMountMode":"CGROUP_RW"');
});

test('an incompatible file is refused with its field, before the command begins', async () => {
  const bad = join(directory, 'bad.proto');
  writeFileSync(bad, readFileSync(proto, 'utf8').replace('bool tty = 3;', 'string tty = 3;'));
  const { code, out, err } = await spawnCommand('serve', '--listen', socket, '--proto', bad);
  expect([code, out]).toEqual([2, '']);
  expect(err).toBe(
    `mockri: --proto: ${bad}: incompatible with CRI v1: ExecRequest.tty = 3 (string): number 3 is tty, of type bool, in the shipped file\n`,
  );
});
