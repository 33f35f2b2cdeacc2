import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

const MIB = 1024 * 1024;

/**
 * A memory budget in bytes: of the node, a part of the server, or a container. It also draws from its parent, except
 * for bytes that the parent has reserved for it.
 */
export class Account {
  readonly limit: number;
  readonly #parent: Account | undefined;
  readonly #reserved: number;
  #used = 0;
  #isClosed = false;

  constructor(limit = Number.POSITIVE_INFINITY, parent?: Account, reserved = 0) {
    this.limit = limit;
    this.#parent = parent;
    this.#reserved = reserved;
  }

  get used(): number {
    return this.#used;
  }

  /** Takes bytes, or returns a negative number of them. False if there are not enough; nothing is taken then. */
  take(bytes: number): boolean {
    if (this.#isClosed) return bytes <= 0;
    const after = this.#used + bytes;
    if (bytes > 0 && after > this.limit) return false;
    const reserved = this.#reserved;
    const shared = Math.max(0, after - reserved) - Math.max(0, this.#used - reserved);
    if (shared !== 0 && this.#parent?.take(shared) === false) return false;
    this.#used = after;
    return true;
  }

  /** Returns everything. It can take nothing after this. */
  close(): void {
    this.take(-this.#used);
    this.#isClosed = true;
  }
}

/** Part of a node's memory as fractions, and what happens when it is exhausted. */
interface Share {
  readonly what: string;
  readonly most: number;
  /** Reserved for this part. */
  readonly reserved: number;
  readonly beyond: string;
}

/** Users of a node's memory. docs/limits.md has them as a table. */
export const shares = {
  processes: {
    what: 'Memory of processes in containers',
    most: 3 / 4,
    reserved: 1 / 16,
    beyond: 'OOM kill of the process that asks for more',
  },
  files: {
    what: 'Files of containers: layers, `/dev`, `/dev/shm`',
    most: 1 / 2,
    reserved: 1 / 32,
    beyond: '`No space left on device`',
  },
  requests: {
    what: 'Requests and unread replies of the CRI',
    most: 1 / 2,
    reserved: 1 / 16,
    beyond: 'The connection that holds the most is reset',
  },
  objects: {
    what: 'Sandboxes and containers, also as plugins made and see them',
    most: 1 / 2,
    reserved: 1 / 16,
    beyond: '`RESOURCE_EXHAUSTED` for a new one',
  },
  images: {
    what: 'Images',
    most: 1 / 8,
    reserved: 1 / 64,
    beyond: '`RESOURCE_EXHAUSTED` for a pull',
  },
  outputs: {
    what: 'Output of `ExecSync` calls in progress',
    most: 1 / 4,
    reserved: 1 / 64,
    beyond: '`RESOURCE_EXHAUSTED`; the command is killed',
  },
  events: {
    what: 'Events that wait for subscribers',
    most: 1 / 8,
    reserved: 1 / 64,
    beyond: 'The subscriber is disconnected: `RESOURCE_EXHAUSTED`',
  },
  streams: {
    what: 'Unread bytes of exec, attach and port-forward',
    most: 1 / 4,
    reserved: 1 / 64,
    beyond: 'The connection is reset',
  },
  control: {
    what: 'Bodies and unread replies of control requests',
    most: 1 / 4,
    reserved: 1 / 64,
    beyond: '503 for a new request',
  },
  plugins: {
    what: 'Messages that wait for plugins',
    most: 1 / 8,
    reserved: 1 / 64,
    beyond: 'The connection of the plugin is closed',
  },
} as const satisfies Readonly<Record<string, Share>>;

export type ShareName = keyof typeof shares;

export type Accounts = Readonly<Record<ShareName, Account>>;

/** In bytes: a quarter of the memory of Node.js and the machine, at most 512 MiB. */
export function defaultMemoryLimit(): number {
  const constrained = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  const available = Math.min(totalmem(), constrained, getHeapStatistics().heap_size_limit);
  return Math.min(512 * MIB, Math.floor(available / 4));
}

export function openAccounts(limit = defaultMemoryLimit()): Accounts {
  const entries = Object.entries<Share>(shares);
  const reserved = entries.reduce((sum, [, share]) => sum + share.reserved, 0);
  const shared = new Account(limit * (1 - reserved));
  const accounts = entries.map(
    ([name, share]) => [name, new Account(limit * share.most, shared, limit * share.reserved)] as const,
  );
  return Object.fromEntries(accounts) as Record<ShareName, Account>;
}

/** Bytes of an object, list or map, and of each slot in it. */
const [OBJECT, SLOT] = [64, 16];

/** Approximate memory of a value, such as a decoded message: many small values take more than their wire form. */
export function memoryOf(value: unknown): number {
  if (typeof value === 'string') return SLOT + value.length;
  if (typeof value !== 'object' || value === null) return 0;
  if (value instanceof Uint8Array) return OBJECT + value.length;
  let size = OBJECT;
  if (Array.isArray(value)) for (const item of value) size += SLOT + memoryOf(item);
  else for (const [key, item] of Object.entries(value)) size += SLOT + key.length + memoryOf(item);
  return size;
}
