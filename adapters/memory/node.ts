import type { Duplex } from 'node:stream';
import type { Clock } from '../../src/base/clock/clock.js';
import { Cpu } from '../../src/base/clock/cpu.js';
import type { Accounts } from '../../src/base/input/account.js';
import { listenOn } from '../../src/base/network/listen.js';
import { SimulatedNetwork } from '../../src/base/network/network.js';
import { notFound } from '../../src/cri/errors.js';
import type { PodSandboxConfig } from '../../src/cri/gen/runtime/v1/api.js';
import type { Programs } from '../../src/linux/commands/programs.js';
import { HostDisk, type NodeDisk } from '../../src/linux/fs/node-disk.js';
import { createRoots } from '../../src/linux/fs/rootfs.js';
import type { HostProcess } from '../../src/linux/process/host-process.js';
import { bareInit } from '../../src/linux/process/host-view.js';
import { HostPids } from '../../src/linux/process/pid-namespace.js';
import type { Listener, Program } from '../../src/linux/process/process.js';
import type { BackendHost } from '../../src/runtime/engine/backend.js';
import type { Commands } from './commands.js';
import type { MemoryContainer } from './containers/container.js';
import { StartedPrograms } from './containers/resolve-program.js';
import type { MemoryImages } from './images/memory-images.js';
import { AddressPool } from './pods/addresses.js';
import { bindingsOf, type MachinePorts } from './pods/network.js';
import type { MemoryPod } from './pods/pod.js';
import { FREE } from './security/confinement.js';

export interface NodeOptions {
  readonly clock: Clock;
  readonly images: MemoryImages;
  readonly accounts: Accounts;
  readonly programs?: Programs | undefined;
  /** Distinguishes this server from others on the machine, such as its socket's path; see AddressPool. */
  readonly place?: string | undefined;
  /** The name in pods of its network. Default: `mock-node`. */
  readonly hostname?: string | undefined;
  /** The file system of mounts and logs. Default: this machine's. */
  readonly disk?: NodeDisk | undefined;
  /** The network of simulated processes. Default: the pods on the clock. */
  readonly network?: SimulatedNetwork | undefined;
  /**
   * The pods' ports that programs of this machine can reach. Default: all in real time; on virtual time none, unless a
   * program of this machine takes part.
   */
  readonly machinePorts?: MachinePorts | undefined;
  /** Called with errors outside of calls, such as a log that cannot be written. */
  readonly warn?: ((message: string, error: unknown) => void) | undefined;
}

/** Loads the shell and the commands with the first container: a hundred files would delay the start of a server. */
export const loadCommandModule = async () => ({
  ...(await import('../../src/linux/commands/index.js')),
  ...(await import('./guess/decide.js')),
});

const succeeds: Program = async () => ({ code: 0 });

export class MemoryNode {
  readonly clock: Clock;
  readonly images: MemoryImages;
  readonly addresses: AddressPool;
  readonly hostPids = new HostPids(() => this.#ownProcesses());
  readonly cpu: Cpu;
  readonly accounts: Accounts;
  readonly hostname: string;
  readonly disk: NodeDisk;
  /** Network devices that pods in the host's network have added; the machine itself doesn't change. */
  readonly links = new Map<string, boolean>();
  /** Node-wide sysctls that privileged containers have set; the machine itself doesn't change. */
  readonly sysctls = new Map<string, string>();
  readonly pods = new Map<string, MemoryPod>();
  readonly containers = new Map<string, MemoryContainer>();
  readonly network: SimulatedNetwork;
  machinePorts: MachinePorts;
  readonly warn: (message: string, error: unknown) => void;
  readonly #programs: Programs | undefined;
  #host: BackendHost | undefined;
  #commands: Promise<Commands> | undefined;

  constructor(options: NodeOptions) {
    const { clock, images, programs, place, warn = () => {} } = options;
    this.clock = clock;
    this.hostname = options.hostname ?? 'mock-node';
    this.disk = options.disk ?? new HostDisk();
    this.cpu = new Cpu(clock);
    this.images = images;
    this.accounts = options.accounts;
    this.addresses = new AddressPool(place);
    this.network = options.network ?? new SimulatedNetwork({ clock });
    this.machinePorts = options.machinePorts ?? (clock.kind === 'real' ? 'all' : 'none');
    this.warn = warn;
    this.#programs = programs;
  }

  get host(): BackendHost {
    if (this.#host === undefined) throw new Error('the memory backend was not opened');
    return this.#host;
  }

  open(host: BackendHost): void {
    this.#host = host;
  }

  /** Throws `not-found`. */
  pod(id: string): MemoryPod {
    const pod = this.pods.get(id);
    if (pod === undefined) throw notFound(`no sandbox ${id} in the memory backend`);
    return pod;
  }

  /** Undefined for a stopped pod. */
  readyPod(id: string): MemoryPod | undefined {
    const pod = this.pods.get(id);
    return pod?.ready ? pod : undefined;
  }

  /** Throws `not-found`. */
  container(id: string): MemoryContainer {
    const container = this.containers.get(id);
    if (container === undefined) throw notFound(`no container ${id} in the memory backend`);
    return container;
  }

  listen(
    config: PodSandboxConfig,
    ip: string | undefined,
    port: number,
    accept: (connection: Duplex) => void,
  ): Promise<Listener> {
    return listenOn(this.clock, bindingsOf(config, ip, port, this.machinePorts), accept);
  }

  commands(): Promise<Commands> {
    this.#commands ??= this.#loadCommands();
    return this.#commands;
  }

  async #loadCommands(): Promise<Commands> {
    const { commandNames, createPrograms, decide, needsImage } = await loadCommandModule();
    const rootOf = createRoots(commandNames);
    const imageRoot = (reference: string) => {
      const image = this.images.store.find(reference);
      return image && rootOf(image.content);
    };
    const programs = this.#programs ?? createPrograms();
    const started = this.#programs === undefined ? new StartedPrograms() : undefined;
    return {
      programs,
      started,
      anyPrograms: createPrograms(succeeds),
      rootOf,
      imageRoot,
      decide,
      needsImage,
    };
  }

  #ownProcesses(): readonly HostProcess[] {
    const ready = [...this.pods.values()].filter((pod) => pod.ready);
    return [INIT, ...ready.map(({ pause }) => pause)];
  }
}

/** PID 1 of the node survives every signal. */
const INIT = bareInit({
  hostPid: 1,
  argv: ['/sbin/init'],
  user: { uid: 0, gid: 0, groups: [0], name: 'root' },
  container: FREE,
  signal: () => {},
});
