import type { Pod } from '../kubernetes/pod.js';
import type { Rejection } from './rejection.js';

/** Safe sysctls (sysctl/safe_sysctls.go), with the minor version that added them unless it is the oldest. */
const SAFE: ReadonlyMap<string, number> = new Map([
  ['kernel.shm_rmid_forced', 0],
  ['net.ipv4.ip_local_port_range', 0],
  ['net.ipv4.tcp_syncookies', 0],
  ['net.ipv4.ping_group_range', 0],
  ['net.ipv4.ip_unprivileged_port_start', 0],
  ['net.ipv4.ip_local_reserved_ports', 0],
  ['net.ipv4.tcp_keepalive_time', 29],
  ['net.ipv4.tcp_fin_timeout', 29],
  ['net.ipv4.tcp_keepalive_intvl', 29],
  ['net.ipv4.tcp_keepalive_probes', 29],
  ['net.ipv4.tcp_rmem', 32],
  ['net.ipv4.tcp_wmem', 32],
  ['net.ipv4.tcp_slow_start_after_idle', 37],
  ['net.ipv4.tcp_notsent_lowat', 37],
]);

/** The kubelet's allowlist (sysctl/allowlist.go) with allowedUnsafeSysctls empty. */
export function forbiddenSysctl({ spec }: Pod, minor: number): Rejection | undefined {
  for (const { name } of spec.securityContext.sysctls ?? []) {
    const why = whyForbidden(name, spec, minor);
    if (why !== undefined)
      return { reason: 'SysctlForbidden', message: `forbidden sysctl: "${name}" ${why}` };
  }
  return undefined;
}

function whyForbidden(
  given: string,
  { hostNetwork, hostIPC }: Pod['spec'],
  minor: number,
): string | undefined {
  const name = normalName(given);
  if ((SAFE.get(name) ?? Number.POSITIVE_INFINITY) > minor) return 'not allowlisted';
  if (hostNetwork && name.startsWith('net.')) return 'not allowed with host net enabled';
  if (hostIPC && name.startsWith('kernel.')) return 'not allowed with host ipc enabled';
  return undefined;
}

/** The first separator decides: in names with slashes, dots are ordinary (component-helpers NormalizeName). */
function normalName(name: string): string {
  if (/[./]/.exec(name)?.[0] !== '/') return name;
  return name.replace(/[./]/g, (separator) => (separator === '/' ? '.' : '/'));
}
