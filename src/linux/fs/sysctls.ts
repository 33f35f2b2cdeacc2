import type { ContainerView } from '../process/process.js';
import { GeneratedDirectory, TextNode } from './generated.js';
import { KERNEL } from './kernel.js';
import type { Vnode } from './vnode.js';

export interface SysctlSource {
  /** Unix nanoseconds. */
  readonly startedAt: bigint;
  view(): ContainerView;
  /** Uniform in [0, 1). */
  random(): number;
}

/** The kernel's defaults. */
const SYSCTLS: Readonly<Record<string, string>> = {
  'fs.file-max': '9223372036854775807',
  'fs.mqueue.msg_max': '10',
  'fs.mqueue.msgsize_max': '8192',
  'fs.mqueue.queues_max': '256',
  'kernel.msgmax': '8192',
  'kernel.msgmnb': '16384',
  'kernel.msgmni': '32000',
  'kernel.osrelease': KERNEL.release,
  'kernel.ostype': KERNEL.type,
  'kernel.pid_max': '4194304',
  'kernel.sem': '32000\t1024000000\t500\t32000',
  'kernel.shm_rmid_forced': '0',
  'kernel.shmall': '18446744073692774399',
  'kernel.shmmax': '18446744073692774399',
  'kernel.shmmni': '4096',
  'kernel.threads-max': '63704',
  'kernel.version': KERNEL.version,
  'net.core.somaxconn': '4096',
  'net.ipv4.ip_forward': '1',
  'net.ipv4.ip_local_port_range': '32768\t60999',
  'net.ipv4.ip_unprivileged_port_start': '0',
  'net.ipv4.ping_group_range': '0\t2147483647',
  'net.ipv4.tcp_keepalive_time': '7200',
  'net.ipv4.tcp_syncookies': '1',
  'vm.max_map_count': '65530',
  'vm.overcommit_memory': '0',
  'vm.swappiness': '60',
};

/** `/proc/sys`: the kernel's defaults with the pod's sysctls. */
export function createSysctls({ view, startedAt, random }: SysctlSource): Vnode {
  const all = () => ({
    ...SYSCTLS,
    'kernel.hostname': view().hostname,
    ...Object.fromEntries(view().sysctls),
  });
  const below = (prefix: string) => (): Readonly<Record<string, Vnode>> => {
    const entries: Record<string, Vnode> = {};
    for (const [name, value] of Object.entries(all())) {
      if (!name.startsWith(prefix)) continue;
      const [first = '', ...rest] = name.slice(prefix.length).split('.');
      const isFile = rest.length === 0;
      entries[first] ??= isFile
        ? new TextNode(() => `${value}\n`, startedAt, 0o644)
        : new GeneratedDirectory(below(`${prefix}${first}.`), startedAt);
    }
    if (prefix === 'kernel.') {
      entries.random = new GeneratedDirectory(
        () => ({ uuid: new TextNode(() => `${uuid(random)}\n`, startedAt) }),
        startedAt,
      );
    }
    return entries;
  };
  return new GeneratedDirectory(below(''), startedAt);
}

function uuid(random: () => number): string {
  const digits = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16)).join('');
  return digits.replace(/(.{8})(.{4}).(.{3}).(.{3})(.{12})/, '$1-$2-4$3-a$4-$5');
}
