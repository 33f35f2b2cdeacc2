import type { ContainerView } from '../process/process.js';
import type { HostNamespaces } from './files-config.js';

/** What /proc shows beyond the processes. */
export interface ProcSource {
  /** Unix nanoseconds. */
  now(): bigint;
  /** Unix nanoseconds. */
  readonly startedAt: bigint;
  view(): ContainerView;
  readonly host: HostNamespaces;
  readonly idMaps: { readonly uids: string; readonly gids: string };
  /** Uniform in [0, 1). */
  random(): number;
}
