import { readFileSync } from 'node:fs';
import { Account } from '../input/account.js';
import { createLimiter } from '../input/limiter.js';

/** Used if the system has no /proc: the usual default of Linux. */
const USUAL_DESCRIPTORS = 1024;

/** Descriptors that this process may open. Node raises the soft limit to the hard limit at its start. */
function descriptorLimit(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const [, soft] = /^Max open files\s+(\d+|unlimited)/m.exec(limits) ?? [];
    return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft) || USUAL_DESCRIPTORS;
  } catch {
    return USUAL_DESCRIPTORS;
  }
}

/** At most `most` descriptors of a kind, and at most one of `share` descriptors of this process. */
export const descriptorsOf = (most: number, share: number): number =>
  Math.max(16, Math.min(most, Math.floor(descriptorLimit() / share)));

/**
 * Descriptors that containers occupy: files that they hold open on this machine's disk, logs, ports, connections to these.
 * The kernel counts them for the whole process, so all nodes in it share them.
 */
export const containerDescriptors = new Account(descriptorsOf(4096, 8));

/** Limits the file operations of containers on this machine: each opens a few descriptors, and libuv runs only four at a time. */
export const fileOperations = createLimiter(16);
