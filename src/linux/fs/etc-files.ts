import type { DnsConfig } from './files-config.js';

/** The node's own, with the address that a cluster's DNS often has; it is never contacted. */
export const RESOLV_CONF = 'nameserver 10.96.0.10\n';

/** The files that containerd writes for a sandbox and mounts into its containers. */
export function etcFiles(
  dns: DnsConfig | undefined,
  hostname: string,
  ips: readonly string[],
): Readonly<Record<string, string>> {
  return {
    '/etc/hostname': `${hostname}\n`,
    '/etc/hosts': hosts(hostname, ips),
    '/etc/resolv.conf': resolvConf(dns),
  };
}

function hosts(hostname: string, ips: readonly string[]): string {
  const loopback = '127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n';
  return loopback + ips.map((ip) => `${ip}\t${hostname}\n`).join('');
}

/** Like containerd's parseDNSOptions; without a DNS config (dns policy Default) the node's own file. */
function resolvConf(dns: DnsConfig | undefined): string {
  const { servers = [], searches = [], options = [] } = dns ?? {};
  if (servers.length + searches.length + options.length === 0) return RESOLV_CONF;
  const search = searches.length > 0 ? [`search ${searches.join(' ')}`] : [];
  const option = options.length > 0 ? [`options ${options.join(' ')}`] : [];
  return [...search, ...servers.map((server) => `nameserver ${server}`), ...option, ''].join('\n');
}
