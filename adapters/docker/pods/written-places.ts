import { rootAt } from '../../../src/base/host/pinned.js';
import type { ContainerSpec } from '../../../src/runtime/engine/backend.js';
import type { Context } from '../context.js';

/** Remembers what a container can write of this machine: its links in there lead no log elsewhere. */
export async function noteWritten(
  { local, places }: Pick<Context, 'local' | 'places'>,
  { config }: Pick<ContainerSpec, 'config'>,
): Promise<void> {
  if (!local) return;
  for (const { hostPath, readonly } of config.mounts) {
    // As Docker, which follows all links; what is not there can't be mounted.
    const place = readonly ? undefined : await rootAt(hostPath).catch(() => undefined);
    if (place !== undefined) await places.write(place);
  }
}
