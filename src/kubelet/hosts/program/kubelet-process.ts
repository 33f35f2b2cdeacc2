import { join } from 'node:path';
import { type ConfigurationOptions, kubeletConfiguration } from '../kubelet-configuration.js';
import { type Guarded, spawnGuarded } from './guarded-process.js';

export interface KubeletProcessOptions extends ConfigurationOptions {
  readonly program: string;
  readonly directory: string;
  readonly nodeName: string;
  readonly exited: (reason: string) => void;
}

export interface KubeletProcess {
  start(): void;
  /** Kills it like a crash; its containers stay. */
  kill(): void;
}

/** Directory of static pods, relative to the kubelet's. */
export const MANIFESTS = 'manifests';

/** Returns YAML. The kubelet keeps all its files in its directory. */
export const kubeletConfig = ({ directory, ...options }: Omit<KubeletProcessOptions, 'exited'>): string =>
  kubeletConfiguration(options, {
    staticPodPath: join(directory, MANIFESTS),
    podLogsDir: join(directory, 'logs'),
    // They show /var/log, and other users of this machine reach the port.
    enableDebuggingHandlers: false,
  });

/** The kubelet reads `kubelet.yaml` in its directory when it starts. */
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
