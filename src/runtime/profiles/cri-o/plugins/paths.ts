import { createHash } from 'node:crypto';

/** CRI-O's directory of pods and containers, with its default config. */
const RUN = '/run/containers/storage/overlay-containers';

export const filesOf = (id: string): string => `${RUN}/${id}/userdata`;

/** The root file system of a container, in the directory of its layer, which has another id. */
export const rootOf = (id: string): string => {
  const layer = createHash('sha256').update(id).digest('hex');
  return `/var/lib/containers/storage/overlay/${layer}/merged`;
};

export const namespaceOf = (type: 'ipc' | 'net' | 'uts', sandboxId: string): string => {
  const hex = sandboxId.slice(0, 32).padEnd(32, '0');
  const uuid = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
  return `/var/run/${type}ns/${uuid.join('-')}`;
};

/** The path of a cgroup: with systemd as `SLICE:PREFIX:NAME`. */
export function cgroupsPathOf(parent: string, id: string): string {
  const slice = parent.split('/').at(-1) ?? '';
  if (slice.endsWith('.slice')) return `${slice}:crio:${id}`;
  return parent === '' ? `crio-${id}` : `${parent.replace(/\/$/, '')}/crio-${id}`;
}
