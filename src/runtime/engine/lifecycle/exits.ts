import type { ContainerExit } from '../backend.js';
import type { Engine } from '../engine.js';
import type { ContainerRecord } from '../state/records.js';

/**
 * A container's process ended: RUNNING (or UNKNOWN) becomes EXITED, once. An exit that arrives before StartContainer
 * has finished waits for it, so that clients see STARTED before STOPPED (INV-29).
 */
export function recordExit(engine: Engine, exit: ContainerExit): void {
  const record = engine.store.containers.match(exit.containerId);
  if (record === undefined) return;
  const { phase } = record;
  const shown = { ...exit, finishedAt: engine.timestamps.skewed(exit.finishedAt) };
  if ('starting' in phase) engine.store.setPhase(record, { ...phase, exit: shown });
  else if (phase.state === 'RUNNING' || phase.state === 'UNKNOWN')
    markExited(engine, record, phase.startedAt, shown);
}

/** Makes it EXITED and, by default, announces that. `startedAt` in Unix nanoseconds, 0 if its process never ran. */
export function markExited(
  engine: Engine,
  record: ContainerRecord,
  startedAt: bigint,
  { exitCode, reason, message, finishedAt }: Omit<ContainerExit, 'containerId'>,
  isAnnounced = true,
): void {
  engine.store.setPhase(record, {
    state: 'EXITED',
    startedAt,
    // finished_at is always later than started_at (INV-25).
    finishedAt: finishedAt > startedAt ? finishedAt : startedAt + 1n,
    exitCode,
    reason: reason ?? (exitCode === 0 ? 'Completed' : 'Error'),
    message: message ?? '',
  });
  if (isAnnounced) engine.announce('STOPPED', record);
}

/** Marks a container whose end was not observed as exited, with containerd's status. */
export function markLost(engine: Engine, record: ContainerRecord, startedAt: bigint): void {
  const finishedAt = engine.timestamps.next();
  markExited(engine, record, startedAt, { exitCode: 255, reason: 'Unknown', finishedAt });
}
