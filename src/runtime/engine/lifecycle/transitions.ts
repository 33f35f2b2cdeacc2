import { type ObjectKind, wrongState } from '../../../cri/errors.js';
import { type EngineRules, strictRules } from '../rules.js';
import type { ContainerStateName, SandboxStateName } from '../state/state-names.js';

/** `cri` follows api.proto; `strict` follows the first CRI proposal, which has no forced removal. */
export type TransitionRules = 'cri' | 'strict';

type Row<S extends string> = Partial<Record<S, S | 'gone'>>;
type Table<S extends string, R extends string> = Readonly<Record<R, Row<S>>>;

type ContainerRequest =
  | 'StartContainer'
  | 'StopContainer'
  | 'RemoveContainer'
  | 'ExecSync'
  | 'Exec'
  | 'Attach'
  | 'ReopenContainerLog'
  | 'UpdateContainerResources'
  | 'CheckpointContainer'
  | 'CheckpointPod'
  | 'exit'
  | 'loseStatus';

type SandboxRequest =
  | 'CreateContainer'
  | 'StartContainer'
  | 'StopPodSandbox'
  | 'RemovePodSandbox'
  | 'PortForward'
  | 'PodSandboxStats'
  | 'CheckpointPod';

/**
 * The state after each request, by the container's state; a state that a row lacks is refused (INV-2, INV-3, INV-4). In
 * addition, a container goes from RUNNING to EXITED when its process ends, and from CREATED to EXITED when its process
 * can't be started. A forced removal passes through EXITED.
 */
const containers: Table<ContainerStateName, ContainerRequest> = {
  StartContainer: { CREATED: 'RUNNING' },
  StopContainer: { CREATED: 'CREATED', RUNNING: 'EXITED', EXITED: 'EXITED', UNKNOWN: 'EXITED' },
  RemoveContainer: { CREATED: 'gone', RUNNING: 'gone', EXITED: 'gone', UNKNOWN: 'gone' },
  ExecSync: { RUNNING: 'RUNNING' },
  Exec: { RUNNING: 'RUNNING' },
  Attach: { RUNNING: 'RUNNING' },
  ReopenContainerLog: { RUNNING: 'RUNNING' },
  UpdateContainerResources: { CREATED: 'CREATED', RUNNING: 'RUNNING' },
  CheckpointContainer: { RUNNING: 'RUNNING' },
  CheckpointPod: { RUNNING: 'RUNNING' },
  // Faults.
  exit: { RUNNING: 'EXITED', UNKNOWN: 'EXITED' },
  loseStatus: { RUNNING: 'UNKNOWN' },
};

/**
 * The same for sandboxes; READY is never entered again (INV-1). A sandbox that dies becomes NOTREADY without a request.
 */
const sandboxes: Table<SandboxStateName, SandboxRequest> = {
  CreateContainer: { READY: 'READY' },
  StartContainer: { READY: 'READY' },
  StopPodSandbox: { READY: 'NOTREADY', NOTREADY: 'NOTREADY' },
  RemovePodSandbox: { READY: 'gone', NOTREADY: 'gone' },
  PortForward: { READY: 'READY' },
  PodSandboxStats: { READY: 'READY' },
  CheckpointPod: { READY: 'READY' },
};

const strictContainers: typeof containers = { ...containers, RemoveContainer: { EXITED: 'gone' } };
const strictSandboxes: typeof sandboxes = { ...sandboxes, RemovePodSandbox: { NOTREADY: 'gone' } };

export interface Transitions {
  /** Throws `wrong-state`, naming the present state and the allowed ones, unless the request is allowed. */
  allowContainer(request: ContainerRequest, id: string, state: ContainerStateName): void;
  allowSandbox(request: SandboxRequest, id: string, state: SandboxStateName): void;
}

/** `strict` allows the removal of stopped objects only; cri-api requires a forced removal. */
export function createTransitions(rules: TransitionRules, permits: EngineRules = strictRules): Transitions {
  const containerTable = { ...(rules === 'strict' ? strictContainers : containers) };
  const sandboxTable = { ...(rules === 'strict' ? strictSandboxes : sandboxes) };
  if (permits.updateExited)
    containerTable.UpdateContainerResources = {
      ...containerTable.UpdateContainerResources,
      EXITED: 'EXITED',
    };
  if (permits.startsAgain)
    containerTable.StartContainer = {
      ...containerTable.StartContainer,
      RUNNING: 'RUNNING',
      EXITED: 'RUNNING',
    };
  if (permits.stops.createdLives)
    for (const request of ['ExecSync', 'Exec', 'Attach', 'ReopenContainerLog'] as const)
      containerTable[request] = { ...containerTable[request], CREATED: 'CREATED' };
  if (permits.createInStoppedSandbox)
    sandboxTable.CreateContainer = { ...sandboxTable.CreateContainer, NOTREADY: 'NOTREADY' };
  return {
    allowContainer: (request, id, state) => allow(containerTable[request], request, 'container', id, state),
    allowSandbox: (request, id, state) => allow(sandboxTable[request], request, 'sandbox', id, state),
  };
}

function allow<S extends string>(
  row: Row<S>,
  request: string,
  object: ObjectKind,
  id: string,
  state: S,
): void {
  if (row[state] !== undefined) return;
  const prefix = `${object.toUpperCase()}_`;
  const allowed = Object.keys(row)
    .map((name) => prefix + name)
    .join(' or ');
  const full = prefix + state;
  throw wrongState(`${object} "${id}" is in ${full} state: ${request} needs ${allowed}`, {
    name: 'wrong-state',
    object,
    id,
    state: full,
  });
}
