import { constants } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, posix } from 'node:path';
import { fileOperations } from '../../base/host/descriptors.js';
import { HostPlaces } from '../../base/host/host-places.js';
import { HostFileError, type HostRoot } from '../../base/host/pinned.js';
import { asFileError, HostNode } from './host-node.js';
import { type LogFile, openHostLog } from './log-file.js';
import type { Vnode } from './vnode.js';

export interface NodeDisk {
  /**
   * Resolves a path; creates a missing directory. `isWritable` lets containers write. Rejects with a text for clients.
   */
  find(path: string, isWritable: boolean): Promise<Place>;
  /** Creates a log file and its directories (0640 and 0755, as containerd does when a container starts). */
  makeLog(path: string): Promise<void>;
  /** Opens a log file, and creates it again if it was moved. Rejects with the system's error. */
  openLog(path: string): Promise<LogFile>;
  /** Undefined means the machine's own pace. */
  readonly logPace?: LogPace | undefined;
}

/** Bytes that a container's log takes at once, and then each second: a container that prints more waits. */
export interface LogPace {
  readonly atOnce: number;
  readonly aSecond: number;
}

/** A mounted path of the node's disk. A later replacement of the path is not mounted. */
export interface Place {
  /** Without links. */
  readonly path: string;
  /** Whether modes and owners determine access. */
  readonly hasPermissions: boolean;
  node(): Promise<Vnode>;
  /** Mount points below it, relative to it, parents first. */
  mountsBelow(): Promise<readonly string[]>;
}

export class HostDisk implements NodeDisk {
  readonly #places: HostPlaces;

  /** `places` know which links belong to containers. */
  constructor(places = new HostPlaces()) {
    this.#places = places;
  }

  async find(path: string, isWritable: boolean): Promise<Place> {
    const root = await fileOperations(() => this.#make(path));
    if (isWritable) await this.#places.write(root);
    return new HostPlace(root);
  }

  async makeLog(path: string): Promise<void> {
    await fileOperations(() => this.#places.make(dirname(path), 0o755));
    const file = await this.openLog(path);
    await file.close();
  }

  openLog(path: string): Promise<LogFile> {
    const { O_APPEND, O_CREAT, O_WRONLY } = constants;
    return openHostLog(path, () => this.#places.open(path, O_WRONLY | O_APPEND | O_CREAT, 0o640));
  }

  /** Rejects with the problem of a link, or with the text of a command. */
  async #make(path: string): Promise<HostRoot> {
    try {
      return await this.#places.make(path);
    } catch (error) {
      if (error instanceof HostFileError) throw error;
      return asFileError(Promise.reject(error));
    }
  }
}

class HostPlace implements Place {
  readonly hasPermissions = false;
  readonly #root: HostRoot;

  constructor(root: HostRoot) {
    this.#root = root;
  }

  get path(): string {
    return this.#root.path;
  }

  node(): Promise<Vnode> {
    return HostNode.mount(this.#root);
  }

  mountsBelow(): Promise<readonly string[]> {
    return hostMountsBelow(this.path);
  }
}

/** The host's mount points below a path without links, relative to it, parents first (/proc/self/mountinfo). */
export async function hostMountsBelow(path: string): Promise<readonly string[]> {
  const table = await readFile('/proc/self/mountinfo', 'utf8').catch(() => '');
  const points = table.split('\n').map((line) => decoded(line.split(' ')[4] ?? ''));
  const below = points.filter((point) => point.startsWith(path === '/' ? '/' : `${path}/`));
  return [...new Set(below)].map((point) => posix.relative(path, point)).sort();
}

const decoded = (point: string): string =>
  point.replace(/\\(\d{3})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 8)));
