import type Dockerode from 'dockerode';
import type { Clock } from '../../src/base/clock/clock.js';
import type { HostPlaces } from '../../src/base/host/host-places.js';
import type { BackendHost } from '../../src/runtime/engine/backend.js';
import type { Making } from './making.js';

export interface Context {
  readonly docker: Dockerode;
  readonly clock: Clock;
  readonly host: BackendHost;
  /** Whether Docker runs on this machine, so that its processes, files and networks are local. */
  readonly local: boolean;
  /** Docker's data directory, on Docker's machine. */
  readonly rootDirectory: string;
  /** See the function `lowestOomScore`. */
  readonly lowestOomScore: number;
  readonly making: Making;
  /** Directories of this machine that containers can write to: logs must not follow their links. */
  readonly places: HostPlaces;
  readonly warn: (message: string, error: unknown) => void;
  /** Resolves once Docker can be reached. Rejects when the signal aborts. */
  readonly untilConnected: (signal: AbortSignal) => Promise<void>;
}
