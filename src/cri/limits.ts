import { readFileSync } from 'node:fs';

/** Larger messages are refused in both directions, as by kubelet and containerd (cri-client maxMsgSize). */
export const LARGEST_MESSAGE = 16 * 1024 * 1024;

/** Used if the system has no /proc: the usual default of Linux. */
const USUAL_DESCRIPTORS = 1024;

/** Descriptors that this process may open. Node raises the soft limit to the hard limit at its start. */
export function descriptorLimit(read = () => readFileSync('/proc/self/limits', 'utf8')): number {
  try {
    const [, soft] = /^Max open files\s+(\d+|unlimited)/m.exec(read()) ?? [];
    return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft) || USUAL_DESCRIPTORS;
  } catch {
    return USUAL_DESCRIPTORS;
  }
}

/** At most `most` connections, and at most one for `share` descriptors of this process. */
export const connectionLimit = (most: number, share: number): number =>
  Math.max(16, Math.min(most, Math.floor(descriptorLimit() / share)));
