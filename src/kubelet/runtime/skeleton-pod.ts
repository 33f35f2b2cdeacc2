import type { ContainerSpec } from '../kubernetes/container.js';
import type { Pod } from '../kubernetes/pod.js';
import type { PodIdentity } from '../types/reports.js';

export interface RuntimePodInfo extends PodIdentity {
  readonly containers: readonly { readonly name: string }[];
}

/** A pod that only the runtime knows, with the fields needed to kill it (container/runtime.go ToAPIPod). */
export function skeletonOf({ uid, name, namespace, containers }: RuntimePodInfo): Pod {
  const names = [...new Set(containers.map((container) => container.name))];
  return {
    metadata: { uid, name, namespace, labels: {}, annotations: {} },
    spec: {
      initContainers: [],
      containers: names.map(containerSkeleton),
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 1,
      hostNetwork: false,
      hostPID: false,
      hostIPC: false,
      shareProcessNamespace: false,
      dnsPolicy: 'Default',
      securityContext: {},
      volumes: [],
    },
    source: 'api',
  };
}

const containerSkeleton = (name: string): ContainerSpec => ({
  name,
  image: '',
  imagePullPolicy: 'Never',
  command: [],
  args: [],
  workingDir: '',
  env: [],
  ports: [],
  volumeMounts: [],
  resources: { limits: {}, requests: {} },
  terminationMessagePath: '',
  terminationMessagePolicy: 'File',
  securityContext: {},
  stdin: false,
  stdinOnce: false,
  tty: false,
  restartPolicyRules: [],
});
