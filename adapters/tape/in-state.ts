import { ContainerState, type ContainerStatus, PodSandboxState } from '../../src/cri/gen/runtime/v1/api.js';
import type { Span } from '../../src/tape/history/states.js';

/** Exit code and reason of a container whose end was not recorded, as containerd reports an unknown end. */
const UNSEEN_END = { exitCode: 255, reason: 'Unknown' };

/** Converts a list item or status that was recorded in one state to another state. `began` in Unix nanoseconds. */
export function inState(source: string, value: object, { state }: Span, began: bigint): object {
  if (source === 'ListContainers') return { ...value, state: containerState(state) };
  if (source === 'ListPodSandbox') return { ...value, state: sandboxState(state) };
  const { status } = value as { status?: object };
  if (source === 'PodSandboxStatus' || source === 'GetContainerEvents')
    return { ...value, status: { ...status, state: sandboxState(state) } };
  if (source !== 'ContainerStatus') return value;
  const seen = status as ContainerStatus;
  const fresh = {
    ...seen,
    state: containerState(state),
    finishedAt: 0n,
    exitCode: 0,
    reason: '',
    message: '',
  };
  if (state === 'created') return { ...value, status: { ...fresh, startedAt: 0n } };
  if (state === 'running') return { ...value, status: { ...fresh, startedAt: seen.startedAt || began } };
  return { ...value, status: { ...seen, ...UNSEEN_END, state: containerState(state), finishedAt: began } };
}

const containerState = (state: Span['state']): ContainerState => {
  if (state === 'created') return ContainerState.CONTAINER_CREATED;
  return state === 'running' ? ContainerState.CONTAINER_RUNNING : ContainerState.CONTAINER_EXITED;
};

const sandboxState = (state: Span['state']): PodSandboxState =>
  state === 'ready' ? PodSandboxState.SANDBOX_READY : PodSandboxState.SANDBOX_NOTREADY;
