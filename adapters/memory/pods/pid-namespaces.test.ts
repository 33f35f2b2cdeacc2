import { afterEach, expect, it } from 'vitest';
import { NamespaceMode } from '../../../src/cri/gen/runtime/v1/api.js';
import {
  createTestNode,
  type TestNode,
  type TestNodeOptions,
} from '../../../test/support/runtime/memory-node.js';

let node: TestNode;

afterEach(() => node.runtime.close());

const start = async (options: TestNodeOptions = {}) => {
  node = await createTestNode(options);
};

const withPid = (pid: NamespaceMode, targetId = '') => ({
  linux: { securityContext: { namespaceOptions: { pid, targetId } } },
});

const sleeper = (namespace = {}) => node.container({ command: ['sleep', '1000000'], ...namespace });

const run = async (containerId: string, ...cmd: string[]) => {
  const { stdout, exitCode } = await node.call(() => node.cri.execSync({ containerId, cmd }));
  return { text: String(stdout), exitCode };
};

/** `1 /pause`, without the command itself. */
const processes = async (containerId: string) => {
  const { text } = await run(containerId, 'ps', '-o', 'pid,args');
  return text
    .split('\n')
    .slice(1, -1)
    .map((line) => line.trim())
    .filter((line) => !line.includes('ps -o'));
};

it('shares the pid namespace of the pod by default, with pause as its pid 1', async () => {
  await start();
  const first = await sleeper();
  const second = await sleeper(withPid(NamespaceMode.POD));
  const all = ['1 /pause', '2 sleep 1000000', '3 sleep 1000000'];
  expect(await processes(first)).toEqual(all);
  expect(await processes(second)).toEqual(all);
  expect((await run(first, 'cat', '/proc/3/cmdline')).text).toBe('sleep\x001000000\0');
  expect((await run(first, 'cat', '/sys/fs/cgroup/pids.current')).text).toBe('2\n');
});

it('lets containers of a pod kill one another’s processes, which are not protected as pid 1', async () => {
  await start();
  const first = await sleeper();
  const second = await sleeper();
  expect((await run(first, 'kill', '3')).exitCode).toBe(0);
  expect(await node.state(second)).toBe('EXITED 143 Error');
  expect(await node.state(first)).toBe('RUNNING');
});

it('kills the rest of a container without its own namespace when its main process ends', async () => {
  await start();
  const other = await sleeper();
  const script = 'sleep 1000000 & sleep 5';
  await node.container({ command: ['sh', '-c', script] });
  expect(await processes(other)).toHaveLength(4);
  await node.clock.advance(6000);
  expect(await processes(other)).toEqual(['1 /pause', '2 sleep 1000000']);
});

it('ends the pod when its pause is killed', async () => {
  await start();
  const id = await sleeper();
  await run(id, 'kill', '-9', '1');
  expect(await node.state(id)).toBe('RUNNING');
  await run(id, 'kill', '1').catch(() => {});
  await node.clock.advance(1000);
  expect(await node.state(id)).toBe('EXITED 137 Error');
  const { status } = await node.cri.podSandboxStatus({ podSandboxId: node.podSandboxId });
  expect(status).toMatchObject({ state: 1 });
});

it('gives a container its own namespace, whose pid 1 nothing inside can kill', async () => {
  await start();
  await sleeper();
  const id = await sleeper(withPid(NamespaceMode.CONTAINER));
  expect(await processes(id)).toEqual(['1 sleep 1000000']);
  for (const signal of ['-TERM', '-KILL']) {
    expect((await run(id, 'kill', signal, '1')).exitCode).toBe(0);
    expect(await node.state(id)).toBe('RUNNING');
  }
});

it('joins the namespace of a target, and goes with its pid 1', async () => {
  await start();
  const target = await sleeper(withPid(NamespaceMode.CONTAINER));
  const debug = await sleeper(withPid(NamespaceMode.TARGET, target));
  expect(await processes(debug)).toEqual(['1 sleep 1000000', '2 sleep 1000000']);
  await node.call(() => node.cri.stopContainer({ containerId: target, timeout: 0n }));
  expect(await node.state(debug)).toBe('EXITED 137 Error');
});

it('does not start in the namespace of a target that has ended', async () => {
  await start();
  const target = await sleeper(withPid(NamespaceMode.CONTAINER));
  const metadata = { name: 'debug', attempt: 0 };
  const config = { metadata, command: ['sleep', '1'], ...withPid(NamespaceMode.TARGET, target) };
  const debug = await node.container(config, false);
  await node.call(() => node.cri.stopContainer({ containerId: target, timeout: 0n }));
  const starting = node.call(() => node.cri.startContainer({ containerId: debug }));
  await expect(starting).rejects.toThrow(`can't join the pid namespace of container "${target}"`);
});

