import { ContainerConfig, PodSandboxConfig, type PodSandboxStatus } from '../../../cri/gen/runtime/v1/api.js';
import { networkNamespaceOf, PAUSE } from '../../../cri/pod-files.js';
import { goJson } from '../go-json.js';
import { type Info, infoOf, parseInfo } from '../info.js';
import { containerSpec, type GivenSpec, type Spec, type SpecFacts, sandboxSpec } from './runtime-spec.js';

export interface InfoFacts extends SpecFacts {
  /** The Go version of Debian's package. */
  readonly golang: string;
  /** The part `config` of Status: the default config. */
  readonly config: object;
}

const stored = (id: string) => ({
  snapshotKey: id,
  snapshotter: 'overlayfs',
  runtimeType: 'io.containerd.runc.v2',
  runtimeOptions: null,
});

/**
 * Information for ContainerStatus, from the engine's info (container_status.go, toCRIContainerInfo) and its sandbox's.
 */
export function containerInfo(
  given: Info,
  { id, isRunning }: { readonly id: string; readonly isRunning: boolean },
  sandbox: { readonly status: PodSandboxStatus; readonly info: Info },
  { ociVersion }: InfoFacts,
): Info {
  const { sandboxID, pid, removing, config, runtimeSpec, nriOwners } = parseInfo<GivenContainer>(given);
  const { envs = [] } = config;
  const decoded = ContainerConfig.fromJSON({ ...config, envs: [] });
  const shown = { ...goJson(decoded), ...(envs.length > 0 && { envs }) };
  const pod = { status: sandbox.status, pid: parseInfo<GivenSandbox>(sandbox.info).pid };
  return infoOf({
    sandboxID,
    pid: isRunning ? pid : 0,
    removing,
    ...stored(id),
    config: shown,
    runtimeSpec: withPluginSpec(containerSpec(runtimeSpec, id, decoded, pod, ociVersion), runtimeSpec),
    ...(nriOwners !== undefined && { nriOwners }),
  });
}

/** The plugins' spec, with their changes and CDI devices, replaces the runtime's own. */
function withPluginSpec(own: Spec, { process, root: _, ...given }: GivenSpec): Spec {
  // containerd sets the host name in the pod's namespace only.
  const { linux, hostname: _name, ...others } = given as Partial<Spec>;
  // Only the spec of plugins has this part, and it always has it.
  if (linux === undefined) return own;
  const { ociVersion } = own;
  const { oomScoreAdj: _score, ...ownProcess } = own.process as { readonly oomScoreAdj?: number };
  return {
    ...own,
    ...others,
    ociVersion,
    process: { ...ownProcess, ...process },
    linux: { ...own.linux, ...linux },
  };
}

/** Information for PodSandboxStatus, from the engine's info (sandbox_status.go, toCRISandboxInfo). */
export function sandboxInfo(given: Info, status: PodSandboxStatus, facts: InfoFacts): Info {
  const { pid, processStatus, config: text } = parseInfo<GivenSandbox>(given);
  const config = PodSandboxConfig.fromJSON(text);
  const isReady = processStatus === 'running';
  const isOnHost = config.linux?.securityContext?.namespaceOptions?.network === 2;
  const { id, runtimeHandler } = status;
  const ip = status.network?.ip ?? '';
  const cni = isOnHost ? null : cniResult(ip);
  const { name = '', namespace = '', uid = '', attempt = 0 } = status.metadata ?? {};
  const sandboxMetadata = {
    Version: 'v1',
    Metadata: {
      ID: id,
      Name: [name, namespace, uid, attempt].join('_'),
      Config: goJson(config),
      NetNSPath: isOnHost ? '' : networkNamespaceOf(id),
      IP: ip,
      AdditionalIPs: null,
      RuntimeHandler: runtimeHandler,
      CNIResult: cni,
      ProcessLabel: '',
    },
  };
  return infoOf({
    pid: isReady ? pid : 0,
    processStatus,
    netNamespaceClosed: !isReady && !isOnHost,
    image: PAUSE,
    ...stored(id),
    config: goJson(config),
    runtimeSpec: sandboxSpec(config, status, facts),
    cniResult: cni,
    sandboxMetadata,
  });
}

export const runtimeInfo = (given: Info, { golang, config }: InfoFacts): Info => ({
  ...given,
  golang: JSON.stringify(golang),
  config: JSON.stringify(config),
});

function cniResult(ip: string): object {
  const link = { Mac: '', Sandbox: '', PciID: '', SocketPath: '' };
  const addresses = (...ips: readonly string[]) => ips.map((IP) => ({ IP, Gateway: '' }));
  return {
    Interfaces: {
      eth0: { IPConfigs: ip === '' ? null : addresses(ip), ...link },
      lo: { IPConfigs: addresses('127.0.0.1', '::1'), ...link },
    },
    DNS: [{}, {}],
    Routes: [{ dst: '0.0.0.0/0' }],
  };
}

interface GivenContainer {
  readonly sandboxID: string;
  readonly pid: number;
  readonly removing: boolean;
  readonly config: { readonly envs?: readonly object[] };
  readonly runtimeSpec: GivenSpec;
  /** Set for a container that node resource plugins or CDI devices have changed. */
  readonly nriOwners?: unknown;
}

interface GivenSandbox {
  readonly pid: number;
  readonly processStatus: string;
  readonly config: object;
}

export const sandboxIdIn = (info: Info): string => parseInfo<GivenContainer>(info).sandboxID;
