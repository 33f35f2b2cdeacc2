import { CriError } from '../../../cri/errors.js';
import { NamespaceMode } from '../../../cri/gen/runtime/v1/api.js';
import { NEVER } from '../../../cri/never.js';
import { type Engine, uncancelled } from '../engine.js';
import type { ContainerRecord } from '../state/records.js';
import { containerConfig } from '../state/status.js';
import { markExited, markLost } from './exits.js';

/** A created container's process, if any, is a Go program as PID 1: SIGTERM makes it exit with this code. */
const TERMINATED = 143;
const EXITED = 2;

export function stopIdle(engine: Engine, record: ContainerRecord): void {
  const { createdLives, setsFinishedAgain } = engine.rules.stops;
  const { phase } = record;
  if (phase.state === 'CREATED' && createdLives && !('starting' in phase)) {
    const { pid } = containerConfig(record).linux?.securityContext?.namespaceOptions ?? {};
    const exitCode = pid === NamespaceMode.CONTAINER ? EXITED : TERMINATED;
    const exit = { containerId: record.id, exitCode, finishedAt: engine.timestamps.next() };
    markExited(engine, record, NEVER, exit);
    engine.backend.endedBeforeStart?.(exit);
  }
  if (phase.state === 'EXITED' && setsFinishedAgain)
    engine.store.setPhase(record, { ...phase, finishedAt: engine.timestamps.next() });
}

/** Ends a container's process, gracefully with a timeout in ms, and makes sure that its exit has arrived. */
export async function stopProcess(
  engine: Engine,
  record: ContainerRecord,
  timeout: number,
  signal: AbortSignal,
): Promise<void> {
  const grace = Math.max(timeout, engine.rules.stops.leastGrace);
  await engine.backend.stopContainer(record.id, { timeout: grace }, { signal });
  if (record.phase.state === 'UNKNOWN') markLost(engine, record, record.phase.startedAt);
  if (record.phase.state === 'RUNNING')
    throw signal.aborted
      ? new CriError('cancelled', `StopContainer was cancelled while container "${record.id}" was stopping`)
      : new CriError('internal', `the backend stopped container "${record.id}" without reporting its exit`);
}

/**
 * Time between the stop signal and KILL in a removal, in ms. If it isn't 0, it is the time left until the client's
 * deadline, in whole seconds (CRI-O, stopTimeoutFromContext).
 */
export function removalGrace({ rules, clock }: Engine, deadline: bigint | undefined): number {
  const { removalGrace: usual } = rules.stops;
  if (usual === 0 || deadline === undefined) return usual;
  return Math.max(0, Number((deadline - clock.now()) / 1_000_000_000n)) * 1000;
}

/** Ends all running containers of a pod in parallel. `deadline` is the client's, in Unix nanoseconds. */
export async function killContainers(
  engine: Engine,
  containers: readonly ContainerRecord[],
  deadline?: bigint,
): Promise<void> {
  const alive = containers.filter(({ phase }) => phase.state === 'RUNNING' || phase.state === 'UNKNOWN');
  for (const record of containers) if (record.phase.state === 'CREATED') stopIdle(engine, record);
  if (alive.length === 0) return;
  const { signal } = uncancelled();
  const grace = removalGrace(engine, deadline);
  await engine.clock.idle(
    Promise.all(alive.map((record) => engine.clock.run(() => stopProcess(engine, record, grace, signal)))),
  );
}
