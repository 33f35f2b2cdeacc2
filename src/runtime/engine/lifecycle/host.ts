import type { BackendHost } from '../backend.js';
import { type Engine, uncancelled } from '../engine.js';
import { sandboxName } from '../state/names.js';
import type { ContainerRecord, SandboxRecord } from '../state/records.js';
import { containerConfig, sandboxConfig } from '../state/status.js';
import { removeRecord } from './container.js';
import { markLost, recordExit } from './exits.js';
import { markStopped, stopSandbox } from './sandbox.js';

export function createHost(
  engine: () => Engine,
  warn: (message: string, error: unknown) => void,
): BackendHost {
  const inQueue = (sandbox: SandboxRecord, what: string, operation: () => Promise<void>) => {
    const { clock, queue } = engine();
    clock
      .run(() => queue.run(sandbox.id, uncancelled().signal, operation))
      .catch((error: unknown) => warn(`${what} ${sandbox.id} could not be dealt with`, error));
  };
  return {
    containerExited: (exit) => recordExit(engine(), exit),
    containerConfig: (containerId) => containerConfig(engine().store.containers.get(containerId)),
    sandboxConfig: (sandboxId) => sandboxConfig(engine().store.sandboxes.get(sandboxId)),
    resourcesChanged: (containerId, resources) => {
      const { store, rules } = engine();
      const record = store.containers.match(containerId);
      if (record === undefined) return;
      try {
        store.setContainerResources(record, rules.resources(resources) ?? resources);
      } catch (error) {
        warn(`the new resources of container ${containerId} are not shown`, error);
      }
    },
    conditionChanged: (condition) => engine().conditions.report(condition),

    sandboxExited: (sandboxId) => {
      const start = engine().starting.get(sandboxId);
      if (start !== undefined) start.died = true;
      const record = engine().store.sandboxes.match(sandboxId);
      if (record === undefined) return;
      inQueue(record, 'the death of sandbox', () => stopSandbox(engine(), record));
    },

    containerVanished: (containerId) => {
      const record = engine().store.containers.match(containerId);
      if (record === undefined) return;
      inQueue(record.sandbox, 'a vanished container of sandbox', async () => forget(engine(), record));
    },

    sandboxVanished: (sandboxId) => {
      const record = engine().store.sandboxes.match(sandboxId);
      if (record === undefined) return;
      inQueue(record, 'the vanished sandbox', async () => forgetSandbox(engine(), record));
    },
  };
}

/** Publishes the events of a removal by RPC, in the same order (INV-34), without calling the backend. */
function forgetSandbox(engine: Engine, record: SandboxRecord): void {
  const { store, names } = engine;
  if (!store.sandboxes.has(record.id)) return;
  for (const container of record.containers) endLost(engine, container);
  if (record.state === 'READY') markStopped(engine, record);
  for (const container of [...record.containers]) removeRecord(engine, container);
  store.removeSandbox(record);
  names.release(sandboxName(record.metadata, engine.rules), record.id);
  engine.announce('DELETED', record);
}

function forget(engine: Engine, record: ContainerRecord): void {
  if (!engine.store.containers.has(record.id)) return;
  endLost(engine, record);
  removeRecord(engine, record);
}

function endLost(engine: Engine, record: ContainerRecord): void {
  const { phase } = record;
  if (phase.state === 'RUNNING' || phase.state === 'UNKNOWN') markLost(engine, record, phase.startedAt);
}
