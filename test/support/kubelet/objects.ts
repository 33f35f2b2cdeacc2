import type { ContainerSpec } from '../../../src/kubelet/kubernetes/container.js';
import type { Pod, PodSpec } from '../../../src/kubelet/kubernetes/pod.js';
import type { RuntimeContainerStatus, RuntimePodStatus } from '../../../src/kubelet/types/runtime-status.js';

/** A container named `app` with defaults. */
export function aContainer(given: Partial<ContainerSpec> = {}): ContainerSpec {
  return {
    name: 'app',
    image: 'busybox:1',
    imagePullPolicy: 'IfNotPresent',
    command: [],
    args: [],
    workingDir: '',
    env: [],
    ports: [],
    volumeMounts: [],
    resources: { limits: {}, requests: {} },
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    securityContext: {},
    stdin: false,
    stdinOnce: false,
    tty: false,
    restartPolicyRules: [],
    ...given,
  };
}

/** A pod `default/web` with uid `uid-1` and defaults. */
export function aPod(spec: Partial<PodSpec> = {}, metadata: Partial<Pod['metadata']> = {}): Pod {
  return {
    metadata: { name: 'web', namespace: 'default', uid: 'uid-1', labels: {}, annotations: {}, ...metadata },
    source: 'file',
    spec: {
      initContainers: [],
      containers: [aContainer()],
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      hostNetwork: false,
      hostPID: false,
      hostIPC: false,
      shareProcessNamespace: false,
      dnsPolicy: 'ClusterFirst',
      securityContext: {},
      volumes: [],
      ...spec,
    },
  };
}

export function aRuntimeContainer(given: Partial<RuntimeContainerStatus> = {}): RuntimeContainerStatus {
  return {
    id: 'c1',
    name: 'app',
    state: 'running',
    createdAt: 1n,
    startedAt: 1n,
    finishedAt: 0n,
    exitCode: 0,
    reason: '',
    message: '',
    image: 'busybox:1',
    imageRef: 'sha256:1',
    hash: '',
    restartCount: 0,
    active: true,
    ...given,
  };
}

export function aRuntimeStatus(containers: readonly RuntimeContainerStatus[]): RuntimePodStatus {
  return {
    uid: 'uid-1',
    name: 'web',
    namespace: 'default',
    ips: ['127.64.0.1'],
    sandboxes: [],
    containers,
    timestamp: 1n,
  };
}
