import { join } from 'node:path';
import { loadYaml } from '../../input/yaml-document.js';
import { type Guarded, spawnGuarded } from './guarded-process.js';

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
  /** All gates that were asked for. */
  readonly gates: Readonly<Record<string, boolean>>;
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
export function kubeletConfig(options: Omit<KubeletProcessOptions, 'exited'>): string {
  const { directory, endpoint, port, readOnlyPort, gates, config } = options;
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
    featureGates: gates,
  });
}

/** A kubelet that has not been started; its configuration is in `kubelet.yaml` of the directory already. */
export function createKubeletProcess(options: KubeletProcessOptions): KubeletProcess {
  const { program, directory, nodeName, exited } = options;
  let running: Guarded | undefined;
  const kill = () => {
    running?.kill();
    running = undefined;
  };
  return {
    start: () => {
      kill();
      const started = spawnGuarded({
        program,
        args: [
          ...['--config', join(directory, 'kubelet.yaml'), '--root-dir', join(directory, 'root')],
          ...['--cert-dir', join(directory, 'pki'), '--hostname-override', nodeName, '--v=3'],
        ],
        directory,
        log: join(directory, 'kubelet.log'),
        ended: (reason) => {
          if (running === started) exited(reason);
        },
      });
      running = started;
    },
    kill,
  };
}
