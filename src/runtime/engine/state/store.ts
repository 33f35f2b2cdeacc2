import { Account, memoryOf } from '../../../base/input/account.js';
import { CriError, invalid, notFound, type ObjectKind } from '../../../cri/errors.js';
import type { ContainerResources } from '../../../cri/gen/runtime/v1/api.js';
import type { SandboxLimits } from '../backend.js';
import { Encodings } from './encodings.js';
import type { ContainerPhase, ContainerRecord, SandboxRecord } from './records.js';
import type { ContainerStateName, SandboxStateName } from './state-names.js';
import { containerStateNumber, sandboxStateNumber } from './status.js';

export interface Store {
  readonly sandboxes: Collection<SandboxRecord>;
  readonly containers: Collection<ContainerRecord>;
  /** Throws `exhausted` if all memory for objects is in use; so do the other functions that add something. */
  addSandbox(record: SandboxRecord): void;
  addContainer(record: ContainerRecord): void;
  removeSandbox(record: SandboxRecord): void;
  removeContainer(record: ContainerRecord): void;
  /** READY becomes NOTREADY, and the sandbox's addresses are released unless `keepsIps`. */
  stopSandbox(record: SandboxRecord, keepsIps: boolean): void;
  setSandboxResources(record: SandboxRecord, resources: SandboxLimits): void;
  setPhase(record: ContainerRecord, phase: ContainerPhase): void;
  setContainerResources(record: ContainerRecord, resources: ContainerResources): void;
  readonly counts: StateCounts;
  /** Throws `exhausted` while there is no memory for an object with this config. */
  requireRoom(config: object): void;
}

/** Bytes that a sandbox or a container takes in addition to its config. */
const RECORD_COST = 1024;

export interface StateCounts {
  readonly sandboxes: Readonly<Record<SandboxStateName, number>>;
  readonly containers: Readonly<Record<ContainerStateName, number>>;
}

interface Stored {
  readonly id: string;
  readonly encodings: Encodings;
  readonly labels: object;
  readonly resources: object | undefined;
}

const costOf = ({ encodings, labels, resources }: Stored): number =>
  RECORD_COST + encodings.size + memoryOf(labels) + memoryOf(resources);

/** Objects of one kind by id and unique id prefix, and the encoded reply that lists them all. */
export class Collection<T extends Stored> {
  readonly #kind: ObjectKind;
  readonly #byId = new Map<string, T>();
  /** Length of the longest id: ids of one runtime have equal lengths, so a string of this length is never a prefix. */
  #longest = 0;
  #list: Buffer | undefined;
  readonly #account: Account;

  constructor(kind: ObjectKind, account: Account) {
    this.#kind = kind;
    this.#account = account;
  }

  values(): IterableIterator<T> {
    return this.#byId.values();
  }

