import type { ContainerView } from '../process/process.js';
import type { CgroupLimits } from './files-config.js';
import { GeneratedDirectory, TextNode } from './generated.js';
import type { Vnode } from './vnode.js';

export interface CgroupSource {
  /** Unix nanoseconds. */
  readonly startedAt: bigint;
  /** The effective limits: UpdateContainerResources changes them. */
  resources(): CgroupLimits | undefined;
  view(): ContainerView;
}

/** `/sys`: only the paths that kubelet masks, and the mount point of the cgroup. */
export function createSys(at: bigint): Vnode {
  const named = (entries: () => Readonly<Record<string, Vnode>>) => new GeneratedDirectory(entries, at);
  const empty = () => named(() => ({}));
  const cpu = () => named(() => ({ online: new TextNode(() => '0-3\n', at) }));
  return named(() => ({
    class: named(() => ({ net: empty() })),
    devices: named(() => ({
      system: named(() => ({ cpu: cpu() })),
      virtual: named(() => ({ powercap: empty() })),
    })),
    firmware: empty(),
    fs: named(() => ({ cgroup: empty() })),
    kernel: empty(),
    module: empty(),
  }));
}

export const createCgroup = (source: CgroupSource): Vnode =>
  new GeneratedDirectory(() => cgroupFiles(source), source.startedAt);

/** Files of cgroup v2, with the values that runc writes for the resources (cgroups.7, runc's fs2 package). */
function cgroupFiles({ resources, view, startedAt }: CgroupSource): Readonly<Record<string, Vnode>> {
  const given = resources();
  const limit = (value: bigint | undefined) => (value && value > 0n ? String(value) : 'max');
  const quota = given && given.cpuQuota > 0n ? String(given.cpuQuota) : 'max';
  const swap = given && given.memorySwapLimitInBytes > given.memoryLimitInBytes;
  const swapLimit = swap ? given.memorySwapLimitInBytes - given.memoryLimitInBytes : undefined;
  const processes = () => view().ownProcesses();
  const { oomKills, memoryUsed, cpuUsed } = view();
  const microseconds = Math.round(cpuUsed / 1000);
  const texts: Readonly<Record<string, string>> = {
    'cgroup.controllers': 'cpuset cpu io memory hugetlb pids rdma misc',
    'cgroup.procs': processes()
      .map(({ pid }) => pid)
      .join('\n'),
    'cgroup.type': 'domain',
    'cpu.max': `${quota} ${given?.cpuPeriod || 100_000n}`,
    'cpu.stat': `usage_usec ${microseconds}\nuser_usec ${microseconds}\nsystem_usec 0`,
    'cpu.weight': String(weightOf(given?.cpuShares ?? 0n)),
    'cpuset.cpus': given?.cpusetCpus ?? '',
    'cpuset.cpus.effective': given?.cpusetCpus || '0-3',
    'cpuset.mems': given?.cpusetMems ?? '',
    'memory.current': String(memoryUsed),
    'memory.events': `low 0\nhigh 0\nmax ${oomKills}\noom ${oomKills}\noom_kill ${oomKills}\noom_group_kill 0`,
    'memory.high': 'max',
    'memory.max': limit(given?.memoryLimitInBytes),
    'memory.min': '0',
    'memory.swap.max':
      swapLimit === undefined ? (given?.memoryLimitInBytes ? '0' : 'max') : String(swapLimit),
    'pids.current': String(processes().length),
    'pids.max': 'max',
    ...given?.unified,
  };
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [
      name,
      new TextNode(() => (text ? `${text}\n` : '\n'), startedAt, 0o644),
    ]),
  );
}

/** Converts CPU shares (2 to 262144) to a weight (1 to 10000), linearly, as in KEP-2254 and runc before 1.3.2. */
function weightOf(shares: bigint): bigint {
  if (shares === 0n) return 100n;
  const clamped = shares < 2n ? 2n : shares > 262_144n ? 262_144n : shares;
  return 1n + ((clamped - 2n) * 9999n) / 262_142n;
}
