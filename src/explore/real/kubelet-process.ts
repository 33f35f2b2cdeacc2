import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createWriteStream, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { loadYaml } from '../../input/yaml-document.js';

/** A kubelet program, and how it is configured. */
export interface KubeletProcessOptions {
  readonly program: string;
  /** Everything that it writes is in there. */
  readonly directory: string;
  /** Of the runtime. */
  readonly endpoint: string;
  readonly nodeName: string;
  /** A free port, and another one that answers `/pods` and `/metrics` without authentication. */
  readonly port: number;
  readonly readOnlyPort: number;
  readonly featureGates: Readonly<Record<string, boolean>>;
  /** Fields of a KubeletConfiguration, which replace those that are needed on a machine without containers. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Called when it ends by itself. */
  readonly exited: (reason: string) => void;
}

/** A kubelet process that comes and goes. */
export interface KubeletProcess {
  start(): void;
  /** Kills it, as a crash does; its containers stay. */
  kill(): void;
}

/** Where static pods are put, relative to the directory. */
export const MANIFESTS = 'manifests';

/** The configuration as YAML. Mockri's containers use nothing of the machine, so the kubelet need not guard it. */
export function kubeletConfig(options: KubeletProcessOptions): string {
  const { directory, endpoint, port, readOnlyPort, featureGates, config } = options;
  return loadYaml().stringify({
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    cgroupDriver: 'cgroupfs',
    cgroupsPerQOS: false,
    enforceNodeAllocatable: [],
    failSwapOn: false,
    failCgroupV1: false,
    localStorageCapacityIsolation: false,
    makeIPTablesUtilChains: false,
    imageGCHighThresholdPercent: 100,
    evictionHard: { 'memory.available': '1Mi' },
    ...config,
    containerRuntimeEndpoint: endpoint,
    staticPodPath: join(directory, MANIFESTS),
    podLogsDir: join(directory, 'logs'),
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: 'AlwaysAllow' },
    address: '127.0.0.1',
    port,
    healthzPort: 0,
    readOnlyPort,
    featureGates,
  });
}

/** A kubelet that has not been started; its configuration is in `kubelet.yaml` of the directory already. */
export function createKubeletProcess(options: KubeletProcessOptions): KubeletProcess {
  const { program, directory, nodeName, exited } = options;
  let process: ChildProcess | undefined;
  const kill = () => {
    const running = process;
    process = undefined;
    running?.kill('SIGKILL');
  };
  return {
    start: () => {
      kill();
      const log = createWriteStream(join(directory, 'kubelet.log'), { flags: 'a' });
      const started = spawn(
        program,
        [
          ...['--config', join(directory, 'kubelet.yaml'), '--root-dir', join(directory, 'root')],
          ...['--cert-dir', join(directory, 'pki'), '--hostname-override', nodeName, '--v=3'],
        ],
        { stdio: ['ignore', 'pipe', 'pipe'] },
      );
      process = started;
      started.stdout?.pipe(log, { end: false });
      started.stderr?.pipe(log, { end: false });
      const ended = (reason: string) => {
        log.end();
        if (process === started) exited(reason);
      };
      started.once('error', ({ message }) => ended(message));
      started.once('exit', (code, signal) => ended(`exit code ${code ?? signal}`));
    },
    kill,
  };
}

/** A place can have several mounts, one above the other. */
const MOST_ROUNDS = 10;

/** Removes the directory of a kubelet that was killed: what it has mounted stays until then. */
export function removeFiles(directory: string): void {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const mounted = mountsBelow(directory);
    if (mounted.length === 0) break;
    // At once, although the process may not be gone yet.
    spawnSync('umount', ['--lazy', ...mounted]);
  }
  rmSync(directory, { recursive: true, force: true, maxRetries: 3, retryDelay: 100 });
}

/** Mount points in a directory, the deepest ones first. */
function mountsBelow(directory: string): string[] {
  return readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((place) => place.startsWith(`${directory}/`))
    .reverse();
}
