import type { Inventory, RecoveredContainer } from '../backend.js';
import type { Engine } from '../engine.js';
import { describeName, sandboxName } from '../state/names.js';
import type { ContainerPhase } from '../state/records.js';
import { containerRecord } from './container.js';
import { sandboxRecord } from './sandbox.js';

/** Restores the backend's inventory: ids, names, states and times survive a restart (INV-53). Publishes no events. */
export function recover(engine: Engine, inventory: Inventory): void {
  const { store, names, timestamps } = engine;
  for (const { spec, runtime, ready } of byAge(inventory.sandboxes)) {
    const record = sandboxRecord(spec, runtime, ready ? 'READY' : 'NOTREADY');
    names.reserve(
      'sandbox',
      sandboxName(record.metadata, engine.rules),
      record.id,
      `sandbox name "${describeName(record.metadata)}"`,
    );
    store.addSandbox(record);
  }
  for (const recovered of byAge(inventory.containers)) {
    const sandbox = store.sandboxes.get(recovered.spec.sandboxId);
    const phase = phaseOf(recovered, timestamps.next());
    const record = containerRecord(engine, sandbox, recovered.spec, recovered.runtime, { phase });
    if (record.heldName !== undefined) names.restore(record.heldName, record.id);
    store.addContainer(record);
  }
}

function phaseOf({ state, startedAt, exit }: RecoveredContainer, now: bigint): ContainerPhase {
  if (state === 'created') return { state: 'CREATED' };
  if (state === 'running') return { state: 'RUNNING', startedAt };
  const exitCode = exit?.exitCode ?? 255;
  return {
    state: 'EXITED',
    startedAt,
    finishedAt: exit?.finishedAt ?? now,
    exitCode,
    reason: exit === undefined ? 'Unknown' : (exit.reason ?? (exitCode === 0 ? 'Completed' : 'Error')),
    message: exit?.message ?? '',
  };
}

function byAge<T extends { readonly spec: { readonly createdAt: bigint } }>(items: readonly T[]): T[] {
  return [...items].sort((a, b) => (a.spec.createdAt < b.spec.createdAt ? -1 : 1));
}
