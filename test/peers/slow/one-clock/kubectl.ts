// kubectl, a program in real time, asks an API server on a virtual clock.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { VirtualClock } from '../../../../src/base/clock/virtual-clock.js';

/** What it prints. Meanwhile the clock moves by a millisecond at a time. */
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
  // The clock does not know of kubectl's connections: as if bytes had been sent, all programs look at the network.
  const knock = { bytesRead: 0, bytesWritten: 0, once: () => {} };
  clock.wires.follow(knock);
  while (printed === undefined) {
    await sleep(2);
    knock.bytesWritten++;
    await clock.advance(1);
  }
  return printed;
}
