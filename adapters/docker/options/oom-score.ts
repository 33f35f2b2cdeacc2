import { readFileSync } from 'node:fs';

const CAP_SYS_RESOURCE = 24n;

/**
 * The lowest oom_score_adj that can be given to a process here. Without CAP_SYS_RESOURCE on the machine at all, runc
 * can't lower it below our own and would die; containerd has `restrict_oom_score_adj` for that.
 */
export function lowestOomScore(): number {
  try {
    const bounding = /^CapBnd:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
    if ((BigInt(`0x${bounding}`) >> CAP_SYS_RESOURCE) & 1n) return -1000;
    return Number(readFileSync('/proc/self/oom_score_adj', 'utf8'));
  } catch {
    // Not on Linux: Docker runs in a separate machine.
    return -1000;
  }
}
