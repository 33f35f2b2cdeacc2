// Kills the server or Docker repeatedly under load. Compares the objects that the server then shows with the objects in
// Docker and with the replies to clients: crash.ts server|engine ENGINE_DIR ROUNDS SEED
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createRealClock } from '../../../../src/base/clock/real-clock.js';
import { createRandom } from '../../../../src/base/random/random.js';
import { CallError } from '../../../../src/cri/client/call-error.js';
import { connectCri } from '../../../../src/cri/client/connect.js';
import {
  type Container,
  ContainerState,
  type ContainerStatus,
  type PodSandbox,
} from '../../../../src/cri/gen/runtime/v1/api.js';
import { keepDiskBusy } from './busy-disk.js';
import { startServer } from './server.js';
import { startSlowDocker } from './slow-docker.js';

const [victim = 'server', engine = '', rounds = '50', seed = '1'] = process.argv.slice(2);
const run = promisify(execFile);
const clock = createRealClock();
const random = createRandom(Number(seed));
const directory = await mkdtemp(join(tmpdir(), 'mockri-crash-'));
const endpoint = `unix://${directory}/cri.sock`;
const here = new URL('.', import.meta.url).pathname;
const IMAGE = 'registry.k8s.io/e2e-test-images/busybox:1.29-2';
const LINES = 100;
const allLines = Array.from({ length: LINES }, (_, index) => `line ${index}`);
/** For anything, in ms: finds calls that hang, on a busy machine too. */
const timeout = 60_000;
const WORKERS = 3;
const EXIT_CODE = 3;
/** Writes its lines in about one second, and exits. */
const COUNT = `i=0; while [ $i -lt ${LINES} ]; do echo "line $i"; i=$((i+1)); usleep 8000; done; exit ${EXIT_CODE}`;
const problems: string[] = [];
const problem = (text: string) => {
  problems.push(text);
  console.error(text);
};

/** What a client knew, and its call in progress at the time of the crash. */
interface Known {
  readonly id: string;
  readonly kind: 'sandbox' | 'container';
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  isRemoving: boolean;
  wasStarted: boolean;
  wasStopped: boolean;
  createdAt?: bigint;
  startedAt?: bigint;
  finishedAt?: bigint;
}
const known = new Map<string, Known>();
const counts = { pods: 0, exits: 0, logs: 0, late: 0 };

/** Docker's creation can take longer than a server's start, by at most this, in ms. */
const SLOW = 4000;
const stopProxy = await startSlowDocker(join(directory, 'docker.sock'), engine, (path) =>
  path.includes('/containers/create') && random.next() < 0.5 ? clock.sleep(random.next() * SLOW) : undefined,
);
const start = () => startServer(victim === 'server' ? directory : engine, endpoint);
let server = await start();

/** Docker's create events: those after the listing come from requests of a killed server. */
const told = spawn('docker', [
  ...['-H', `unix://${engine}/docker.sock`, 'events', '--format', '{{.ID}}'],
  ...['--filter', 'event=create', '--filter', 'label=dev.mockri.kind'],
]);
told.stdout.on('data', () => {
  if (hasListed) counts.late++;
});

/** Also after a failure of this script. */
process.on('exit', () => {
  server.kill('SIGKILL');
  told.kill();
});

/** Every fifth kill of the engine also kills containerd, as when all services of a machine are killed. */
async function crash(round: number): Promise<void> {
  if (victim === 'server') {
    server.kill('SIGKILL');
    await once(server, 'exit');
    server = await start();
    hasListed = true;
    return;
  }
  const sources = ['../../lib.sh', '../../programs/docker/engine.sh'].map(
    (file) => `source '${here}/${file}'`,
  );
  const kills = (round % 5 === 0 ? ['containerd', 'dockerd'] : ['dockerd']).map(
    (service) => `kill_service '${engine}' ${service}`,
  );
  await run('bash', ['-c', [...sources, ...kills, `start_engine '${engine}'`].join('; ')]).catch(
    ({ stderr }: { stderr: string }) => {
      console.error(stderr);
      console.error(`the engine did not come back after kill ${round}`);
      process.exit(1);
    },
  );
}

/** A busy disk delays Docker's work until after the kill. A killed engine has such work anyway. */
const restDisk = victim === 'server' ? await keepDiskBusy(directory) : async () => {};
let cri = connectCri(endpoint);
let isCrashing = false;
/** Time in ms of the last pod to its creation, and to the end of its container: kills hit any point of these. */
const times = { making: 0, life: 0 };
/** Whether the server has listed Docker's objects after a kill, so that nothing new appears. */
let hasListed = false;

