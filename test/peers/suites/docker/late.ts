// Docker carries out a killed server's request after the next server has listed everything: a proxy in front of Docker
// delays the request until then.  late.ts ENGINE_DIR
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createRealClock } from '../../../../src/base/clock/real-clock.js';
import { connectCri } from '../../../../src/cri/client/connect.js';
import { startServer } from './server.js';
import { startSlowDocker } from './slow-docker.js';

const [engine = ''] = process.argv.slice(2);
const run = promisify(execFile);
const clock = createRealClock();
const directory = await mkdtemp(join(tmpdir(), 'mockri-late-'));
const endpoint = `unix://${directory}/cri.sock`;
const IMAGE = 'registry.k8s.io/e2e-test-images/busybox:1.29-2';
/** Two images: reading each one's files takes one more container. */
const OTHER = 'registry.k8s.io/e2e-test-images/nginx:1.14-2';

/** Which request is delayed next, what is called on its arrival, and until when. */
interface Hold {
  readonly holds: (path: string, body: string) => boolean;
  readonly caught: (done: Promise<void>) => void;
  readonly released: Promise<void>;
}
let hold: Hold | undefined;
const stopProxy = await startSlowDocker(join(directory, 'docker.sock'), engine, (path, body, done) => {
  if (hold?.holds(path, body) !== true) return undefined;
  const { caught, released } = hold;
  hold = undefined;
  caught(done);
  return released;
});

let server = await startServer(directory, endpoint);
process.on('exit', () => server.kill('SIGKILL'));
let cri = connectCri(endpoint);

/** The server is killed before Docker has received its request; Docker gets it when the next server is ready. */
async function killedDuring(holds: Hold['holds'], ask: () => Promise<unknown>): Promise<void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const late = await new Promise<{ readonly done: Promise<void> }>((resolve) => {
    hold = { holds, caught: (done) => resolve({ done }), released };
    ask().then(
      () => fail('a request succeeded that was held back'),
      () => {},
    );
  });
  server.kill('SIGKILL');
  await once(server, 'exit');
  cri.close();
  server = await startServer(directory, endpoint);
  cri = connectCri(endpoint);
  await cri.waitForReady(30_000);
  release();
  await late.done;
}

function fail(text: string): never {
  console.error(text);
  process.exit(1);
}

async function inDocker(): Promise<string[]> {
  const { stdout } = await run('docker', [
    ...['-H', `unix://${engine}/docker.sock`, 'ps', '-a', '--filter', 'label=dev.mockri.kind'],
    ...['--format', '{{.Label "dev.mockri.id"}} {{.State}}'],
  ]);
  return stdout.split('\n').filter(Boolean).sort();
}

/** Waits until Docker has exactly these; prints how long that took. */
async function untilInDocker(what: string, expected: readonly string[]): Promise<void> {
  const begin = clock.elapsed();
  for (;;) {
    const found = await inDocker();
    const took = clock.elapsed() - begin;
    if (found.join() === [...expected].sort().join()) {
      console.log(`${what}: as it should be after ${took.toFixed(0)} ms`);
      return;
    }
    if (took > 30_000)
      fail(`${what}: Docker has ${found.join(', ') || 'nothing'}, not ${expected.join(', ')}`);
    await clock.sleep(20);
  }
}

const creates = (kind: string) => (path: string, body: string) =>
  path.includes('/containers/create') && body.includes(`"dev.mockri.kind":"${kind}"`);
const timeout = 60_000;
const sandbox = (name: string) => ({
  metadata: { name, namespace: 'default', uid: name, attempt: 0 },
  logDirectory: join(directory, 'logs', name),
  linux: {},
});
const container = (image: string) => ({
  metadata: { name: 'app', attempt: 0 },
  image: { image },
  command: ['sleep', '1000'],
  logPath: 'app.log',
  linux: {},
});
await Promise.all([IMAGE, OTHER].map((image) => cri.pullImage({ image: { image } }, { timeout })));

await killedDuring(creates('sandbox'), () => cri.runPodSandbox({ config: sandbox('late') }, { timeout }));
await untilInDocker('a sandbox', []);

const config = sandbox('pod');
const { podSandboxId } = await cri.runPodSandbox({ config }, { timeout });
const create = (image: string) =>
  cri.createContainer({ podSandboxId, config: container(image), sandboxConfig: config }, { timeout });
const pod = `${podSandboxId} running`;
await killedDuring(creates('container'), () => create(IMAGE));
await untilInDocker('a container', [pod]);
await killedDuring(creates('probe'), () => create(OTHER));
await untilInDocker('a look into an image', [pod]);

const { containerId } = await create(IMAGE);
await killedDuring(
  (path) => path.endsWith('/start'),
  () => cri.startContainer({ containerId }, { timeout }),
);
// Its client got an error for the start.
await untilInDocker('the start of a container', [pod, `${containerId} exited`]);
await cri.startContainer({ containerId }, { timeout });
await untilInDocker('its start by the next server', [pod, `${containerId} running`]);

await cri.removePodSandbox({ podSandboxId }, { timeout });
await untilInDocker('all removed', []);
cri.close();
server.kill('SIGTERM');
await once(server, 'exit');
stopProxy();
await rm(directory, { recursive: true, force: true });
console.log('what Docker does late for a killed server leaves nothing behind');
process.exit(0);
