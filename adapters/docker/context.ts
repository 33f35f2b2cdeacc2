import type Dockerode from 'dockerode';
import type { Clock } from '../../src/base/clock/clock.js';
import type { HostPlaces } from '../../src/base/host/host-places.js';
import type { BackendHost } from '../../src/runtime/engine/backend.js';
import type { Making } from './making.js';

/** What all parts of the backend share. */
export interface Context {
  readonly docker: Dockerode;
  readonly clock: Clock;
  readonly host: BackendHost;
  /** Whether Docker's processes, files and networks are this machine's. */
  readonly local: boolean;
  /** Where Docker keeps everything, on its machine. */
  readonly rootDirectory: string;
  /** The least oom_score_adj that can be given; see the function of this name. */
  readonly lowestOomScore: number;
  readonly making: Making;
  /** Directories of this machine that containers write, so that no log follows their links. */
  readonly places: HostPlaces;
  readonly warn: (message: string, error: unknown) => void;
  /** Resolves once Docker can be asked again; at once if it can now. Rejects when the signal aborts. */
  readonly untilConnected: (signal: AbortSignal) => Promise<void>;
}