/** Runs one pod; returns early after the crash. */
async function live(worker: number, turn: number): Promise<void> {
  const begin = clock.elapsed();
  const name = `w${worker}-${turn}`;
  const labels = { worker: String(worker), turn: `${turn}`, text: 'a/b: ü' };
  const metadata = { name, namespace: 'default', uid: name, attempt: 0 };
  const config = { metadata, labels, logDirectory: join(directory, 'logs', name), linux: {} };
  const { podSandboxId } = await cri.runPodSandbox({ config }, { timeout });
  const pod = remember({ id: podSandboxId, kind: 'sandbox', name, labels });
  counts.pods++;
  const container = {
    metadata: { name: 'count', attempt: 0 },
    image: { image: IMAGE },
    command: ['sh', '-c', COUNT],
    logPath: 'count.log',
    labels,
    linux: {},
  };
  const { containerId } = await cri.createContainer(
    { podSandboxId, config: container, sandboxConfig: config },
    { timeout },
  );
  times.making = clock.elapsed() - begin;
  const count = remember({ id: containerId, kind: 'container', name, labels });
  await cri.startContainer({ containerId }, { timeout });
  count.wasStarted = true;
  if (random.next() < 0.3) {
    count.wasStopped = true;
    await clock.sleep(random.next() * 500);
    await cri.stopContainer({ containerId, timeout: 0n }, { timeout });
  }
  for (;;) {
    const { status } = await cri.containerStatus({ containerId }, { timeout });
    if (status !== undefined) note(count, status);
    if (status?.state === ContainerState.CONTAINER_EXITED) break;
    await clock.sleep(50);
  }
  times.life = clock.elapsed() - begin;
  if (random.next() < 0.5) return;
  pod.isRemoving = true;
  count.isRemoving = true;
  await cri.removePodSandbox({ podSandboxId }, { timeout });
  known.delete(pod.id);
  known.delete(count.id);
}

function remember(object: Pick<Known, 'id' | 'kind' | 'name' | 'labels'>): Known {
  const one = { ...object, isRemoving: false, wasStarted: false, wasStopped: false };
  known.set(one.id, one);
  return one;
}

/** Reported times never change. */
function note(one: Known, status: ContainerStatus): void {
  for (const field of ['createdAt', 'startedAt', 'finishedAt'] as const) {
    const before = one[field];
    if (status[field] === 0n) continue;
    if (before !== undefined && before !== status[field])
      problem(`${one.name}: ${field} was ${before}, is ${status[field]}`);
    one[field] = status[field];
  }
}

async function work(worker: number): Promise<void> {
  for (let turn = 0; !isCrashing; turn++) {
    try {
      await live(worker, Math.floor(clock.elapsed() * 1000) + turn);
    } catch (error) {
      if (!(error instanceof CallError) || !isCrashing) problem(`worker ${worker}: ${error}`);
      return;
    }
  }
}

/**
 * The server's objects, once they equal Docker's. Objects requested by a killed server arrive late, and are then
 * removed: with a busy disk both take Docker a while.
 */
async function look(): Promise<{
  items: readonly PodSandbox[];
  containers: readonly Container[];
  shown: ReadonlyMap<string, PodSandbox | Container>;
  inDocker: ReadonlyMap<string, string>;
}> {
  const begin = clock.elapsed();
  for (;;) {
    const { items } = await cri.listPodSandbox({});
    const { containers } = await cri.listContainers({});
    const shown = new Map([...items, ...containers].map((one) => [one.id, one]));
    const inDocker = await listDocker();
    const unseen = [...inDocker.keys()].filter((id) => !shown.has(id));
    const gone = [...shown.keys()].filter((id) => !inDocker.has(id));
    if (unseen.length + gone.length === 0) return { items, containers, shown, inDocker };
    if (clock.elapsed() - begin > timeout) {
      for (const id of unseen) problem(`${id} is in Docker (${inDocker.get(id)}) and not shown`);
      for (const id of gone) problem(`${id} is shown and not in Docker`);
      return { items, containers, shown, inDocker };
    }
    await clock.sleep(50);
  }
}

async function listDocker(): Promise<Map<string, string>> {
  const { stdout } = await run('docker', [
    ...['-H', `unix://${engine}/docker.sock`, 'ps', '-a', '--filter', 'label=dev.mockri.kind'],
    ...['--format', '{{.Label "dev.mockri.id"}} {{.State}}'],
  ]);
  const lines = stdout.split('\n').filter(Boolean);
  return new Map(lines.map((line) => line.split(' ') as [string, string]));
}

async function check(): Promise<void> {
  const { items, containers, shown, inDocker } = await look();
  if (shown.size !== items.length + containers.length) problem('something is shown twice');
  for (const one of known.values()) {
    const item = shown.get(one.id);
    if (item === undefined && !one.isRemoving) problem(`${one.kind} ${one.name} is lost`);
    if (item !== undefined && JSON.stringify(sorted(item.labels)) !== JSON.stringify(sorted(one.labels)))
      problem(`${one.name}: labels are ${JSON.stringify(item.labels)}`);
    if (item === undefined) known.delete(one.id);
  }
  const checks = containers.map(({ id }) =>
    checkContainer(id, inDocker.get(id) ?? '').catch((error: unknown) => {
      if (!isRemoving(id)) problem(`container ${id}: ${error}`);
    }),
  );
  await Promise.all(checks);
}

