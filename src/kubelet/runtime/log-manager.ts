import type { Clock } from '../../base/clock/clock.js';
import { ContainerState } from '../../cri/gen/runtime/v1/api.js';
import type { RuntimeClient } from '../client/client.js';
import type { KubeletFiles } from '../disk/files.js';

export interface LogRotationOptions {
  readonly clock: Clock;
  readonly client: RuntimeClient;
  readonly files: KubeletFiles;
  /** Bytes from which a log is rotated. */
  readonly maxSize: number;
  /** Per container, including the current file. */
  readonly maxFiles: number;
  readonly log: (message: string) => void;
}

/**
 * One round of the container log manager (logs/container_log_manager.go). It reads the status of every running
 * container for the log path, even if no log needs rotation.
 */
export async function rotateLogs(options: LogRotationOptions): Promise<void> {
  const { client, files, maxSize, log } = options;
  for (const { id, state } of await client.listContainers()) {
    if (state !== ContainerState.CONTAINER_RUNNING) continue;
    try {
      const status = await client.containerStatus(id);
      const size = await files.logSize(status.logPath);
      if (size === undefined) {
        if (files.keepsLogs) await client.reopenLog(id);
      } else if (size >= maxSize) {
        await rotate(options, id, status.logPath);
      }
    } catch (error) {
      log(`Failed to rotate log for container ${id}: ${(error as Error).message}`);
    }
  }
}

async function rotate({ clock, client, files, maxFiles }: LogRotationOptions, id: string, path: string) {
  const undo = await files.rotate(path, stampOf(clock.now()));
  try {
    await client.reopenLog(id);
  } catch (error) {
    await undo();
    throw error;
  }
  await files.compressRotated(path, maxFiles - 1);
}

/** Go's time layout 20060102-150405, in UTC. */
function stampOf(now: bigint): string {
  const iso = new Date(Number(now / 1_000_000n)).toISOString();
  return iso.slice(0, 19).replaceAll('-', '').replaceAll(':', '').replace('T', '-');
}
