import { readFileSync } from 'node:fs';
import type { HostNamespaces } from './files-config.js';

const SOCKETS_HEAD =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
const SHM_HEAD =
  '       key      shmid perms                  size  cpid  lpid nattch   uid   gid  cuid  cgid      atime      dtime      ctime                   rss                  swap\n';

/**
 * /proc/net/tcp or tcp6: of the host's sockets, all in its network; elsewhere those with an address of the pod, for
 * a pod's address is one of the host's loopback addresses.
 */
export function socketsText(name: 'tcp' | 'tcp6', host: HostNamespaces, ips: readonly string[]): string {
  const text = readHost(`/proc/net/${name}`, SOCKETS_HEAD);
  if (host.network) return text;
  const [head = '', ...rows] = text.split('\n');
  const own = new Set(ips.map(hexadecimal));
  const kept = rows.filter((row) => own.has(/^\s*\d+: ([0-9A-F]+):/.exec(row)?.[1] ?? ''));
  return [head, ...kept, ''].join('\n');
}

const DEVICES_HEAD = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
`;

/** /proc/net/dev: of the host, all in its network; elsewhere the pod's two interfaces. Those that were added count nothing. */
export function devicesText(host: HostNamespaces, added: readonly string[]): string {
  const lines = (names: readonly string[]) =>
    names.map((name) => `${name.padStart(6)}:${'       0'.repeat(16)}\n`).join('');
  const own = DEVICES_HEAD + lines(['lo', 'eth0']);
  return (host.network ? readHost('/proc/net/dev', own) : own) + lines(added);
}

/** /proc/sysvipc/shm: a pod that isn't in the host's IPC namespace has no segments, since nothing here makes any. */
export const sharedMemoryText = (host: HostNamespaces): string =>
  host.ipc ? readHost('/proc/sysvipc/shm', SHM_HEAD) : SHM_HEAD;

/** An IPv4 address as the kernel of a little-endian machine prints it. */
const hexadecimal = (ip: string): string =>
  ip
    .split('.')
    .reverse()
    .map((part) => Number(part).toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase();

/** A host that isn't Linux has none of these. */
function readHost(path: string, otherwise: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return otherwise;
  }
}
