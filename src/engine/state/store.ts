import { CriError, invalid, notFound, type ObjectKind } from '../../cri/errors.js';
import type { ContainerResources } from '../../cri/gen/runtime/v1/api.js';
import type { SandboxLimits } from '../backend.js';
import { Encodings } from './encodings.js';
import type { ContainerPhase, ContainerRecord, SandboxRecord } from './records.js';
import type { ContainerStateName, SandboxStateName } from './state-names.js';
import { containerStateNumber, sandboxStateNumber } from './status.js';

/** All sandboxes and containers that a client may see, in order of creation. */
export interface Store {
  readonly sandboxes: Collection<SandboxRecord>;
  readonly containers: Collection<ContainerRecord>;
  addSandbox(record: SandboxRecord): void;
  addContainer(record: ContainerRecord): void;
  removeSandbox(record: SandboxRecord): void;
  removeContainer(record: ContainerRecord): void;
  /** READY becomes NOTREADY, and the sandbox's addresses are released. */
  /** With or without its addresses. */
  stopSandbox(record: SandboxRecord, keepsIps: boolean): void;
  setSandboxResources(record: SandboxRecord, resources: SandboxLimits): void;
  setPhase(record: ContainerRecord, phase: ContainerPhase): void;
  setContainerResources(record: ContainerRecord, resources: ContainerResources): void;
  readonly counts: StateCounts;
  /** Throws `exhausted` while what is there takes all memory for it. */
  requireRoom(): void;
}

/** What sandboxes and containers may take, in bytes of their encodings; and what each takes beyond them. */
const MOST_BYTES = 256 * 1024 * 1024;
const RECORD_COST = 1024;

/** How many objects are in each state. */
export interface StateCounts {
  readonly sandboxes: Readonly<Record<SandboxStateName, number>>;
  readonly containers: Readonly<Record<ContainerStateName, number>>;
}

interface Stored {
  readonly id: string;
  readonly encodings: Encodings;
}

/** Objects of one kind by id, by unique id prefix, and as the encoded reply that lists them all. */
export class Collection<T extends Stored> {
  readonly #kind: ObjectKind;
  readonly #byId = new Map<string, T>();
  /** Length of the longest id so far: ids of one runtime have one length, so what is as long is no prefix. */
  #longest = 0;
  #list: Buffer | undefined;
  #cost = 0;

  constructor(kind: ObjectKind) {
    this.#kind = kind;
  }

  values(): IterableIterator<T> {
    return this.#byId.values();
  }

  /** By id or unique prefix; undefined when there is none. Throws for an empty id and for an ambiguous prefix. */
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

  /** The ids with this prefix, sorted. People abbreviate, programs give whole ids: a scan is fast enough. */
  #startingWith(prefix: string): string[] {
    return [...this.#byId.keys()].filter((id) => id.startsWith(prefix)).sort();
  }

  /** Like `find`, throws `not-found` when there is none. */
  get(id: string): T {
    const record = this.find(id);
    if (record === undefined) throw unknownId(this.#kind, id);
    return record;
  }

  /** For filters, which match nothing instead of failing (INV-19). */
  match(id: string): T | undefined {
    try {
      return this.find(id);
    } catch (error) {
      if (error instanceof CriError) return undefined;
      throw error;
    }
  }

  /** Bytes of memory, roughly. */
  get cost(): number {
    return this.#cost;
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  add(record: T): void {
    this.#byId.set(record.id, record);
    this.#cost += RECORD_COST + record.encodings.size;
    this.#longest = Math.max(this.#longest, record.id.length);
    this.#list = undefined;
  }

  delete(record: T): void {
    if (this.#byId.delete(record.id)) this.#cost -= RECORD_COST + record.encodings.size;
    this.#list = undefined;
  }

  /** Shows a new state in lists. */
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

/** A store without objects. It checks no rules: who changes it has asked `Transitions`. */
export function createStore(): Store {
  const sandboxes = new Collection<SandboxRecord>('sandbox');
  const containers = new Collection<ContainerRecord>('container');
  const counts = {
    sandboxes: { READY: 0, NOTREADY: 0 },
    containers: { CREATED: 0, RUNNING: 0, EXITED: 0, UNKNOWN: 0 },
  };
  return {
    sandboxes,
    containers,
    counts,
    requireRoom: () => {
      if (sandboxes.cost + containers.cost < MOST_BYTES) return;
      throw new CriError(
        'exhausted',
        `sandboxes and containers take ${MOST_BYTES} bytes, which is all that they may have: remove some first`,
      );
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
      mutable(record).resources = resources;
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
      mutable(record).resources = resources;
      record.encodings.changing = undefined;
    },
  };
}

/** The error for an id that nothing has, or has any more. */
export const unknownId = (object: ObjectKind, id: string): CriError =>
  notFound(`${object} "${shorten(id)}" not found`, { name: 'unknown-id', object, id });

/** The store alone changes records; they are read-only everywhere else. */
function mutable<T extends SandboxRecord | ContainerRecord>(record: T): { -readonly [K in keyof T]: T[K] } {
  return record;
}

/** Error texts quote ids that a client made up; a huge one is cut. */
function shorten(id: string): string {
  return id.length > 80 ? `${id.slice(0, 80)}…` : id;
}
