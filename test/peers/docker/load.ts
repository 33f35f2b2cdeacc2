// 100 pods up and down, one after the other, each beside the same two containers made with the docker command: the time
// that a pod takes, and that nothing is left:  load.ts ENGINE_DIR PODS
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createRealClock } from '../../../src/clock/real-clock.js';
import { connectCri } from '../../../src/cri/client.js';
import { startServer } from './server.js';

const [engine = '', pods = '100'] = process.argv.slice(2);
/** As much longer as the docker command a pod may take. */
const ALLOWED = 1.3;
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

async function left(): Promise<{ containers: number; networks: number; volumes: number; files: number }> {
  const [containers, networks, volumes, files] = await Promise.all([
    docker('ps', '-aq'),
    docker('network', 'ls', '-q'),
    docker('volume', 'ls', '-q'),
    readdir(`/proc/${server.pid}/fd`),
  ]);
  return {
    containers: containers.length,
    networks: networks.length,
    volumes: volumes.length,
    files: files.length,
  };
}

await cri.pullImage({ image: { image: IMAGE } });
for (const name of ['warm-1', 'warm-2']) {
  await throughMockri(name);
  await throughDocker(name);
}
const before = await left();
const times = { mockri: 0, docker: 0 };
const measure = async (who: keyof typeof times, work: () => Promise<void>) => {
  const begin = clock.elapsed();
  await work();
  times[who] += (clock.elapsed() - begin) / Number(pods);
};
for (let pod = 0; pod < Number(pods); pod++) {
  await measure('mockri', () => throughMockri(`pod-${pod}`));
  await measure('docker', () => throughDocker(`pod-${pod}`));
}
// Connections that Docker keeps alive are no leak.
await clock.sleep(6000);
const after = await left();
cri.close();
server.kill('SIGTERM');
await rm(directory, { recursive: true });

const ratio = times.mockri / times.docker;
const grown = (['containers', 'networks', 'volumes'] as const).filter((what) => after[what] > before[what]);
if (after.files > before.files + 5) console.error(`open files: ${before.files} before, ${after.files} after`);
const failed = ratio > ALLOWED || grown.length > 0 || after.files > before.files + 5;
if (grown.length > 0) console.error(`left: ${JSON.stringify({ before, after })}`);
console.log(
  `${pods} pods up, exec and down: ${times.mockri.toFixed(0)} ms a pod, the docker command ${times.docker.toFixed(0)} ms, ratio ${ratio.toFixed(2)}; ${after.files} open files, ${before.files} before`,
);
process.exit(failed ? 1 : 0);
