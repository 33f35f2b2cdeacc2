import type { SocketState } from '../../base/clock/network/loopback.js';
import type { ContainerView } from '../process/process.js';

export interface ProcSource {
  /** Unix nanoseconds. */
  now(): bigint;
  /** Unix nanoseconds. */
  readonly startedAt: bigint;
  view(): ContainerView;
  sockets(): readonly SocketState[];
  readonly idMaps: { readonly uids: string; readonly gids: string };
  /** Uniform in [0, 1). */
  random(): number;
}
