import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ContainerConfig, PodSandboxConfig } from '../../cri/gen/runtime/v1/api.js';
import type { Names } from './names.js';

export interface HostPaths {
  /** The config of a sandbox, whose logs go below the given directory. */
  sandbox(config: PodSandboxConfig): PodSandboxConfig;
  /** The config of a container; empty files below the directory replace those that a kubelet created for its pod. */
  container(config: ContainerConfig, sandbox: PodSandboxConfig | undefined): ContainerConfig;
}

/**
 * Puts logs, and a kubelet's files of a pod, below `directory`: recorded paths of a pod contain its uid
 * (kubelet_getters.go, getPodDir). Other host paths stay.
 */
export function createHostPaths(directory: string, names: Names): HostPaths {
  let count = 0;
  const moved = (recorded: string): string => {
    const known = names.liveOf(recorded);
    if (known !== undefined) return known;
    const live = join(directory, String(++count).padStart(6, '0'));
    names.set(recorded, live);
    return live;
  };
  const standIn = (hostPath: string): string => {
    const isNew = names.liveOf(hostPath) === undefined;
    const live = moved(hostPath);
    if (isNew && hostPath.includes('/volumes/')) mkdirSync(live, { recursive: true, mode: 0o777 });
    else if (isNew) writeFileSync(live, '', { mode: 0o666 });
    return live;
  };
  return {
    sandbox: (config) => {
      const { logDirectory } = config;
      if (logDirectory === '') return config;
      const live = moved(logDirectory);
      mkdirSync(live, { recursive: true });
      return { ...config, logDirectory: live };
    },
    container: (config, sandbox) => {
      const uid = sandbox?.metadata?.uid;
      const logs = sandbox?.logDirectory && names.liveOf(sandbox.logDirectory);
      if (logs && config.logPath !== '') mkdirSync(dirname(join(logs, config.logPath)), { recursive: true });
      const mounts = config.mounts.map((mount) =>
        uid && mount.hostPath.includes(uid) ? { ...mount, hostPath: standIn(mount.hostPath) } : mount,
      );
      return { ...config, mounts };
    },
  };
}
