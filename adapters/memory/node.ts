import type { Clock } from '../../src/clock/clock.js';
import type { BackendHost } from '../../src/engine/backend.js';
import type { AddressPool } from './addresses.js';
import type { Programs } from './commands/programs.js';
import type { MemoryContainer } from './container.js';
import type { ImageDirectory } from './fs/image-tree.js';
import type { ImageContent } from './images/catalog.js';
import type { HostPids } from './process/pid-namespace.js';

/** What all pods and containers of a backend share: the simulated node. */
export interface MemoryNode {
  readonly clock: Clock;
  /** The engine, once it has opened the backend. */
  readonly host: BackendHost;
  readonly addresses: AddressPool;
  readonly hostPids: HostPids;
  /** Told what goes wrong beside a call, such as a log that can't be written. */
  readonly warn: (message: string, error: unknown) => void;
  /** Throws `not-found`. */
  container(id: string): MemoryContainer;
  /** The shell and the commands are a hundred files: they are read for the first container, not for the ready line. */
  commands(): Promise<Commands>;
}

/** What containers run, and the files that they find it in. */
export interface Commands {
  readonly programs: Programs;
  rootOf(image: ImageContent | undefined): ImageDirectory;
  /** The files of a pulled image; undefined for others. */
  imageRoot(reference: string): ImageDirectory | undefined;
}
