import type { ErrorKind } from '../../src/cri/errors.js';
import type { ContainerEventResponse } from '../../src/cri/gen/runtime/v1/api.js';
import type { Cri } from './cri.js';
import type { Behavior } from './model.js';

/** A runtime under test with its environment. Any CRI endpoint can be used. */
export interface RuntimeUnderTest {
  readonly cri: Cri;
  /** Commands with the model's behaviors on this runtime. */
  readonly commands: Readonly<Record<Behavior, readonly string[]>>;
  /** An image that is always present, and one that is pulled and removed. */
  readonly images: { readonly steady: string; readonly changing: string };
  /** Events that each of two subscribers has received. */
  readonly events: readonly [readonly ContainerEventResponse[], readonly ContainerEventResponse[]];
  /** Ends a running container's process from inside; undefined if not possible. */
  readonly exit: ((id: string, exitCode: number) => Promise<void>) | undefined;
  kindOf(error: unknown): ErrorKind;
  /** Runs a request; in virtual time as a separate task. */
  run<T>(request: () => Promise<T>): Promise<T>;
  /** Lets time pass until all requests are answered and the runtime is idle. */
  settle(requests: Promise<unknown>): Promise<void>;
  close(): Promise<void>;
}
