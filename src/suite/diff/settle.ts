import { ContainerState } from '../../cri/gen/runtime/v1/api.js';
import type { Program } from './programs.js';
import type { Side } from './side.js';

/** Times in ms: the longest wait, and between two looks. */
const LONGEST = 5000;
const LOOK = 10;

/** Waits until a started container is at rest: its program has ended, or its signal handler is set. */
export async function settle(
  side: Side,
  containerId: string,
  settles: NonNullable<Program['settles']>,
): Promise<void> {
  const { clock, signal } = side;
  const deadline = clock.elapsed() + LONGEST;
  const isSettled = settles === 'exit' ? hasExited : isArmed;
  while (!signal.aborted && clock.elapsed() < deadline && !(await isSettled(side, containerId)))
    await clock.sleep(LOOK);
}

async function hasExited({ cri, timeout, signal }: Side, containerId: string): Promise<boolean> {
  const reply = await cri.containerStatus({ containerId }, { timeout, signal }).catch(() => undefined);
  return reply?.status?.state !== ContainerState.CONTAINER_RUNNING;
}

async function isArmed({ cri, timeout, signal }: Side, containerId: string): Promise<boolean> {
  const request = { containerId, cmd: ['test', '-e', '/armed'], timeout: 5n };
  const reply = await cri.execSync(request, { timeout, signal }).catch(() => undefined);
  return reply === undefined || reply.exitCode === 0;
}
