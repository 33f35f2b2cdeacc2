import type { NewFields } from '../../cri/own-proto/new-fields.js';
import { newFieldsOf, ownProto } from '../../cri/own-proto/own-proto.js';
import type { ContainerFacts, PodFacts } from '../../cri/subject.js';
import type { BackendCondition } from './backend.js';
import type { Engine } from './engine.js';
import type { EventStats } from './events/event-bus.js';
import type { ContainerRecord, SandboxRecord } from './state/records.js';
import { containerConfig, sandboxConfig } from './state/status.js';
import type { StateCounts } from './state/store.js';

/** The runtime's state for people and programs: JSON-able; times are Unix nanoseconds as strings, "0" for not yet. */
export interface RuntimeSnapshot {
  readonly conditions: readonly BackendCondition[];
  readonly counts: StateCounts;
  readonly events: EventStats;
  readonly sandboxes: readonly SandboxSnapshot[];
}

interface SandboxSnapshot extends PodFacts {
  readonly state: string;
  readonly runtimeHandler: string;
  readonly createdAt: string;
  readonly ips: readonly string[];
  /** With `--proto`: the fields of its config that the shipped api.proto lacks. */
  readonly newFields?: NewFields | undefined;
  readonly containers: readonly ContainerSnapshot[];
}

interface ContainerSnapshot extends Pick<ContainerFacts, 'id' | 'name' | 'attempt'> {
  readonly state: string;
  readonly image: string;
  readonly createdAt: string;
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly exitCode: number;
  readonly reason: string;
  readonly newFields?: NewFields | undefined;
}

export interface FoundObject {
  readonly pod: PodFacts;
  readonly container?: Omit<ContainerFacts, 'sandboxId'> & { readonly image: string };
}

export function takeSnapshot({ conditions, store, bus }: Engine): RuntimeSnapshot {
  return {
    conditions: conditions.list(),
    counts: structuredClone(store.counts),
    events: bus.stats,
    sandboxes: Array.from(store.sandboxes.values(), describeSandbox),
  };
}

/** Finds a container, otherwise a sandbox, by id or unique prefix. O(log n). */
export function findObject({ store }: Engine, id: string): FoundObject | undefined {
  const container = store.containers.match(id);
  const sandbox = container?.sandbox ?? store.sandboxes.match(id);
  if (sandbox === undefined) return undefined;
  return container === undefined ? { pod: podSubject(sandbox) } : containerSubject(container);
}

export function* runningSubjects({ store }: Engine): Generator<Required<FoundObject>> {
  for (const container of store.containers.values())
    if (container.phase.state === 'RUNNING') yield containerSubject(container);
}

function containerSubject({
  id,
  name,
  attempt,
  image,
  labels,
  sandbox,
}: ContainerRecord): Required<FoundObject> {
  return { pod: podSubject(sandbox), container: { id, name, attempt, image, labels } };
}

function podSubject({ id, metadata, labels }: SandboxRecord): FoundObject['pod'] {
  const { name, namespace, uid, attempt } = metadata;
  return { id, name, namespace, uid, attempt, labels };
}

function describeSandbox(record: SandboxRecord): SandboxSnapshot {
  const { name, namespace, uid, attempt } = record.metadata;
  return {
    id: record.id,
    name,
    namespace,
    uid,
    attempt,
    state: record.state,
    runtimeHandler: record.runtimeHandler,
    createdAt: String(record.createdAt),
    ips: record.ips,
    labels: record.labels,
    newFields: ownProto && newFieldsOf('PodSandboxConfig', sandboxConfig(record), 'config'),
    containers: record.containers.map(describeContainer),
  };
}

function describeContainer(record: ContainerRecord): ContainerSnapshot {
  const { phase } = record;
  const exited = phase.state === 'EXITED' ? phase : undefined;
  return {
    id: record.id,
    name: record.name,
    attempt: record.attempt,
    state: phase.state,
    image: record.image,
    createdAt: String(record.createdAt),
    startedAt: String('startedAt' in phase ? phase.startedAt : 0n),
    finishedAt: String(exited?.finishedAt ?? 0n),
    exitCode: exited?.exitCode ?? 0,
    reason: exited?.reason ?? '',
    newFields: ownProto && newFieldsOf('ContainerConfig', containerConfig(record), 'config'),
  };
}