it('shows all processes of the node to who shares its namespace, by the pids that containers are inspected with', async () => {
  await start({ pod: withPid(NamespaceMode.NODE) });
  const own = await sleeper(withPid(NamespaceMode.CONTAINER));
  const host = await sleeper(withPid(NamespaceMode.NODE));
  const { info } = await node.cri.containerStatus({ containerId: own, verbose: true });
  const { pid } = JSON.parse(info?.info ?? '') as { pid: number };
  const seen = await processes(host);
  expect(seen[0]).toBe('1 /sbin/init');
  expect(seen).toContain(`${pid} sleep 1000000`);
  expect(seen.filter((line) => line.endsWith('/pause'))).toHaveLength(1);
  expect((await run(host, 'cat', `/proc/${pid}/comm`)).text).toBe('sleep\n');
  expect((await run(host, 'kill', '1')).exitCode).toBe(0);
  // From above, KILL reaches the pid 1 of another namespace, and nothing else does.
  await run(host, 'kill', String(pid));
  expect(await node.state(own)).toBe('RUNNING');
  await run(host, 'kill', '-9', String(pid));
  expect(await node.state(own)).toBe('EXITED 137 Error');
});

it('shows the files of another container below /proc/PID/root', async () => {
  await start();
  const viewer = await sleeper();
  const other = await sleeper();
  const inOther = (script: string) => run(other, 'sh', '-c', script);
  await inOther('cd /tmp; mkdir d; echo theirs >d/file; ln -s file d/near; ln -s /tmp/d/file d/far');
  const seen = async (path: string) => (await run(viewer, 'cat', `/proc/3/root${path}`)).text;
  expect((await run(viewer, 'readlink', '/proc/3/root')).text).toBe('/\n');
  expect(await seen('/tmp/d/file')).toBe('theirs\n');
  expect(await seen('/tmp/d/near')).toBe('theirs\n');
  expect(await seen('/../tmp/d/file')).toBe('theirs\n');
  // An absolute link starts at the root of who follows it (namei.c nd_jump_root).
  expect(await run(viewer, 'cat', '/proc/3/root/tmp/d/far')).toMatchObject({ exitCode: 1 });
  expect((await run(viewer, 'ls', '/proc/3/root/', '/proc/2/root/tmp/')).text).toMatch(/^etc$/m);
  await run(viewer, 'cp', '/etc/hostname', '/proc/3/root/tmp/d/copy');
  expect((await inOther('ls /tmp/d')).text).toBe('copy\nfar\nfile\nnear\n');
  expect((await run(viewer, 'ls', '/tmp')).text).toBe('');
});

it('shows what is mounted in another container, and its working directory', async () => {
  await start();
  const viewer = await sleeper();
  const mounts = [{ containerPath: '/srv/data', hostPath: process.cwd(), readonly: true }];
  const cwd = { workingDir: '/srv/data' };
  const other = await sleeper({ mounts, ...cwd });
  expect(await node.state(other)).toBe('RUNNING');
  const files = (await run(viewer, 'ls', '/proc/3/root/srv/data')).text;
  expect(files).toMatch(/^package.json$/m);
  expect((await run(viewer, 'ls', '/proc/3/root/srv')).text).toBe('data\n');
  expect((await run(viewer, 'ls', '/proc/3/cwd/')).text).toBe(files);
  expect((await run(viewer, 'grep', '-c', '/srv/data', '/proc/3/mounts')).text).toBe('1\n');
  expect((await run(viewer, 'grep', '-c', '/srv/data', '/proc/mounts')).text).toBe('0\n');
  expect(await run(viewer, 'touch', '/proc/3/root/srv/data/x')).toMatchObject({ exitCode: 1 });
});

const TRACING = { capabilities: { addCapabilities: ['SYS_PTRACE'] } };

it.each([
  ['a user other than its own', { runAsUser: { value: 1000n } }, {}],
  ['root for one of another user', {}, { runAsUser: { value: 1000n } }],
  ['root for one with more capabilities', {}, TRACING],
])('keeps the links of a process from %s, as ptrace does', async (_, viewers, others) => {
  await start();
  const viewer = await sleeper({ linux: { securityContext: viewers } });
  await sleeper({ linux: { securityContext: others } });
  for (const path of ['/proc/3/root/etc/hostname', '/proc/3/cwd/', '/proc/1/root/etc'])
    expect(await run(viewer, 'ls', path)).toMatchObject({ exitCode: 1 });
  expect(await run(viewer, 'ls', '/proc/2/root/etc/hostname')).toMatchObject({ exitCode: 0 });
});

it('lets who may trace processes follow the links of all', async () => {
  await start();
  const viewer = await sleeper({ linux: { securityContext: TRACING } });
  await sleeper({ linux: { securityContext: { runAsUser: { value: 1000n } } } });
  expect((await run(viewer, 'cat', '/proc/3/root/etc/hostname')).exitCode).toBe(0);
});

it('a Go program that catches nothing ends on SIGTERM as pid 1, too', async () => {
  await start();
  const image = { image: 'registry.k8s.io/e2e-test-images/agnhost:2.53' };
  await node.call(() => node.cri.pullImage({ image }));
  const id = await node.container({ image, args: ['test-webserver'], ...withPid(NamespaceMode.CONTAINER) });
  await node.clock.advance(1000);
  await node.call(() => node.cri.stopContainer({ containerId: id, timeout: 30n }));
  expect(await node.state(id)).toBe('EXITED 2 Error');
});
