/** What the kubelet keeps in files. `noFiles` keeps nothing: for simulations, whose containers have no real disk. */
export interface KubeletFiles {
  /** Container logs are real files, so that one that is missing is to be opened anew. */
  readonly keepsLogs: boolean;
  /** Log directory of a pod; absolute. */
  podLogDirectory(pod: { readonly namespace: string; readonly name: string; readonly uid: string }): string;
  /** Makes a container's log directory and answers the next attempt by the files in it, 0 without any. */
  nextAttempt(logDirectory: string, container: string): Promise<number>;
  /** Makes an empty file for a container's termination message; undefined when none is kept. */
  newTerminationLog(uid: string, container: string): Promise<string | undefined>;
  /** At most the last 4096 bytes. */
  terminationMessage(hostPath: string): Promise<string>;
  /** Last 80 lines or 2048 bytes of a CRI log file. */
  logTail(logPath: string): Promise<string>;
  /** Host directory of an emptyDir; undefined when none is kept. */
  emptyDir(uid: string, volume: string): Promise<string | undefined>;
  /** Links /var/log/containers to the log; does nothing when none are kept. */
  linkLog(link: LegacyLink): Promise<void>;
  removeLogs(logPath: string, link: LegacyLink): Promise<void>;
  /** Removes everything of a pod that is gone, what is left of its logs too. */
  removePod(pod: { readonly namespace: string; readonly name: string; readonly uid: string }): Promise<void>;
  /** Size in bytes; undefined when the file is not there. */
  logSize(logPath: string): Promise<number | undefined>;
  /** Renames the log to `<log>.<stamp>` and returns a function that undoes it. */
  rotate(logPath: string, stamp: string): Promise<() => Promise<void>>;
  /** Compresses rotated files but the newest, and removes the oldest above `keep`. */
  compressRotated(logPath: string, keep: number): Promise<void>;
}

/** The link `<pod>_<namespace>_<container>-<containerId>.log` to a log (kuberuntime/legacy.go legacyLogSymlink). */
export interface LegacyLink {
  readonly pod: string;
  readonly namespace: string;
  readonly container: string;
  readonly containerId: string;
  readonly logPath: string;
}

const nothing = async () => {};

/** Keeps nothing, and says so: every attempt counts from 0, there is no termination message and no log. */
export const noFiles: KubeletFiles = {
  keepsLogs: false,
  podLogDirectory: ({ namespace, name, uid }) => `/var/log/pods/${namespace}_${name}_${uid}`,
  nextAttempt: async () => 0,
  newTerminationLog: async () => undefined,
  terminationMessage: async () => '',
  logTail: async () => '',
  emptyDir: async () => undefined,
  linkLog: nothing,
  removeLogs: nothing,
  removePod: nothing,
  logSize: async () => undefined,
  rotate: async () => nothing,
  compressRotated: nothing,
};
