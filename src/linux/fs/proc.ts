import type { ContainerView } from '../process/process.js';
import { GeneratedDirectory, GeneratedLink, TextNode } from './generated.js';
import { KERNEL } from './kernel.js';
import { processNode } from './proc-process.js';
import type { ProcSource } from './proc-source.js';
import { createSysctls } from './sysctls.js';
import type { Vnode } from './vnode.js';

/** `/proc` of a container's PID namespace (proc(5)); text is generated when it is read. */
export function createProc(source: ProcSource): Vnode {
  const at = source.startedAt;
  const text = (make: () => string, mode?: number) => new TextNode(make, at, mode);
  const link = (target: string) => new GeneratedLink(() => target, at);
  // Made once: each masked or read-only path is looked up when a container starts.
  const fixed: Readonly<Record<string, Vnode>> = {
    self: new GeneratedLink(({ pid }) => String(pid), at),
    'thread-self': new GeneratedLink(({ pid }) => `${pid}/task/${pid}`, at),
    mounts: link('self/mounts'),
    net: link('self/net'),
    cmdline: text(() => 'BOOT_IMAGE=/boot/vmlinuz ro quiet\n'),
    cpuinfo: text(cpuInfo),
    filesystems: text(
      () => 'nodev\tsysfs\nnodev\ttmpfs\nnodev\tproc\nnodev\tcgroup2\nnodev\tdevpts\nnodev\toverlay\n',
    ),
    loadavg: text(() => `0.00 0.00 0.00 1/${source.view().processes().length} ${lastPid(source.view())}\n`),
    meminfo: text(memInfo),
    stat: text(() => kernelStat(source)),
    uptime: text(() => `${secondsUp(source).toFixed(2)} ${secondsUp(source).toFixed(2)}\n`),
    version: text(() => `Linux version ${KERNEL.release} (mockri) ${KERNEL.version}\n`),
    // Paths that kubelet masks by default; they must exist.
    ...Object.fromEntries(
      ['kcore', 'keys', 'timer_list', 'latency_stats'].map((name) => [name, text(() => '', 0o400)]),
    ),
    ...Object.fromEntries(
      ['acpi', 'asound', 'bus', 'fs', 'irq', 'scsi'].map((name) => [
        name,
        new GeneratedDirectory(() => ({}), at),
      ]),
    ),
    interrupts: text(() => ''),
    sysvipc: new GeneratedDirectory(() => ({ shm: text(() => SHARED_MEMORY) }), at),
    'sysrq-trigger': text(() => '', 0o200),
    sys: createSysctls(source),
  };
  const entries = () => {
    const processes = source.view().processes();
    return {
      ...fixed,
      ...Object.fromEntries(processes.map((process) => [String(process.pid), processNode(process, source)])),
    };
  };
  return new GeneratedDirectory(entries, at);
}

const lastPid = (view: ContainerView): number => Math.max(0, ...view.processes().map(({ pid }) => pid));

const secondsUp = ({ now, startedAt }: ProcSource): number => Math.max(0, Number(now() - startedAt) / 1e9);

/** Without segments: nothing here creates any, and the machine's are hidden. */
const SHARED_MEMORY =
  '       key      shmid perms                  size  cpid  lpid nattch   uid   gid  cuid  cgid      atime      dtime      ctime                   rss                  swap\n';

/** The simulated node has four processors and 8 GiB on every machine. */
const PROCESSORS = 4;
const MEMORY_KIB = 8 * 1024 * 1024;

function cpuInfo(): string {
  const one = (index: number) =>
    `processor\t: ${index}\nvendor_id\t: Mockri\nmodel name\t: Mockri Virtual CPU\ncpu MHz\t\t: 2000.000\ncpu cores\t: ${PROCESSORS}\n\n`;
  return Array.from({ length: PROCESSORS }, (_, index) => one(index)).join('');
}

function memInfo(): string {
  const rows = {
    MemTotal: MEMORY_KIB,
    MemFree: MEMORY_KIB / 2,
    MemAvailable: (MEMORY_KIB * 3) / 4,
    Buffers: 0,
    Cached: MEMORY_KIB / 4,
    SwapTotal: 0,
    SwapFree: 0,
  };
  return Object.entries(rows)
    .map(([name, value]) => `${`${name}:`.padEnd(16)}${String(value).padStart(8)} kB\n`)
    .join('');
}

function kernelStat(source: ProcSource): string {
  const bootedAt = source.startedAt / 1_000_000_000n;
  const cpu = (name: string) => `${name} 0 0 0 ${Math.floor(secondsUp(source) * 100)} 0 0 0 0 0 0\n`;
  const cpus = Array.from({ length: PROCESSORS }, (_, index) => cpu(`cpu${index}`));
  return `${cpu('cpu ')}${cpus.join('')}btime ${bootedAt}\nprocesses ${lastPid(source.view())}\n`;
}
