import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

const MIB = 1024 * 1024;

/**
 * Memory in bytes that something may keep: the node, a part of the server, a container. What it takes its parent takes,
 * too, except for what the parent has reserved for it.
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

  /** Takes bytes, or gives back a negative number of them; false, and nothing taken, if there are not enough. */
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

  /** Gives everything back. It can take nothing from then on. */
  close(): void {
    this.take(-this.#used);
    this.#isClosed = true;
  }
}

/** One kind of what a node keeps: fractions of the node's memory, and what happens when there is no more. */
interface Share {
  readonly what: string;
  readonly most: number;
  /** What the others leave to it, whatever they take. */
  readonly reserved: number;
  readonly beyond: string;
}

/** What draws from the memory of a node. docs/limits.md shows it as a table. */
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
    what: 'Output of `ExecSync` calls under way',
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

/** The kinds of what a node keeps. */
export type ShareName = keyof typeof shares;

/** The accounts of a node. */
export type Accounts = Readonly<Record<ShareName, Account>>;

/** In bytes: a quarter of what Node.js and the machine have, and at most 512 MiB. */
export function defaultMemoryLimit(): number {
  const constrained = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  const available = Math.min(totalmem(), constrained, getHeapStatistics().heap_size_limit);
  return Math.min(512 * MIB, Math.floor(available / 4));
}

/** Opens the accounts of a node that may keep this many bytes. */
export function openAccounts(limit = defaultMemoryLimit()): Accounts {
  const entries = Object.entries<Share>(shares);
  const reserved = entries.reduce((sum, [, share]) => sum + share.reserved, 0);
  const shared = new Account(limit * (1 - reserved));
  const accounts = entries.map(
    ([name, share]) => [name, new Account(limit * share.most, shared, limit * share.reserved)] as const,
  );
  return Object.fromEntries(accounts) as Record<ShareName, Account>;
}

/** What an object, a list or a map takes, and each of their values in addition to what it refers to. */
const [OBJECT, SLOT] = [64, 16];

/** About the bytes that a value takes in memory, such as a decoded message: many small ones take more than their wire form. */
export function memoryOf(value: unknown): number {
  if (typeof value === 'string') return SLOT + value.length;
  if (typeof value !== 'object' || value === null) return 0;
  if (value instanceof Uint8Array) return OBJECT + value.length;
  let size = OBJECT;
  if (Array.isArray(value)) for (const item of value) size += SLOT + memoryOf(item);
  else for (const [key, item] of Object.entries(value)) size += SLOT + key.length + memoryOf(item);
  return size;
}
