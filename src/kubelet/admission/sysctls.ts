import type { Pod } from '../../kubernetes/pod.js';
import type { Rejection } from './rejection.js';

/** Kernel parameters that a pod may set, because they change nothing for others (sysctl/safe_sysctls.go). */
const SAFE: ReadonlySet<string> = new Set([
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
  'net.ipv4.tcp_rmem',
  'net.ipv4.tcp_wmem',
]);

/** The kubelet's allowlist (sysctl/allowlist.go), without allowedUnsafeSysctls. */
export function forbiddenSysctl({ spec }: Pod): Rejection | undefined {
  for (const { name } of spec.securityContext.sysctls ?? []) {
    const why = whyForbidden(name, spec);
    if (why !== undefined)
      return { reason: 'SysctlForbidden', message: `forbidden sysctl: "${name}" ${why}` };
  }
  return undefined;
}

function whyForbidden(given: string, { hostNetwork, hostIPC }: Pod['spec']): string | undefined {
  const name = normalName(given);
  if (!SAFE.has(name)) return 'not allowlisted';
  if (hostNetwork && name.startsWith('net.')) return 'not allowed with host net enabled';
  if (hostIPC && name.startsWith('kernel.')) return 'not allowed with host ipc enabled';
  return undefined;
}

/** Parts are separated by points, or by slashes; then a point is part of a name (component-helpers NormalizeName). */
function normalName(name: string): string {
  if (/[./]/.exec(name)?.[0] !== '/') return name;
  return name.replace(/[./]/g, (separator) => (separator === '/' ? '.' : '/'));
}
