import type { FileHandle } from 'node:fs/promises';
import type { Volume } from '../kubernetes/volumes.js';

/** The kubelet's files: on this machine's disk, in memory for a simulation, or nowhere (`noFiles`). */
export interface KubeletFiles {
  /** Container logs are real files, so a missing log must be reopened. */
  readonly keepsLogs: boolean;
  /** Log directory of a pod; absolute. */
  podLogDirectory(pod: { readonly namespace: string; readonly name: string; readonly uid: string }): string;
  /**
   * Creates a container's log directory and returns the next attempt according to the files in it, 0 if it is empty.
   */
  nextAttempt(logDirectory: string, container: string): Promise<number>;
  /** Creates an empty file for a container's termination message; undefined when files are not stored. */
  newTerminationLog(uid: string, container: string): Promise<string | undefined>;
  /** Writes a pod's hosts file; returns its path, undefined when files are not stored. */
  writeHosts(uid: string, text: string): Promise<string | undefined>;
  /** The node's own /etc/hosts; empty when there is none. */
  nodeHosts(): Promise<string>;
  /** At most the last 4096 bytes. */
  terminationMessage(hostPath: string): Promise<string>;
  /** Last 80 lines or 2048 bytes of a CRI log file. */
  logTail(logPath: string): Promise<string>;
  /** Opens a log to read it; the caller closes it. */
  openLog(logPath: string): Promise<FileHandle>;
  /** Host directory of a volume; undefined for a directory of the pod when files are not stored. */
  volume(owner: VolumeOwner, volume: Volume): Promise<string | undefined>;
  /**
   * Makes these the files of a pod's volume, by path, which may have directories; others are removed. Does nothing when
   * they are already, or when files are not stored. `now` is in Unix nanoseconds.
   */
  writeVolume(
    owner: VolumeOwner,
    volume: Volume,
    files: ReadonlyMap<string, VolumeFile>,
    now: bigint,
  ): Promise<void>;
  /** What to mount of a volume; creates a directory if there is nothing. Rejects for a way that leaves the volume. */
  subPath(mount: SubPath): Promise<string>;
  /** Bytes that a volume of a pod takes on the disk. */
  usage(uid: string, volume: Volume): Promise<bigint>;
  /** Removes what is in the directories of a pod that has ended; what it shares with others stays. */
  removeVolumes(uid: string): Promise<void>;
  removeLogs(logPath: string): Promise<void>;
  /** Removes all files of a removed pod, including its remaining logs. */
  removePod(pod: { readonly namespace: string; readonly name: string; readonly uid: string }): Promise<void>;
  /** Size in bytes; undefined when the file does not exist. */
  logSize(logPath: string): Promise<number | undefined>;
  /** Renames the log to `<log>.<stamp>` and returns a function that undoes it. */
  rotate(logPath: string, stamp: string): Promise<() => Promise<void>>;
  /** Compresses all rotated files except the newest, and removes the oldest above `keep`. */
  compressRotated(logPath: string, keep: number): Promise<void>;
}

/** The pod of a volume. */
export interface VolumeOwner {
  readonly uid: string;
  readonly namespace: string;
  /** The group of the volume's files; undefined leaves them root's. */
  readonly fsGroup?: number | undefined;
}

/** A file of a volume that the kubelet fills; `mode` is its permission bits. */
export interface VolumeFile {
  readonly content: Buffer;
  readonly mode: number;
}

/** A part of a volume that a container mounts. */
export interface SubPath {
  readonly uid: string;
  readonly volume: string;
  readonly container: string;
  /** Of the mount in the container. */
  readonly index: number;
  /** Of the volume. */
  readonly hostPath: string;
  /** In the volume. */
  readonly path: string;
}

const nothing = async () => {};

/** Stores nothing: every attempt starts at 0, and there are no termination messages and no logs. */
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
  removeVolumes: nothing,
  removeLogs: nothing,
  removePod: nothing,
  logSize: async () => undefined,
  rotate: async () => nothing,
  compressRotated: nothing,
};
