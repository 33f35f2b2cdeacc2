import type { ErrorKind } from '../../src/cri/errors.js';
import type { ContainerEventResponse } from '../../src/cri/gen/runtime/v1/api.js';
import type { Cri } from './cri.js';
import type { Behavior } from './model.js';

/** A runtime under test and what is around it. Any CRI endpoint can be one. */
export interface World {
  readonly cri: Cri;
  /** Command lines that behave as the model says on this runtime. */
  readonly commands: Readonly<Record<Behavior, readonly string[]>>;
  /** An image that is present all the time, and one that comes and goes. */
  readonly images: { readonly steady: string; readonly changing: string };
  /** What each of two subscribers has received. */
  readonly events: readonly [readonly ContainerEventResponse[], readonly ContainerEventResponse[]];
  /** Ends a running container's process from inside; undefined where that can't be done. */
  readonly exit: ((id: string, exitCode: number) => Promise<void>) | undefined;
  kindOf(error: unknown): ErrorKind;
  /** Runs a request; where time is virtual, as a task of its own. */
  run<T>(request: () => Promise<T>): Promise<T>;
  /** Lets time pass until all the requests are answered and nothing more happens by itself. */
  settle(requests: Promise<unknown>): Promise<void>;
  close(): Promise<void>;
}
