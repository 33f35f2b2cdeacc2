import type { SeenProcess } from '../process/process.js';

/** Bits of capabilities(7), in the kernel's order. */
const CAPABILITIES =
  'CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP LINUX_IMMUTABLE NET_BIND_SERVICE NET_BROADCAST NET_ADMIN NET_RAW IPC_LOCK IPC_OWNER SYS_MODULE SYS_RAWIO SYS_CHROOT SYS_PTRACE SYS_PACCT SYS_ADMIN SYS_BOOT SYS_NICE SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG MKNOD LEASE AUDIT_WRITE AUDIT_CONTROL SETFCAP MAC_OVERRIDE MAC_ADMIN SYSLOG WAKE_ALARM BLOCK_SUSPEND AUDIT_READ PERFMON BPF CHECKPOINT_RESTORE'.split(
    ' ',
  );

/** Sixteen hex digits, the format of CapBnd. */
export function capabilityMask(names: readonly string[]): string {
  const bits = names.map((name) => CAPABILITIES.indexOf(name.toUpperCase().replace(/^CAP_/, '')));
  const mask = bits.filter((bit) => bit >= 0).reduce((sum, bit) => sum | (1n << BigInt(bit)), 0n);
  return mask.toString(16).padStart(16, '0');
}

/** /proc/PID/status, proc(5). */
export function statusText(process: SeenProcess): string {
  const { capabilities, security } = process.container;
  const { noNewPrivs, seccomp } = security;
  const { uid, gid, groups } = process.user;
  const bounding = capabilityMask(capabilities);
  // Without ambient capabilities, a user other than root starts with none.
  const effective = uid === 0 ? bounding : capabilityMask([]);
  const rows: Readonly<Record<string, string>> = {
    Name: commandName(process),
    Umask: '0022',
    State: 'S (sleeping)',
    Tgid: `${process.pid}`,
    Ngid: '0',
    Pid: `${process.pid}`,
    PPid: `${process.ppid}`,
    TracerPid: '0',
    Uid: [uid, uid, uid, uid].join('\t'),
    Gid: [gid, gid, gid, gid].join('\t'),
    FDSize: '64',
    Groups: groups.join(' '),
    VmPeak: '    4408 kB',
    VmSize: '    4408 kB',
    VmRSS: '    2048 kB',
    Threads: '1',
    CapInh: capabilityMask([]),
    CapPrm: effective,
    CapEff: effective,
    CapBnd: bounding,
    CapAmb: capabilityMask([]),
    NoNewPrivs: noNewPrivs ? '1' : '0',
    Seccomp: seccomp ? '2' : '0',
    Seccomp_filters: seccomp ? '1' : '0',
  };
  return Object.entries(rows)
    .map(([name, value]) => `${name}:\t${value}\n`)
    .join('');
}

/** /proc/PID/stat, proc(5): unsimulated fields are 0. */
export function statText(process: SeenProcess): string {
  const rest = new Array<number>(45).fill(0);
  rest[16] = 1;
  return `${process.pid} (${commandName(process)}) S ${process.ppid} ${process.pid} ${process.pid} 0 -1 ${rest.join(' ')}\n`;
}

/** The name in /proc/PID/comm; a title adds text after a colon (`nginx: worker process`). */
export const commandName = ({ argv }: SeenProcess): string =>
  (argv[0] ?? '').replace(/:.*$/s, '').replace(/^.*\//, '').slice(0, 15);
