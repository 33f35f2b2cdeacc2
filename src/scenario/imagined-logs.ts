import type { Backend } from '../engine/backend.js';
import { type KubeletFiles, noFiles } from '../kubelet/runtime/files.js';

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
  const newest = new Map<string, number>();
  const open = (path = ''): void => {
    const [, directory, attempt] = /^(.*)\/(\d+)\.log$/.exec(path) ?? [];
    if (directory !== undefined) newest.set(directory, Math.max(newest.get(directory) ?? 0, Number(attempt)));
  };
  return {
    files: {
      ...noFiles,
      nextAttempt: async (directory, name) => (newest.get(`${directory}/${name}`) ?? -1) + 1,
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
