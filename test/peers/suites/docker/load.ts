// Runs many pods, some in parallel, alternating with the same two containers created by the docker command. Measures
// the time per pod, and checks that nothing is left in Docker or dockerd: load.ts ENGINE_DIR PODS
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createRealClock } from '../../../../src/base/clock/real-clock.js';
import { connectCri } from '../../../../src/cri/client/connect.js';
import { startServer } from './server.js';

const [engine = '', pods = '100'] = process.argv.slice(2);
/** Maximum ratio of a pod's time to the docker command's. */
const ALLOWED = 1.3;
const AT_ONCE = 5;
const IMAGE = 'registry.k8s.io/e2e-test-images/busybox:1.29-2';
const PAUSE = 'registry.k8s.io/pause:3.9';
const clock = createRealClock();
const run = promisify(execFile);
const directory = await mkdtemp(join(tmpdir(), 'mockri-load-'));
const endpoint = `unix://${directory}/cri.sock`;
const server = await startServer(engine, endpoint);
const cri = connectCri(endpoint);

const docker = async (...args: string[]): Promise<string[]> =>
  (await run('docker', ['-H', `unix://${engine}/docker.sock`, ...args])).stdout.split('\n').filter(Boolean);

async function throughMockri(name: string): Promise<void> {
  const metadata = { name, namespace: 'default', uid: name, attempt: 0 };
  const config = { metadata, logDirectory: join(directory, name), linux: {} };
  const { podSandboxId } = await cri.runPodSandbox({ config });
  const container = {
    metadata: { name: 'app', attempt: 0 },
    image: { image: IMAGE },
    command: ['sleep', '1000'],
    logPath: 'app.log',
  };
  const { containerId } = await cri.createContainer({
    podSandboxId,
    config: container,
    sandboxConfig: config,
  });
  await cri.startContainer({ containerId });
  const { exitCode } = await cri.execSync({ containerId, cmd: ['true'], timeout: 10n });
  if (exitCode !== 0) throw new Error(`exec ended with ${exitCode}`);
  await cri.removePodSandbox({ podSandboxId });
}

async function throughDocker(name: string): Promise<void> {
  await docker(
    'run',
    '-d',
    '--name',
    name,
    '--ipc',
    'shareable',
    '--security-opt',
    'seccomp=unconfined',
    PAUSE,
  );
  const joined = ['network', 'ipc', 'pid'].flatMap((namespace) => [`--${namespace}`, `container:${name}`]);
  const open = ['--security-opt', 'seccomp=unconfined'];
  await docker('run', '-d', '--name', `${name}-app`, ...joined, ...open, IMAGE, 'sleep', '1000');
  await docker('exec', `${name}-app`, 'true');
  await docker('rm', '-fv', `${name}-app`);
  await docker('rm', '-fv', name);
}

/** Allowed growth of each resource after the run. */
const allowedGrowth = { containers: 0, networks: 0, volumes: 0, files: 5, engineFiles: 10, goroutines: 10 };
type Counts = Record<keyof typeof allowedGrowth, number>;

async function count(): Promise<Counts> {
  const [containers, networks, volumes, files, [engine = '']] = await Promise.all([
    docker('ps', '-aq'),
    docker('network', 'ls', '-q'),
    docker('volume', 'ls', '-q'),
    readdir(`/proc/${server.pid}/fd`),
    docker('info', '--format', '{{.NFd}} {{.NGoroutines}}'),
  ]);
  const [engineFiles = 0, goroutines = 0] = engine.split(' ').map(Number);
  return {
    containers: containers.length,
    networks: networks.length,
    volumes: volumes.length,
    files: files.length,
    engineFiles,
    goroutines,
  };
}

await cri.pullImage({ image: { image: IMAGE } });
for (const name of ['warm-1', 'warm-2']) {
  await throughMockri(name);
  await throughDocker(name);
}
// Waits until Docker has closed idle connections; they are not a leak.
const settled = async () => {
  await clock.sleep(6000);
  return count();
};
const before = await settled();
const times = { mockri: 0, docker: 0 };
const measure = async (
  who: keyof typeof times,
  names: readonly string[],
  work: (name: string) => Promise<void>,
) => {
  const begin = clock.elapsed();
  await Promise.all(names.map(work));
  times[who] += (clock.elapsed() - begin) / Number(pods);
};
const names = Array.from({ length: Number(pods) }, (_, index) => `pod-${index}`);
for (let begin = 0; begin < names.length; begin += AT_ONCE) {
  const turn = names.slice(begin, begin + AT_ONCE);
  await measure('mockri', turn, throughMockri);
  await measure('docker', turn, throughDocker);
}
const after = await settled();
cri.close();
server.kill('SIGTERM');
await rm(directory, { recursive: true });

const ratio = times.mockri / times.docker;
const kinds = Object.keys(allowedGrowth) as (keyof Counts)[];
const leaks = kinds.filter((kind) => after[kind] > before[kind] + allowedGrowth[kind]);
for (const kind of leaks) console.error(`${kind}: ${before[kind]} before, ${after[kind]} after`);
console.log(
  `${pods} pods up, exec and down, ${AT_ONCE} at once: ${times.mockri.toFixed(0)} ms a pod, the docker command ${times.docker.toFixed(0)} ms, ratio ${ratio.toFixed(2)}; ${after.files} open files (${before.files} before), dockerd ${after.engineFiles} (${before.engineFiles}), ${after.goroutines} goroutines (${before.goroutines})`,
);
process.exit(ratio > ALLOWED || leaks.length > 0 ? 1 : 0);
