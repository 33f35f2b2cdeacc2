import { Account } from '../../base/input/account.js';
import { createRandom } from '../../base/random/random.js';
import type { ContainerFsOptions } from './container-fs-options.js';
import type { FileUser } from './file-stat.js';
import type { ContainerFiles } from './file-system.js';
import { Layer, type LayerLimits } from './layer/layer.js';
import { mountAll, TMPFS_LIMITS } from './mounts.js';
import { ProcessFiles, type WalkerSource } from './process-files.js';
import { ROOT } from './vnode.js';
import type { TreePosition, Walker } from './walker.js';

const LIMITS: LayerLimits = { bytes: 256 * 1024 * 1024, files: 100_000 };

/**
 * The file system of one container: its image's files under a copy-on-write layer, and the mounts of its config.
 * Everything is created with the first file, or by `root`. A host path that is a file is mounted as a file.
 */
export function createContainerFs(options: ContainerFsOptions): ContainerFiles {
  return new ContainerFs(options);
}

class ContainerFs extends ProcessFiles implements ContainerFiles {
  readonly #state: LazyState;

  constructor(options: ContainerFsOptions) {
    const state = new LazyState(options);
    super(state, ROOT);
    this.#state = state;
  }

  get used(): { readonly bytes: number; readonly files: number } {
    return this.#state.layer?.used ?? { bytes: 0, files: 0 };
  }

  get sharedMemory(): number {
    return this.#state.shm?.used.bytes ?? 0;
  }

  drop(): void {
    this.#state.account.close();
  }

  async root(): Promise<TreePosition> {
    return (await this.#state.walker()).root;
  }

  as(process: FileUser): ProcessFiles {
    return new ProcessFiles(this.#state, process);
  }
}

/** The layer and the mounts, created together on first use. */
class LazyState implements WalkerSource {
  layer: Layer | undefined;
  shm: Layer | undefined;
  readonly account: Account;
  readonly #options: ContainerFsOptions;
  #walker: Promise<Walker> | undefined;

  constructor(options: ContainerFsOptions) {
    this.#options = options;
    this.account = new Account(undefined, options.account);
  }

  walker(): Promise<Walker> {
    this.#walker ??= this.#mountAll();
    return this.#walker;
  }

  forbids(call: string): boolean {
    return this.#options.view().security.seccomp?.forbids(call) ?? false;
  }

  #mountAll(): Promise<Walker> {
    const { clock, limits = LIMITS, id } = this.#options;
    this.layer = new Layer(() => clock.now(), limits, this.account);
    this.shm = new Layer(this.layer.now, TMPFS_LIMITS, this.account);
    return mountAll(this.#options, { layer: this.layer, shm: this.shm }, this.account, createRandom(id));
  }
}