/** Its removal was requested at the time of the crash, so it can disappear at any time afterwards. */
const isRemoving = (id: string) => known.get(id)?.isRemoving === true;

const sorted = (labels: Readonly<Record<string, string>>) => Object.entries(labels).sort();

async function checkContainer(containerId: string, inDocker: string): Promise<void> {
  const { status } = await cri.containerStatus({ containerId });
  if (status === undefined) return problem(`${containerId} has no status`);
  const one = known.get(containerId);
  if (one !== undefined) note(one, status);
  const { state, exitCode } = status;
  if (one?.wasStarted && state === ContainerState.CONTAINER_CREATED)
    problem(`${one.name} was started, is CREATED`);
  if (inDocker === 'exited' && state === ContainerState.CONTAINER_RUNNING)
    problem(`${containerId}: its exit is lost`);
  if (state !== ContainerState.CONTAINER_EXITED) return;
  counts.exits++;
  const lines = (await readFile(status.logPath, 'utf8').catch(() => '')).split('\n').slice(0, -1);
  const texts = lines.map((line) => line.split(' ').slice(3).join(' '));
  counts.logs += lines.length;
  // Docker itself can lose output that it has read and not yet written, and output during its absence.
  const written = victim === 'engine' ? await linesInDocker(containerId) : allLines;
  const wrong = texts.findIndex((text, index) => text !== written[index]);
  if (wrong >= 0) problem(`${status.logPath}:${wrong + 1}: "${lines[wrong]}" instead of "${written[wrong]}"`);
  if (exitCode === EXIT_CODE && texts.length !== written.length)
    problem(`${status.logPath} has ${texts.length} of ${written.length} lines`);
  if (exitCode !== EXIT_CODE && victim === 'server' && one?.wasStopped === false)
    problem(`${one.name} ended with ${exitCode}`);
}

async function linesInDocker(id: string): Promise<string[]> {
  const { stdout } = await run('docker', ['-H', `unix://${engine}/docker.sock`, 'logs', `mockri-${id}`]);
  return stdout.split('\n').slice(0, -1);
}

await cri.pullImage({ image: { image: IMAGE } });
const stops = new Map<string, number>();
if (victim === 'engine') {
  const follow = async () => {
    for await (const event of cri.getContainerEvents({}))
      if (event.containerEventType === 2)
        stops.set(event.containerId, (stops.get(event.containerId) ?? 0) + 1);
  };
  follow().catch((error: unknown) => problem(`events: ${error}`));
}
await live(0, 0);
for (let round = 1; round <= Number(rounds); round++) {
  isCrashing = false;
  hasListed = false;
  const workers = Array.from({ length: WORKERS }, (_, worker) => work(worker));
  await clock.sleep(random.next() * (round % 2 === 0 ? times.life : times.making));
  isCrashing = true;
  await crash(round);
  if (victim === 'server') {
    cri.close();
    cri = connectCri(endpoint);
  }
  await cri.waitForReady(timeout);
  await Promise.all(workers);
  await untilReady();
  await check();
  // Removes the remains of crashes regularly, so that the rounds stay comparable.
  if (round % 5 === 0 || round === Number(rounds)) await removeAll();
  if (round % 20 === 0) console.error(`${round} of ${rounds} kills, ${problems.length} problems`);
}
for (const [id, times] of stops) if (times > 1) problem(`${id} was reported ${times} times as stopped`);
await check();
if (known.size > 0) problem(`${known.size} objects are left`);
server.kill('SIGTERM');
await once(server, 'exit');
await restDisk();
stopProxy();
await rm(directory, { recursive: true, force: true });
console.log(
  `${rounds} kills of the ${victim} under load, ${counts.pods} pods, ${counts.exits} exits with ${counts.logs} log lines checked, ${counts.late} containers made by Docker after the next listing, ${problems.length} problems`,
);
process.exit(problems.length === 0 ? 0 : 1);

/** Also waits until the remaining containers have ended. */
async function untilReady(): Promise<void> {
  const begin = clock.elapsed();
  while (clock.elapsed() - begin < timeout) {
    const { status } = await cri.status({});
    const isReady = status?.conditions.every((condition) => condition.status);
    const { containers } = await cri.listContainers({
      filter: { state: { state: ContainerState.CONTAINER_RUNNING } },
    });
    if (isReady && containers.length === 0) return;
    await clock.sleep(50);
  }
  problem('containers still run long after the crash, or the runtime is not ready');
}

async function removeAll(): Promise<void> {
  const { items } = await cri.listPodSandbox({});
  for (const one of known.values()) one.isRemoving = true;
  const removals = items.map(({ id }) =>
    cri.removePodSandbox({ podSandboxId: id }, { timeout }).catch((error: unknown) => {
      problem(`removing sandbox ${id}: ${error}`);
    }),
  );
  await Promise.all(removals);
  known.clear();
}
