import { CriError } from '../../cri/errors.js';
import { type Engine, uncancelled } from '../engine.js';
import type { ContainerRecord } from '../state/records.js';
import { markLost } from './exits.js';

/** Ends a container's process, gracefully with a timeout in ms, and makes sure that its exit has arrived. */
export async function stopProcess(
  engine: Engine,
  record: ContainerRecord,
  timeout: number,
  signal: AbortSignal,
): Promise<void> {
  await engine.backend.stopContainer(record.id, { timeout }, { signal });
  if (record.phase.state === 'UNKNOWN') markLost(engine, record, record.phase.startedAt);
  if (record.phase.state === 'RUNNING')
    throw signal.aborted
      ? new CriError('cancelled', `StopContainer was cancelled while container "${record.id}" was stopping`)
      : new CriError('internal', `the backend stopped container "${record.id}" without reporting its exit`);
}

/** Kills everything that runs in a pod, all containers at once. */
export async function killContainers(engine: Engine, containers: readonly ContainerRecord[]): Promise<void> {
  const alive = containers.filter(({ phase }) => phase.state === 'RUNNING' || phase.state === 'UNKNOWN');
  if (alive.length === 0) return;
  const { signal } = uncancelled();
  await engine.clock.idle(
    Promise.all(alive.map((record) => engine.clock.run(() => stopProcess(engine, record, 0, signal)))),
  );
}
