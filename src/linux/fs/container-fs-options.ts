import type { Clock } from '../../base/clock/clock.js';
import type { Account } from '../../base/input/account.js';
import type { ContainerView } from '../process/process.js';
import type { CgroupLimits, FilesConfig } from './files-config.js';
import type { ImageDirectory } from './image-tree.js';
import type { LayerLimits } from './layer/layer.js';
import type { Place } from './node-disk.js';

export interface ContainerFsOptions {
  readonly id: string;
  /** Unix nanoseconds; the times of generated files. */
  readonly createdAt: bigint;
  /** Called once, when the first file is used. */
  config(): FilesConfig;
  readonly clock: Clock;
  readonly root: ImageDirectory;
  /** The files of an image that is mounted as a volume; undefined if it was not pulled. */
  imageRoot(reference: string): ImageDirectory | undefined;
  /** Resolves a mount's path on the node's disk for reading or writing. Rejects if it can't be mounted. */
  hostPlace(hostPath: string, isWritable: boolean): Promise<Place>;
  /** The container as its processes see it; called when /proc, /sys or /etc/hosts is read. */
  view(): ContainerView;
  resources(): CgroupLimits | undefined;
  /** Limits of files outside of mounts; beyond them, ENOSPC. Default 256 MiB, 100,000 files. */
  readonly limits?: LayerLimits;
  /** Pays for the memory of its files; beyond it, ENOSPC. Default: no limit. */
  readonly account?: Account | undefined;
}
