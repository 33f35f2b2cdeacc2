export interface FileUser {
  readonly pid: number;
  readonly cwd: string;
  /** Permission bits that new files do not get (umask(2)). */
  readonly umask: number;
  readonly user: { readonly uid: number; readonly gid: number; readonly groups: readonly number[] };
  /**
   * Counts bytes of reads and writes; rejects once the process has been killed. The runtime's own view has no such
   * function.
   */
  work?(bytes: number): Promise<void>;
  /** Undefined if the process may continue immediately, otherwise resolves when it may; throws once it is killed. */
  turn?(): Promise<void> | undefined;
  /** Closes it when the process ends, unless it is released before. */
  hold?(opened: Closable): void;
  release?(opened: Closable): void;
}

export interface Closable {
  close(): Promise<void>;
}

/** statfs(2), in bytes. */
export interface Space {
  readonly size: number;
  readonly used: number;
  /** For users other than root. */
  readonly available: number;
}

/** stat(2), with the fields that commands use. */
export interface FileStat {
  readonly kind: 'file' | 'directory' | 'symlink' | 'device' | 'pipe';
  /** Permission bits, with setuid, setgid and sticky. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Bytes. */
  readonly size: number;
  /** Unix nanoseconds. */
  readonly modifiedAt: bigint;
  /** Equal numbers mean the same file, within one mount. */
  readonly inode: number;
  readonly links: number;
}
