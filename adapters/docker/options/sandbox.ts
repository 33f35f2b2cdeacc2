import type { ContainerCreateOptions, HostConfig } from 'dockerode';
import { NamespaceMode, type PodSandboxConfig, Protocol } from '../../../src/cri/gen/runtime/v1/api.js';
import type { SandboxSpec } from '../../../src/runtime/engine/backend.js';
import { dockerName, sandboxLabels } from '../labels.js';
import { sandboxSecurity } from './security.js';

export interface SandboxDefaults {
  readonly image: string;
  readonly network: string;
  readonly lowestOomScore: number;
}

/** The infrastructure container of a pod: it holds the network, IPC and, if shared, PID namespaces. */
export async function sandboxOptions(
  spec: SandboxSpec,
  defaults: SandboxDefaults,
): Promise<ContainerCreateOptions> {
  const { config } = spec;
  const namespaces = config.linux?.securityContext?.namespaceOptions;
  const onHost = namespaces?.network === NamespaceMode.NODE;
  const { exposed, bindings } = ports(config);
  const user = config.linux?.securityContext?.runAsUser?.value;
  const group = config.linux?.securityContext?.runAsGroup?.value;
  const hostConfig: HostConfig = {
    ...(await sandboxSecurity(config.linux?.securityContext)),
    ...(onHost ? { NetworkMode: 'host', UTSMode: 'host' } : { NetworkMode: defaults.network }),
    ...(!onHost && { PortBindings: bindings }),
    IpcMode: namespaces?.ipc === NamespaceMode.NODE ? 'host' : 'shareable',
    ...(namespaces?.pid === NamespaceMode.NODE && { PidMode: 'host' }),
    ...dns(config),
    Sysctls: config.linux?.sysctls ?? {},
    ...(config.linux?.cgroupParent && { CgroupParent: config.linux.cgroupParent }),
    OomScoreAdj: Math.max(-998, defaults.lowestOomScore),
    LogConfig: { Type: 'none', Config: {} },
    ...(spec.runtimeHandler !== '' && { Runtime: spec.runtimeHandler }),
  };
  return {
    name: dockerName(spec.id),
    Image: defaults.image,
    Labels: { ...sandboxLabels(spec) },
    ...(!onHost && config.hostname !== '' && { Hostname: config.hostname }),
    ...(user !== undefined && { User: group === undefined ? `${user}` : `${user}:${group}` }),
    ...(!onHost && { ExposedPorts: exposed }),
    HostConfig: hostConfig,
  };
}

/** A DNS config without search domains means no search domains; Docker would use the host's. */
function dns({ dnsConfig }: PodSandboxConfig): HostConfig {
  if (dnsConfig === undefined) return {};
  const { servers, searches, options } = dnsConfig;
  return { Dns: servers, DnsSearch: searches.length > 0 ? searches : ['.'], DnsOptions: options };
}

/** Host port 0 means none (cri-api PortMapping). */
function ports({ portMappings }: PodSandboxConfig) {
  const exposed: Record<string, object> = {};
  const bindings: Record<string, { HostIp: string; HostPort: string }[]> = {};
  for (const { protocol, containerPort, hostPort, hostIp } of portMappings) {
    if (hostPort === 0) continue;
    const port = `${containerPort}/${(Protocol[protocol] ?? 'TCP').toLowerCase()}`;
    exposed[port] = {};
    bindings[port] = [...(bindings[port] ?? []), { HostIp: hostIp, HostPort: String(hostPort) }];
  }
  return { exposed, bindings };
}
