import type { HostAlias, Pod } from '../kubernetes/pod.js';
import { hostnameOf } from './sandbox-config.js';

export interface HostsFileInput {
  readonly pod: Pod;
  readonly podIps: readonly string[];
  readonly ofNode: string;
}

/** kubelet_pods.go shouldMountHostsFile. */
export const hasHostsFile = ({ spec }: Pod, podIps: readonly string[]): boolean =>
  podIps.length > 0 || spec.hostNetwork;

/** kubelet_pods.go ensureHostsFile. */
export function hostsFile({ pod, podIps, ofNode }: HostsFileInput): string {
  const { hostNetwork, hostAliases = [] } = pod.spec;
  const aliases = hostAliases.length === 0 ? '' : `${ALIASES}${hostAliases.map(aliasLine).join('')}`;
  if (hostNetwork) return `# Kubernetes-managed hosts file (host network).\n${ofNode}${aliases}`;
  const own = podIps.map((ip) => `${ip}\t${hostnameOf(pod)}\n`).join('');
  return `${MANAGED}${own}${aliases}`;
}

const aliasLine = ({ ip, hostnames }: HostAlias): string => `${[ip, ...hostnames].join('\t')}\n`;

const ALIASES = '\n# Entries added by HostAliases.\n';

const MANAGED = `# Kubernetes-managed hosts file.
127.0.0.1\tlocalhost
::1\tlocalhost ip6-localhost ip6-loopback
fe00::0\tip6-localnet
fe00::0\tip6-mcastprefix
fe00::1\tip6-allnodes
fe00::2\tip6-allrouters
`;
