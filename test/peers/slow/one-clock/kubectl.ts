// kubectl, a program in real time, calls an API server on a virtual clock.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { VirtualClock } from '../../../../src/base/clock/virtual-clock.js';

/** Resolves with its output. Meanwhile the clock advances by a millisecond at a time. */
export async function kubectl(
  clock: VirtualClock,
  programs: string,
  directory: string,
  args: readonly string[],
): Promise<string> {
  let printed: string | undefined;
  const flags = ['--kubeconfig', join(directory, 'admin.kubeconfig'), ...args];
  execFile(join(programs, 'kubectl'), flags, (error, stdout, stderr) => {
    printed = error ? `${error.message}${stderr}` : stdout;
  });
  // The clock doesn't see kubectl's connections: this makes all programs check the network, as after a transfer.
  const knock = { bytesRead: 0, bytesWritten: 0, once: () => {} };
  clock.wires.follow(knock);
  while (printed === undefined) {
    await sleep(2);
    knock.bytesWritten++;
    await clock.advance(1);
  }
  return printed;
}
