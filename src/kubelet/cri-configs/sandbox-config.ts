import {
  NamespaceMode,
  PodSandboxConfig,
  Protocol,
  SecurityProfile_ProfileType,
} from '../../cri/gen/runtime/v1/api.js';
import { sandboxLabels } from '../client/labels.js';
import type { Pod } from '../kubernetes/pod.js';

/** generatePodSandboxConfig (kuberuntime_sandbox.go). */
export function sandboxConfig(pod: Pod, attempt: number, logDirectory: string): PodSandboxConfig {
  const { metadata, spec } = pod;
  return PodSandboxConfig.fromPartial({
    metadata: { name: metadata.name, uid: metadata.uid, namespace: metadata.namespace, attempt },
    hostname: hostnameOf(pod),
    logDirectory,
    dnsConfig: { servers: [], searches: [], options: [] },
    labels: sandboxLabels(pod),
    annotations: { ...metadata.annotations },
    portMappings: portMappings(pod),
    linux: {
      sysctls: Object.fromEntries(
        (spec.securityContext.sysctls ?? []).map(({ name, value }) => [name, value]),
      ),
      securityContext: {
        namespaceOptions: namespaceOptions(pod),
        privileged: [...spec.initContainers, ...spec.containers].some(
          (container) => container.securityContext.privileged === true,
        ),
        supplementalGroups: supplementalGroups(pod),
        seccomp: { profileType: SecurityProfile_ProfileType.RuntimeDefault },
        ...(spec.securityContext.runAsUser === undefined
          ? {}
          : { runAsUser: { value: BigInt(spec.securityContext.runAsUser) } }),
        ...(spec.securityContext.runAsGroup === undefined
          ? {}
          : { runAsGroup: { value: BigInt(spec.securityContext.runAsGroup) } }),
      },
    },
  });
}

/** convertToRuntimeSecurityContext: `fsGroup` comes first. */
export const supplementalGroups = ({ spec }: Pod): bigint[] =>
  [spec.securityContext.fsGroup ?? [], spec.securityContext.supplementalGroups ?? []].flat().map(BigInt);

/** The runtime must return NamespaceOption unchanged: the kubelet compares it to decide about a new sandbox. */
export function namespaceOptions({ spec }: Pod) {
  return {
    network: spec.hostNetwork ? NamespaceMode.NODE : NamespaceMode.POD,
    ipc: spec.hostIPC ? NamespaceMode.NODE : NamespaceMode.POD,
    pid: spec.hostPID
      ? NamespaceMode.NODE
      : spec.shareProcessNamespace
        ? NamespaceMode.POD
        : NamespaceMode.CONTAINER,
  };
}

/** Empty with host network: the runtime then uses the node's name. At most 63 characters (util.go). */
export function hostnameOf({ metadata, spec }: Pod): string {
  if (spec.hostNetwork) return '';
  return (spec.hostnameOverride ?? spec.hostname ?? metadata.name).slice(0, 63).replace(/[-.]+$/, '');
}

function portMappings({ spec }: Pod) {
  return spec.containers.flatMap((container) =>
    container.ports.map((port) => ({
      protocol: Protocol[port.protocol],
      containerPort: port.containerPort,
      hostPort: port.hostPort ?? 0,
      hostIp: port.hostIP ?? '',
    })),
  );
}
