import { afterEach, expect, it } from 'vitest';
import { createTestNode, type TestNode } from '../../../test/support/runtime/memory-node.js';

const IMAGE = 'ghcr.io/example/whoami:1.0';
const ports = '[{"name":"web","containerPort":8080,"protocol":"TCP"}]';

let node: TestNode;
afterEach(() => node.runtime.close());

/** Only its name says in the CRI that it is an init container. */
const init = { metadata: { name: 'init-node', attempt: 0 }, annotations: {}, image: { image: 'busybox:1' } };

const setup = async (config: Record<string, unknown> = {}, pod = {}) => {
  node = await createTestNode({ unknownImages: 'run', pod });
  await node.call(() => node.cri.pullImage({ image: { image: IMAGE } }));
  const id = await node.container({
    image: { image: IMAGE },
    annotations: { 'io.kubernetes.container.ports': ports },
    ...config,
  });
  await node.clock.advance(60_000);
  const run = (...cmd: string[]) =>
    node
      .call(() => node.cri.execSync({ containerId: id, cmd, timeout: 30n }))
      .then(({ exitCode }) => exitCode);
  return { id, state: await node.state(id), run };
};

it('runs a container of an unknown image, which answers on the ports that the kubelet names, until it is stopped', async () => {
  const { id, state, run } = await setup();
  expect(state).toBe('RUNNING');
  expect(await run('wget', '-q', '--spider', 'http://localhost:8080/any/path')).toBe(0);
  expect(await run('nc', '-z', 'localhost', '8080')).toBe(0);
  await node.call(() => node.cri.stopContainer({ containerId: id, timeout: 30n }));
  expect(await node.state(id)).toBe('EXITED 143 Error');
});

it.each([
  ['a probe of the image', ['/bin/grpc_health_probe', '-addr=:9090'], 0],
  ['a file of the image', ['cat', '/tmp/healthy'], 0],
  [
    'a script that waits for what only the image has',
    ['sh', '-c', 'while [ ! -f /run/up ]; do sleep 1; done'],
    0,
  ],
  ['a port that it does not declare', ['curl', '-sf', 'http://localhost:9200/_cluster/health'], 0],
  [
    'an answer that only its program gives',
    ['sh', '-c', 'wget -qO- http://127.0.0.1:8080/health | grep -q UP'],
    0,
  ],
  ['what is simulated is run', ['sh', '-c', 'exit 3'], 3],
])('an ExecSync in it succeeds: %s', async (_, command, code) => {
  const { run } = await setup();
  expect(await run(...command)).toBe(code);
});

it('takes arguments for those of its entrypoint', async () => {
  const { state } = await setup({ args: ['--verbose'] });
  expect(state).toBe('RUNNING');
});

it.each([
  ['of a Job', {}, { labels: { 'batch.kubernetes.io/job-name': 'x' } }],
  [
    'whose name is that of an init container',
    { metadata: { name: 'init-db', attempt: 0 }, annotations: {} },
    {},
  ],
])('ends with 0 what has to end: a container %s', async (_, config, pod) => {
  const { state } = await setup(config, pod);
  expect(state).toBe('EXITED 0 Completed');
});

it('takes a wait for a host that its script finds out to end', async () => {
  const script = 'until nslookup db.$(head -n 1 /etc/passwd).svc; do sleep 2; done';
  const { state } = await setup({ ...init, command: ['sh', '-c', script] });
  expect(state).toBe('EXITED 0 Completed');
});

it('leaves the images of the catalog as they are', async () => {
  const { state } = await setup({ image: { image: 'busybox:1' }, args: ['sh', '-c', 'exit 4'] });
  expect(state).toBe('EXITED 4 Error');
});

it.each([
  ['privileged', 'EXITED 0 Completed'],
  ['not privileged', 'EXITED 1 Error'],
])('takes for done what a container of busybox does to the node, if it may: %s', async (kind, expected) => {
  const linux = { securityContext: { privileged: kind === 'privileged' } };
  const command = ['nsenter', '--mount=/proc/1/ns/mnt', '--', 'modprobe', 'dummy'];
  const { state } = await setup({ ...init, command, linux }, { linux });
  expect(state).toBe(expected);
});

it.each([
  ['gzip < /etc/passwd > /tmp/passwd.gz', 'EXITED 0 Completed'],
  ['java -version', 'EXITED 127 Error'],
])('takes programs that busybox has and Mockri does not simulate for done: %s', async (script, expected) => {
  const { state } = await setup({ ...init, command: ['sh', '-c', script] });
  expect(state).toBe(expected);
});
