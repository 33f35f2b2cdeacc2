import { join } from 'node:path';
import { type ConfigurationOptions, kubeletConfiguration } from '../kubelet-configuration.js';
import { type Guarded, spawnGuarded } from './guarded-process.js';

/** A kubelet program, and how it is configured. */
export interface KubeletProcessOptions extends ConfigurationOptions {
  readonly program: string;
  /** Everything that it writes is in there. */
  readonly directory: string;
  readonly nodeName: string;
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

/** The configuration of a kubelet that keeps all its files in its directory, as YAML. */
export const kubeletConfig = ({ directory, ...options }: Omit<KubeletProcessOptions, 'exited'>): string =>
  kubeletConfiguration(options, {
    staticPodPath: join(directory, MANIFESTS),
    podLogsDir: join(directory, 'logs'),
  });

/** Makes the process of a kubelet program, which reads `kubelet.yaml` of its directory when it starts. */
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
