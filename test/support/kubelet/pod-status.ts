import { kubeletVersion } from '../../../src/kubelet/config/version.js';
import type { Pod } from '../../../src/kubelet/kubernetes/pod.js';
import type { PodApiStatus } from '../../../src/kubelet/kubernetes/pod-status.js';
import { generateStatus, type StatusInput } from '../../../src/kubelet/status/generate.js';
import type { RuntimeContainerStatus } from '../../../src/kubelet/types/runtime-status.js';
import { aContainer, aPod, aRuntimeContainer, aRuntimeStatus } from './objects.js';

export const NOW = 1_767_225_600_000_000_000n;
const SECOND = 1_000_000_000n;

/** For tests: input of a pod's status. */
export interface Given {
  pod?: Pod;
  containers?: Partial<RuntimeContainerStatus>[];
  previous?: PodApiStatus;
  waiting?: Record<string, string>;
  ready?: boolean;
  input?: Partial<StatusInput>;
}

/** The status; by default all running containers are ready and started. */
export function statusOf({
  pod = aPod(),
  containers = [],
  previous,
  waiting = {},
  ready = true,
  input = {},
}: Given): PodApiStatus {
  return generateStatus({
    pod,
    runtime: aRuntimeStatus(containers.map(aRuntimeContainer)),
    previous,
    reasons: {
      get: (_uid, name) =>
        waiting[name] === undefined ? undefined : { reason: waiting[name], message: 'why' },
    },
    version: kubeletVersion('1.36'),
    runtimeName: 'mockri',
    hostIp: '',
    now: NOW,
    terminal: false,
    sandboxProblem: undefined,
    resizing: [],
    actuated: () => undefined,
    evicted: undefined,
    willRestart: ({ name }) => {
      const newest = containers.find((each) => (each.name ?? 'app') === name);
      if (newest === undefined) return true;
      if (newest.state !== 'exited') return newest.state === 'created' || newest.state === 'unknown';
      return restarts(pod, newest.exitCode ?? 0);
    },
    restartsOn: (_container, exitCode) => restarts(pod, exitCode),
    probe: (status) => ({
      ...status,
      containerStatuses: status.containerStatuses.map((each) =>
        each.state.kind === 'running' ? { ...each, ready, started: true } : each,
      ),
      initContainerStatuses: status.initContainerStatuses.map((each) => {
        if (each.state.kind === 'terminated') return { ...each, ready: each.state.exitCode === 0 };
        return each.state.kind === 'running' ? { ...each, ready, started: true } : each;
      }),
    }),
    ...input,
  });
}

const restarts = ({ spec }: Pod, exitCode: number): boolean =>
  spec.restartPolicy === 'Always' || (spec.restartPolicy === 'OnFailure' && exitCode !== 0);

/** Ended containers in the runtime. */
export const failed = {
  state: 'exited',
  exitCode: 1,
  reason: 'Error',
  finishedAt: NOW - 12n * SECOND,
} as const;
export const done = {
  state: 'exited',
  exitCode: 0,
  reason: 'Completed',
  finishedAt: NOW - 12n * SECOND,
} as const;
/** Containers of a specification. */
export const init = aContainer({ name: 'setup' });
export const sidecar = aContainer({ name: 'proxy', restartPolicy: 'Always' });
