import type { FileHandle } from 'node:fs/promises';
import type { Volume } from '../kubernetes/volumes.js';
import type { PodIdentity } from '../types/reports.js';

/** The kubelet's files: on this machine's disk, in memory for a simulation, or nowhere (`noFiles`). */
export interface KubeletFiles {
  /** Container logs are real files, so a missing log must be reopened. */
  readonly keepsLogs: boolean;
  /** Absolute. */
  podLogDirectory(pod: PodIdentity): string;
  /** Creates a container's log directory. Returns the next attempt, derived from its files; 0 if it is empty. */
  nextAttempt(logDirectory: string, container: string): Promise<number>;
  /** Creates an empty file; undefined when files are not stored. */
  newTerminationLog(uid: string, container: string): Promise<string | undefined>;
  /** Returns the file's path; undefined when files are not stored. */
  writeHosts(uid: string, text: string): Promise<string | undefined>;
  /** The node's own /etc/hosts; empty without one. */
  nodeHosts(): Promise<string>;
  /** At most the last 4096 bytes. */
  terminationMessage(hostPath: string): Promise<string>;
  /** Last 80 lines or 2048 bytes of a CRI log file. */
  logTail(logPath: string): Promise<string>;
  /** The caller closes the file. */
  openLog(logPath: string): Promise<FileHandle>;
  /** Host directory of a volume; undefined for a directory of the pod when files are not stored. */
  volume(owner: VolumeOwner, volume: Volume): Promise<string | undefined>;
  /** Replaces a volume's files; paths may contain directories. Ignores unchanged ones. `now` is in Unix nanoseconds. */
  writeVolume(
    owner: VolumeOwner,
    volume: Volume,
    files: ReadonlyMap<string, VolumeFile>,
    now: bigint,
  ): Promise<void>;
  /** Returns the host path to mount; creates a missing directory. Rejects for a path that leaves the volume. */
  subPath(mount: SubPath): Promise<string>;
  /** Bytes on disk. */
  usage(uid: string, volume: Volume): Promise<bigint>;
  /** Bytes on disk of the logs of a pod's container, also of rotated ones. */
  logUsage(pod: PodIdentity, container: string): Promise<bigint>;
  /** Empties the volumes of a pod that has ended; those it shares with others stay. */
  removeVolumes(uid: string): Promise<void>;
  removeLogs(logPath: string): Promise<void>;
  removePod(pod: PodIdentity): Promise<void>;
  /** In bytes; undefined when the file does not exist. */
  logSize(logPath: string): Promise<number | undefined>;
  /** Renames the log to `<log>.<stamp>` and returns a function that undoes it. */
  rotate(logPath: string, stamp: string): Promise<() => Promise<void>>;
  /** Compresses all rotated files except the newest, and removes the oldest above `keep`. */
  compressRotated(logPath: string, keep: number): Promise<void>;
}

export interface VolumeOwner {
  readonly uid: string;
  readonly namespace: string;
  /** Group of the volume's files; undefined means root. */
  readonly fsGroup?: number | undefined;
}

/** `mode` holds permission bits. */
export interface VolumeFile {
  readonly content: Buffer;
  readonly mode: number;
}

export interface SubPath {
  readonly uid: string;
  readonly volume: string;
  readonly container: string;
  readonly index: number;
  readonly hostPath: string;
  readonly path: string;
}

const nothing = async () => {};

/** Stores nothing: every attempt starts at 0, without termination messages and logs. */
export const noFiles: KubeletFiles = {
  keepsLogs: false,
  podLogDirectory: ({ namespace, name, uid }) => `/var/log/pods/${namespace}_${name}_${uid}`,
  nextAttempt: async () => 0,
  newTerminationLog: async () => undefined,
  writeHosts: async () => undefined,
  nodeHosts: async () => '',
  terminationMessage: async () => '',
  logTail: async () => '',
  openLog: async (logPath) => {
    throw new Error(`${logPath} is not stored`);
  },
  volume: async (_owner, { hostPath }) => hostPath?.path,
  writeVolume: nothing,
  subPath: async ({ hostPath, path }) => `${hostPath}/${path}`,
  usage: async () => 0n,
  logUsage: async () => 0n,
  removeVolumes: nothing,
  removeLogs: nothing,
  removePod: nothing,
  logSize: async () => undefined,
  rotate: async () => nothing,
  compressRotated: nothing,
};
