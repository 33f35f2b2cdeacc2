import { CriError } from '../../../cri/errors.js';
import {
  NamespaceMode,
  type PodSandboxConfig,
  type PodSandboxMetadata,
} from '../../../cri/gen/runtime/v1/api.js';
import type { Call } from '../../../cri/service.js';
import type { SandboxRuntime, SandboxSpec } from '../backend.js';
import { checkSandbox } from '../checks/sandbox.js';
import { cancelled, type Engine, uncancelled } from '../engine.js';
import { describeName, sandboxName } from '../state/names.js';
import type { ContainerRecord, SandboxRecord } from '../state/records.js';
import type { SandboxStateName } from '../state/state-names.js';
import { containerConfig, encodeSandbox } from '../state/status.js';
import { removeStopped } from './container.js';
import { killContainers } from './stop.js';

/** Runs a sandbox, visible once READY. Undoes everything if the client has disconnected meanwhile (INV-17). */
export async function runSandbox(
  engine: Engine,
  given: PodSandboxConfig | undefined,
  runtimeHandler: string,
  call: Pick<Call, 'signal' | 'whileMaking'>,
): Promise<SandboxRecord> {
  const { signal } = call;
  const { backend, names, conditions } = engine;
  if (engine.rules.lookupFirst && given?.metadata !== undefined)
    names.refuseTaken('sandbox', sandboxName(given.metadata, engine.rules), whatOf(given.metadata));
  const { config, metadata, hostNetwork } = checkSandbox(engine, given, runtimeHandler);
  engine.store.requireRoom(config);
  if (!hostNetwork) conditions.require('NetworkReady');
  const id = engine.newId();
  const name = sandboxName(metadata, engine.rules);
  names.reserve('sandbox', name, id, whatOf(metadata));
  const start = { died: false };
  engine.starting.set(id, start);
  let record: SandboxRecord;
  try {
    const spec: SandboxSpec = { id, config, runtimeHandler, createdAt: engine.timestamps.next() };
    await call.whileMaking?.();
    const runtime = await backend.runSandbox(spec, { signal });
    try {
      if (start.died) throw diedAtStart(metadata);
      if (signal.aborted) throw cancelled('RunPodSandbox');
      record = sandboxRecord(spec, runtime);
      engine.store.addSandbox(record);
    } catch (error) {
      await backend.stopSandbox(id, uncancelled());
      await backend.removeSandbox(id, uncancelled());
      throw error;
    }
    engine.announce('CREATED', record);
    engine.announce('STARTED', record);
  } catch (error) {
    names.release(name, id);
    throw error;
  } finally {
    engine.starting.delete(id);
  }
  await engine.bus.room(signal);
  return record;
}

const whatOf = (metadata: PodSandboxMetadata): string => `sandbox name "${describeName(metadata)}"`;

function diedAtStart(metadata: PodSandboxMetadata): CriError {
  return new CriError('internal', `sandbox "${describeName(metadata)}" died while it was started`);
}

/** Returns a new sandbox's record without containers, in state READY unless it was recovered as NOTREADY. */
export function sandboxRecord(
  spec: SandboxSpec,
  runtime: SandboxRuntime,
  state: SandboxStateName = 'READY',
): SandboxRecord {
  const { config } = spec;
  const security = config.linux?.securityContext;
  return {
    id: spec.id,
    metadata: config.metadata as NonNullable<typeof config.metadata>,
    labels: config.labels,
    runtimeHandler: spec.runtimeHandler,
    createdAt: spec.createdAt,
    logDirectory: config.logDirectory,
    privileged: security?.privileged ?? false,
    hostNetwork: security?.namespaceOptions?.network === NamespaceMode.NODE,
    sharesPids: (security?.namespaceOptions?.pid ?? NamespaceMode.POD) === NamespaceMode.POD,
    containers: [],
    encodings: encodeSandbox(spec),
    state,
    ips: state === 'READY' ? runtime.ips : [],
    resources: undefined,
  };
}

/** Runs in the pod's queue. Stops the containers first (INV-5), unless the rules say otherwise. */
export async function stopSandbox(engine: Engine, record: SandboxRecord, deadline?: bigint): Promise<void> {
  await killContainers(engine, record.containers.filter(endsWith(engine)), deadline);
  await stopAlone(engine, record, false);
}

const endsWith =
  ({ rules }: Engine) =>
  (container: ContainerRecord): boolean =>
    !rules.outlivesSandbox(() => containerConfig(container));

async function stopAlone(engine: Engine, record: SandboxRecord, isRemoval: boolean): Promise<void> {
  if (record.state === 'NOTREADY') return;
  await engine.backend.stopSandbox(record.id, { ...uncancelled(), isRemoval });
  markStopped(engine, record);
}

/** Makes it NOTREADY, by default without addresses, and announces that; leaves its containers alone. */
export function markStopped(engine: Engine, record: SandboxRecord): void {
  engine.store.stopSandbox(record, engine.rules.keepsStopped);
  engine.announce('STOPPED', record);
}

/**
 * Runs in the pod's queue. Completed steps stay completed when a later one fails; a repeated call continues from there.
 */
export async function removeSandbox(engine: Engine, record: SandboxRecord, deadline?: bigint): Promise<void> {
  if (engine.rules.removesOneByOne)
    for (const container of record.containers.toReversed()) {
      await killContainers(engine, [container], deadline);
      await removeStopped(engine, container);
    }
  await killContainers(engine, record.containers, deadline);
  await stopAlone(engine, record, true);
  for (const container of [...record.containers]) await removeStopped(engine, container);
  await engine.backend.removeSandbox(record.id, uncancelled());
  engine.store.removeSandbox(record);
  engine.names.release(sandboxName(record.metadata, engine.rules), record.id);
  engine.announce('DELETED', record);
}
