import type Dockerode from 'dockerode';
import type { Clock } from '../../src/base/clock/clock.js';
import type { HostPlaces } from '../../src/base/host/host-places.js';
import type { BackendHost } from '../../src/runtime/engine/backend.js';
import type { Making } from './making.js';

export interface Context {
  readonly docker: Dockerode;
  readonly clock: Clock;
  readonly host: BackendHost;
  /** Whether Docker runs on this machine: its processes, files and networks are then local. */
  readonly local: boolean;
  /** On Docker's machine. */
  readonly rootDirectory: string;
  /** See the function of this name. */
  readonly lowestOomScore: number;
  readonly making: Making;
  /** Directories of this machine that containers write: logs must not follow their links. */
  readonly places: HostPlaces;
  readonly warn: (message: string, error: unknown) => void;
  /** Resolves once Docker can be reached. Rejects when the signal aborts. */
  readonly untilConnected: (signal: AbortSignal) => Promise<void>;
}
