import type { Backend } from '../../engine/backend.js';
import { type KubeletFiles, noFiles } from '../../kubelet/disk/files.js';

/**
 * The log files of a simulation, of which nothing but the names is kept. A kubelet that knows nothing of a container
 * reads its attempt number from them.
 */
export function createImaginedLogs(): {
  readonly files: KubeletFiles;
  /** The backend, writing no log on this machine's disk. */
  within(backend: Backend): Backend;
} {
  const logs = new Map<string, string>();
  /** Attempts whose log is there, by the container's directory. */
  const attempts = new Map<string, Set<number>>();
  const split = (path: string): readonly [directory: string, attempt: number] => {
    const [, directory = path, attempt] = /^(.*)\/(\d+)\.log$/.exec(path) ?? [];
    return [directory, Number(attempt)];
  };
  const open = (path = ''): void => {
    const [directory, attempt] = split(path);
    if (!Number.isNaN(attempt)) attempts.set(directory, (attempts.get(directory) ?? new Set()).add(attempt));
  };
  return {
    files: {
      ...noFiles,
      nextAttempt: async (directory, name) =>
        Math.max(-1, ...(attempts.get(`${directory}/${name}`) ?? [])) + 1,
      removeLogs: async (path) => {
        const [directory, attempt] = split(path);
        attempts.get(directory)?.delete(attempt);
      },
      removePod: async (pod) => {
        const directory = `${noFiles.podLogDirectory(pod)}/`;
        for (const each of attempts.keys()) if (each.startsWith(directory)) attempts.delete(each);
      },
    },
    within: (backend) => ({
      ...backend,
      createContainer: (spec, call) => {
        if (spec.logPath !== undefined) logs.set(spec.id, spec.logPath);
        return backend.createContainer({ ...spec, logPath: undefined }, call);
      },
      // As in containerd, the file is there from the start of the container, not from its creation.
      startContainer: async (id, call) => {
        await backend.startContainer(id, call);
        open(logs.get(id));
        logs.delete(id);
      },
    }),
  };
}
