import { rootAt } from '../../../src/base/host/pinned.js';
import type { ContainerSpec } from '../../../src/runtime/engine/backend.js';
import type { Context } from '../context.js';

/** Notes the host directories that a container can write: logs must not follow its links. */
export async function noteWritten(
  { local, places }: Pick<Context, 'local' | 'places'>,
  { config }: Pick<ContainerSpec, 'config'>,
): Promise<void> {
  if (!local) return;
  for (const { hostPath, readonly } of config.mounts) {
    // Docker follows all links; it can't mount a missing path.
    const place = readonly ? undefined : await rootAt(hostPath).catch(() => undefined);
    if (place !== undefined) await places.write(place);
  }
}