  /** Finds an object by id or unique prefix. Throws for an empty id and for an ambiguous prefix. */
  find(id: string): T | undefined {
    if (id === '')
      throw invalid(
        `${this.#kind} id is empty: give the id, or a prefix of it that no other ${this.#kind} has`,
        { name: 'empty-id', object: this.#kind, id },
      );
    const exact = this.#byId.get(id);
    if (exact !== undefined) return exact;
    const [first, second] = id.length < this.#longest ? this.#startingWith(id) : [];
    if (first !== undefined && second !== undefined)
      throw invalid(
        `${this.#kind} id prefix "${shorten(id)}" is ambiguous: it matches ${first} and ${second}; give more digits`,
        { name: 'ambiguous-id', object: this.#kind, id },
      );
    return first === undefined ? undefined : this.#byId.get(first);
  }

  /**
   * Returns the ids with this prefix, sorted. A scan is fast enough, because programs pass whole ids and only people
   * abbreviate them.
   */
  #startingWith(prefix: string): string[] {
    return [...this.#byId.keys()].filter((id) => id.startsWith(prefix)).sort();
  }

  /** Like `find`, but throws `not-found` for an unknown id. */
  get(id: string): T {
    const record = this.find(id);
    if (record === undefined) throw unknownId(this.#kind, id);
    return record;
  }

  /** Used by filters, which match nothing instead of failing (INV-19). */
  match(id: string): T | undefined {
    try {
      return this.find(id);
    } catch (error) {
      if (error instanceof CriError) return undefined;
      throw error;
    }
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  add(record: T): void {
    this.take(costOf(record));
    this.#byId.set(record.id, record);
    this.#longest = Math.max(this.#longest, record.id.length);
    this.#list = undefined;
  }

  delete(record: T): void {
    if (this.#byId.delete(record.id)) this.take(-costOf(record));
    this.#list = undefined;
  }

  change(record: T, change: Partial<T>): void {
    this.take(costOf({ ...record, ...change }) - costOf(record));
    Object.assign(record, change);
  }

  /** Reserves memory; a negative number releases it. */
  take(bytes: number): void {
    if (this.#account.take(bytes)) return;
    throw new CriError(
      'exhausted',
      `no memory is left for this ${this.#kind} of ${bytes} bytes: all of them take ${this.#account.used} of ${this.#account.limit} bytes at most; remove some, or raise --memory-limit`,
    );
  }

  setState(record: T, state: number): void {
    record.encodings.state = state;
    this.#list = undefined;
  }

  /** The reply that lists everything; kept until something changes. */
  list(): Buffer {
    this.#list ??= Encodings.list([...this.#byId.values()]);
    return this.#list;
  }
}

/** Stores the objects; the account pays for their memory. It checks no rules: callers have asked `Transitions`. */
export function createStore(account = new Account()): Store {
  const sandboxes = new Collection<SandboxRecord>('sandbox', account);
  const containers = new Collection<ContainerRecord>('container', account);
  const counts = {
    sandboxes: { READY: 0, NOTREADY: 0 },
    containers: { CREATED: 0, RUNNING: 0, EXITED: 0, UNKNOWN: 0 },
  };
  return {
    sandboxes,
    containers,
    counts,
    requireRoom: (config) => {
      const cost = RECORD_COST + memoryOf(config);
      containers.take(cost);
      containers.take(-cost);
    },
    addSandbox: (record) => {
      sandboxes.add(record);
      sandboxes.setState(record, sandboxStateNumber(record.state));
      counts.sandboxes[record.state]++;
    },
    addContainer: (record) => {
      containers.add(record);
      containers.setState(record, containerStateNumber(record.phase.state));
      mutable(record.sandbox).containers = record.sandbox.containers.concat(record);
      counts.containers[record.phase.state]++;
    },
    removeSandbox: (record) => {
      sandboxes.delete(record);
      counts.sandboxes[record.state]--;
    },
    removeContainer: (record) => {
      containers.delete(record);
      const { sandbox } = record;
      mutable(sandbox).containers = sandbox.containers.filter((one) => one !== record);
      counts.containers[record.phase.state]--;
    },
    stopSandbox: (record, keepsIps) => {
      counts.sandboxes[record.state]--;
      counts.sandboxes.NOTREADY++;
      mutable(record).state = 'NOTREADY';
      if (!keepsIps) mutable(record).ips = [];
      sandboxes.setState(record, sandboxStateNumber('NOTREADY'));
    },
    setSandboxResources: (record, resources) => {
      sandboxes.change(record, { resources });
    },
    setPhase: (record, phase) => {
      counts.containers[record.phase.state]--;
      counts.containers[phase.state]++;
      const isVisible = phase.state !== record.phase.state;
      mutable(record).phase = phase;
      if (isVisible) containers.setState(record, containerStateNumber(phase.state));
      else if (phase.state === 'EXITED' || 'failed' in phase) record.encodings.changing = undefined;
    },
    setContainerResources: (record, resources) => {
      containers.change(record, { resources });
      record.encodings.changing = undefined;
    },
  };
}

export const unknownId = (object: ObjectKind, id: string): CriError =>
  notFound(`${object} "${shorten(id)}" not found`, { name: 'unknown-id', object, id });

/** The store alone changes records; they are read-only everywhere else. */
function mutable<T extends SandboxRecord | ContainerRecord>(record: T): { -readonly [K in keyof T]: T[K] } {
  return record;
}

/** Error texts quote ids from clients; this truncates huge ones. */
function shorten(id: string): string {
  return id.length > 80 ? `${id.slice(0, 80)}…` : id;
}
