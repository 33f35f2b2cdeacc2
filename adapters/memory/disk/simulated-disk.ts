import { basename, dirname, join } from 'node:path';
import type { Account } from '../../../src/base/input/account.js';
import type { KubeletFiles } from '../../../src/kubelet/disk/files.js';
import { logMessage } from '../../../src/kubelet/disk/log-files.js';
import { attemptAfter, createNodeFiles } from '../../../src/kubelet/disk/node-files.js';
import type { LogFile } from '../../../src/linux/fs/log-file.js';
import { MemoryDisk } from '../../../src/linux/fs/memory-disk.js';
import { HostDisk, type NodeDisk } from '../../../src/linux/fs/node-disk.js';
import { createMemoryFiles } from './memory-files.js';

export interface SimulatedDiskOptions {
  /** In Unix nanoseconds. */
  readonly now: () => bigint;
  /** The account that pays for the files in memory. */
  readonly account: Account;
  readonly podLogsDir: string;
}

const EMPTY = Buffer.alloc(0);
/** Bytes of a log that stay in memory. */
const MOST_WAITING = 4096;

/** A log whose first bytes wait in memory until somebody reads it or there are more. */
class SimulatedLog {
  readonly #path: string;
  readonly #host: HostDisk;
  readonly #account: Account;
  #waiting: Buffer = EMPTY;
  #made: Promise<void> | undefined;
  #isGone = false;

  constructor(path: string, host: HostDisk, account: Account) {
    this.#path = path;
    this.#host = host;
    this.#account = account;
  }

  /** Undefined if the log already is a file of this machine. */
  get waiting(): Buffer | undefined {
    return this.#made === undefined ? this.#waiting : undefined;
  }

  /** Resolves when the file on this machine contains everything written so far. */
  make(): Promise<void> {
    this.#made ??= this.#write().catch((error) => {
      this.#made = undefined;
      throw error;
    });
    return this.#made;
  }

  async #write(): Promise<void> {
    await this.#host.makeLog(this.#path);
    const file = await this.#host.openLog(this.#path);
    await file.appendFile(this.#waiting).finally(() => file.close());
    this.#forget();
  }

  /** Its writer may still be active. */
  remove(): void {
    this.#isGone = true;
    this.#forget();
  }

  #forget(): void {
    this.#account.take(-this.#waiting.length);
    this.#waiting = EMPTY;
  }

  open(): LogFile {
    let file: LogFile | undefined;
    return {
      appendFile: async (chunk) => {
        if (this.#isGone || this.#keep(chunk)) return;
        await this.make();
        file ??= await this.#host.openLog(this.#path);
        await file.appendFile(chunk);
      },
      close: async () => file?.close(),
    };
  }

  #keep(chunk: Buffer): boolean {
    if (this.#made !== undefined || this.#waiting.length + chunk.length > MOST_WAITING) return false;
    if (!this.#account.take(chunk.length)) return false;
    this.#waiting = Buffer.concat([this.#waiting, chunk]);
    return true;
  }
}

/**
 * A node's disk, for its runtime and its kubelet. Volumes are in memory. A log becomes a file of this machine when
 * somebody reads it or it is long: most logs of most pods stay empty.
 */
export function createSimulatedDisk({ now, account, podLogsDir }: SimulatedDiskOptions): {
  readonly disk: NodeDisk;
  readonly files: KubeletFiles;
} {
  const memory = MemoryDisk.ofNode(now, account);
  const host = new HostDisk();
  const inMemory = createMemoryFiles(memory);
  const onHost = createNodeFiles({ rootDir: podLogsDir, podLogsDir });
  /** By container directory and name. */
  const logs = new Map<string, Map<string, SimulatedLog>>();
  const logAt = (path: string) => logs.get(dirname(path))?.get(basename(path));
  const addLog = (path: string): SimulatedLog => {
    const known = logAt(path);
    if (known !== undefined) return known;
    const log = new SimulatedLog(path, host, account);
    const own = logs.get(dirname(path)) ?? new Map<string, SimulatedLog>();
    logs.set(dirname(path), own.set(basename(path), log));
    return log;
  };
  return {
    disk: {
      find: (path) => memory.find(path),
      makeLog: async (path) => void addLog(path),
      openLog: async (path) => {
        const log = addLog(path);
        return log.waiting === undefined ? host.openLog(path) : log.open();
      },
    },
    files: {
      ...inMemory,
      keepsLogs: true,
      podLogDirectory: onHost.podLogDirectory,
      nextAttempt: async (directory, container) =>
        attemptAfter([...(logs.get(join(directory, container))?.keys() ?? [])]),
      logTail: async (path) => {
        const waiting = logAt(path)?.waiting;
        return waiting === undefined ? onHost.logTail(path) : logMessage(waiting.toString());
      },
      openLog: async (path) => {
        await logAt(path)?.make();
        return onHost.openLog(path);
      },
      logSize: async (path) => logAt(path)?.waiting?.length ?? onHost.logSize(path),
      rotate: async (path, stamp) => {
        await logAt(path)?.make();
        return onHost.rotate(path, stamp);
      },
      compressRotated: onHost.compressRotated,
      removeLogs: async (path) => {
        const [log, own] = [logAt(path), logs.get(dirname(path))];
        own?.delete(basename(path));
        if (own?.size === 0) logs.delete(dirname(path));
        if (log?.waiting === undefined) await onHost.removeLogs(path);
        log?.remove();
      },
      removePod: async (pod) => {
        await inMemory.removePod(pod);
        const directory = onHost.podLogDirectory(pod);
        let hasFiles = false;
        for (const [container, own] of logs) {
          if (dirname(container) !== directory) continue;
          for (const log of own.values()) {
            hasFiles ||= log.waiting === undefined;
            log.remove();
          }
          logs.delete(container);
        }
        if (hasFiles) await onHost.removePod(pod);
      },
    },
  };
}
