import { type Account, memoryOf } from '../../base/input/account.js';
import { CriError } from '../../cri/errors.js';
import type { ContainerConfig } from '../../cri/gen/runtime/v1/api.js';
import { type Container, ContainerState, PodSandbox } from './gen/nri/v1alpha1/api.js';

export interface TrackedPod {
  pod: PodSandbox;
  isStopped: boolean;
}

export interface TrackedContainer {
  container: Container;
  /** Annotations of its OCI spec; plugins see the client's as well. */
  readonly annotations: Readonly<Record<string, string>>;
  /** The backend's config; undefined if no plugin has changed it. */
  readonly config: ContainerConfig | undefined;
  readonly owners: Readonly<Record<string, unknown>>;
  isStarting: boolean;
  /** StopContainer was sent, or must not be sent any more. */
  isStopped: boolean;
}

/** Objects by id. The account pays for their memory: plugins can create large objects from few bytes. */
class TrackedObjects<T extends object> {
  readonly #account: Account;
  readonly #byId = new Map<string, { readonly object: T; readonly cost: number }>();

  constructor(account: Account) {
    this.#account = account;
  }

  get(id: string): T | undefined {
    return this.#byId.get(id)?.object;
  }

  values(): T[] {
    return Array.from(this.#byId.values(), ({ object }) => object);
  }

  /** Throws `exhausted` if there is no memory for it. */
  add(id: string, object: T): void {
    const cost = memoryOf(object);
    if (!this.#account.take(cost))
      throw new CriError(
        'exhausted',
        `no memory is left for what plugins see of "${id}", ${cost} bytes: remove pods, or raise --memory-limit`,
      );
    this.#byId.set(id, { object, cost });
  }

  delete(id: string): void {
    this.#account.take(-(this.#byId.get(id)?.cost ?? 0));
    this.#byId.delete(id);
  }
}

export class Tracked {
  readonly pods: TrackedObjects<TrackedPod>;
  readonly containers: TrackedObjects<TrackedContainer>;

  constructor(account: Account) {
    this.pods = new TrackedObjects(account);
    this.containers = new TrackedObjects(account);
  }

  /** The pod of a container; a removed pod has its id only. */
  podOf({ podSandboxId: id }: Container): PodSandbox {
    return this.pods.get(id)?.pod ?? PodSandbox.fromPartial({ id });
  }

  living(): Container[] {
    return this.containers
      .values()
      .map(({ container }) => container)
      .filter(({ state }) => state !== ContainerState.CONTAINER_STOPPED);
  }
}
