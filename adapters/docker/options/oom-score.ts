import { readFileSync } from 'node:fs';

const CAP_SYS_RESOURCE = 24n;

/**
 * Returns the lowest oom_score_adj that a process may get here. Without CAP_SYS_RESOURCE, runc can't set a lower one
 * than its own and would fail; containerd has `restrict_oom_score_adj` for that.
 */
export function lowestOomScore(): number {
  try {
    const bounding = /^CapBnd:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
    if ((BigInt(`0x${bounding}`) >> CAP_SYS_RESOURCE) & 1n) return -1000;
    return Number(readFileSync('/proc/self/oom_score_adj', 'utf8'));
  } catch {
    // Outside Linux, Docker runs in a separate machine.
    return -1000;
  }
}
