import {
  ContainerConfig,
  type ContainerStatus,
  PodSandboxConfig,
  PodSandboxStatus,
} from '../../../cri/gen/runtime/v1/api.js';
import { PAUSE } from '../../../cri/pod-files.js';
import {
  capabilitiesOf,
  containerSpec,
  type GivenSpec,
  type Spec,
  sandboxSpec,
} from '../containerd/runtime-spec.js';
import { type Info, infoOf, parseInfo } from '../info.js';
import { recordedConfig } from '../recorded.js';

/** CRI-O's config with runc; paths and cgroups are the defaults. */
const runtimeConfig = recordedConfig('cri-o/config-1.36.json');

/** Information for Status (server/runtime_status.go). */
export const statusInfo = (): Info => ({
  config: JSON.stringify({ crio: runtimeConfig(), sandboxImage: PAUSE }),
});

/** Information for PodSandboxStatus (server/sandbox_status.go), from the engine's info. */
export function sandboxInfo(given: Info, status: PodSandboxStatus, ociVersion: string): Info {
  const { pid, config } = parseInfo<{ readonly pid: number; readonly config: object }>(given);
  const spec = sandboxSpec(PodSandboxConfig.fromJSON(config), status, { ociVersion, sysctls: {} });
  const { name = '', namespace = '', uid = '', attempt = 0 } = status.metadata ?? {};
  const runtimeSpec = annotated(spec, {
    Name: `k8s_${name}_${namespace}_${uid}_${attempt}`,
    ContainerName: `k8s_POD_${name}_${namespace}_${uid}_${attempt}`,
    ContainerType: 'sandbox',
    SandboxID: status.id,
    KubeName: name,
    Namespace: namespace,
  });
  return infoOf({ image: PAUSE, pid, runtimeSpec });
}

interface GivenContainer {
  readonly sandboxID: string;
  readonly pid: number;
  readonly config: { readonly envs?: readonly object[] };
  readonly runtimeSpec: GivenSpec & Partial<Pick<Spec, 'annotations' | 'linux'>>;
}

/** Information for ContainerStatus (server/container_status.go), from the engine's info. */
export function containerInfo(
  given: Info,
  status: ContainerStatus,
  isRunning: boolean,
  ociVersion: string,
): Info {
  const { sandboxID, pid, config, runtimeSpec } = parseInfo<GivenContainer>(given);
  const decoded = ContainerConfig.fromJSON({ ...config, envs: [] });
  const privileged = decoded.linux?.securityContext?.privileged ?? false;
  const shown = (spec: Spec): Info =>
    infoOf({ sandboxID, pid: isRunning ? pid : 0, runtimeSpec: spec, privileged });
  if (runtimeSpec.linux !== undefined)
    return shown(specWithPlugins(runtimeSpec as Spec, decoded, ociVersion));
  const pod = { status: { ...NO_POD, id: sandboxID }, pid };
  const spec = containerSpec(runtimeSpec, status.id, decoded, pod, ociVersion);
  const annotations = {
    Name: status.metadata?.name ?? '',
    ContainerID: status.id,
    ContainerType: 'container',
    SandboxID: sandboxID,
    ImageName: status.image?.image ?? '',
    LogPath: status.logPath,
  };
  return shown(annotated(spec, annotations));
}

/** The whole spec is the plugins', with their changes, except for fields that NRI lacks. */
function specWithPlugins(given: Spec, config: ContainerConfig, ociVersion: string): Spec {
  const capabilities = capabilitiesOf(config, runtimeConfig().DefaultCapabilities ?? []);
  return {
    ...given,
    ociVersion,
    process: { ...given.process, capabilities },
    root: { ...given.root, path: given.annotations['io.kubernetes.cri-o.MountPoint'] },
  };
}

/** The spec with the annotations that CRI-O adds (pkg/annotations). */
const annotated = (spec: Spec, own: Readonly<Record<string, string>>): Spec => ({
  ...spec,
  annotations: Object.fromEntries(
    Object.entries(own).map(([name, value]) => [`io.kubernetes.cri-o.${name}`, value]),
  ),
});

const NO_POD = PodSandboxStatus.fromPartial({});
