import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Clock } from '../../base/clock/clock.js';
import type { Random } from '../../base/random/random.js';
import type { CriClient } from '../../cri/client/client.js';
import {
  type Container,
  type ContainerConfig,
  ContainerConfig as ContainerConfigs,
  ContainerState,
  type ContainerStatus,
  type PodSandboxConfig,
  PodSandboxConfig as PodSandboxConfigs,
  type PodSandboxStatus,
} from '../../cri/gen/runtime/v1/api.js';
import { RUN_LABEL, removeImage, removeSandbox } from './cleanup.js';
import { EventRecorder } from './event-recorder.js';
import { must, show } from './expect.js';
import type { Facts } from './facts.js';
import { Skip, Violation } from './violation.js';

/** Poll interval while waiting for a state, in ms. */
const POLL = 10;

export interface CheckContextOptions {
  /** The end of the check cancels these calls. */
  readonly cri: CriClient;
  /** The client for the cleanup after the check. */
  readonly cleaner: CriClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly facts: Facts;
  /** Identifies the run in labels. */
  readonly run: string;
  /** A directory for this check, on the host where the runtime writes its logs. */
  readonly directory: string;
  /** Maximum duration of probes, cleanup calls, and anything that should be quick, in ms. */
  readonly patience: number;
  readonly restart?: (() => Promise<void>) | undefined;
  readonly control?: string | undefined;
  readonly signal: AbortSignal;
}

export interface Sandbox {
  readonly id: string;
  readonly config: PodSandboxConfig;
}

/** Missing fields are as in `containerConfig`. */
export interface ContainerOptions
  extends Omit<Parameters<typeof ContainerConfigs.fromPartial>[0], 'metadata' | 'labels'> {
  readonly name?: string;
  readonly attempt?: number;
  readonly labels?: Readonly<Record<string, string>>;
}

/** Context of a running check: the endpoint, unique names, and helpers that clean up after themselves. */
export class CheckContext {
  readonly cri: CriClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly facts: Facts;
  readonly directory: string;
  readonly patience: number;
  readonly options: CheckContextOptions;
  readonly #sandboxes = new Set<string>();
  readonly #images = new Set<string>();
  readonly #recorders: EventRecorder[] = [];
  #names = 0;

  constructor(options: CheckContextOptions) {
    this.options = options;
    this.cri = options.cri;
    this.clock = options.clock;
    this.random = options.random;
    this.facts = options.facts;
    this.directory = options.directory;
    this.patience = options.patience;
  }

  name(stem: string): string {
    this.#names++;
    return `${stem}-${this.options.run}-${Math.floor(this.random.next() * 0xffffffff).toString(16)}-${this.#names}`;
  }

  emptyDirectory(stem: string): string {
    const path = join(this.directory, this.name(stem));
    mkdirSync(path, { recursive: true });
    return path;
  }

  /** A sandbox config with metadata, the run's label and its own log directory, created as the kubelet does. */
  sandboxConfig(changes: Partial<PodSandboxConfig> = {}): PodSandboxConfig {
    const logDirectory = this.emptyDirectory('pod');
    const name = basename(logDirectory);
    return PodSandboxConfigs.fromPartial({
      metadata: { name, uid: this.name('uid'), namespace: 'conformance', attempt: 0 },
      hostname: 'conformance',
      logDirectory,
      linux: {},
      ...changes,
      labels: { [RUN_LABEL]: this.options.run, ...changes.labels },
    });
  }

  async sandbox(changes: Partial<PodSandboxConfig> = {}, runtimeHandler = ''): Promise<Sandbox> {
    const config = this.sandboxConfig(changes);
    const { podSandboxId: id } = await this.cri.runPodSandbox({ config, runtimeHandler });
    must(id !== '', 'RunPodSandbox to return an id', id);
    this.track(id);
    return { id, config };
  }

  /** Registers a sandbox and its containers for removal after the check. */
  track(sandboxId: string): void {
    this.#sandboxes.add(sandboxId);
  }

  trackImage(reference: string): void {
    this.#images.add(reference);
  }

  /** A container config; by default the container sleeps forever. */
  containerConfig(changes: ContainerOptions = {}): ContainerConfig {
    const { name = this.name('ctr'), attempt = 0, ...rest } = changes;
    return ContainerConfigs.fromPartial({
      metadata: { name, attempt },
      image: { image: this.facts.image },
      command: ['sleep', '100000'],
      logPath: `${name}_${attempt}.log`,
      linux: {},
      ...rest,
      labels: { [RUN_LABEL]: this.options.run, ...rest.labels },
    });
  }

  /** Resolves with the container's id. */
  async create(sandbox: Sandbox, changes: ContainerOptions = {}): Promise<string> {
    const config = this.containerConfig(changes);
    const { containerId } = await this.cri.createContainer({
      podSandboxId: sandbox.id,
      config,
      sandboxConfig: sandbox.config,
    });
    must(containerId !== '', 'CreateContainer to return an id', containerId);
    return containerId;
  }

  async start(sandbox: Sandbox, changes: ContainerOptions = {}): Promise<string> {
    const containerId = await this.create(sandbox, changes);
    await this.cri.startContainer({ containerId });
    return containerId;
  }

  script(sandbox: Sandbox, script: string, changes: ContainerOptions = {}): Promise<string> {
    return this.start(sandbox, { ...changes, command: ['sh', '-c', script] });
  }

  /** Starts a container that only waits for signals; resolves with its id once the traps are set. */
  async trapping(sandbox: Sandbox, traps: string, changes: ContainerOptions = {}): Promise<string> {
    const loop = 'while true; do sleep 0.05; done';
    const containerId = await this.script(sandbox, `${traps}; touch /armed; ${loop}`, changes);
    const cmd = ['sh', '-c', 'test -e /armed'];
    await this.eventually(
      () => this.cri.execSync({ containerId, cmd, timeout: 20n }),
      ({ exitCode }) => exitCode === 0,
      'the container to set its traps',
    );
    return containerId;
  }

  async status(containerId: string): Promise<ContainerStatus> {
    const { status } = await this.cri.containerStatus({ containerId, verbose: false });
    if (status === undefined) throw new Violation('ContainerStatus to return a status', 'none');
    return status;
  }

  async sandboxStatus(podSandboxId: string): Promise<PodSandboxStatus> {
    const { status } = await this.cri.podSandboxStatus({ podSandboxId, verbose: false });
    if (status === undefined) throw new Violation('PodSandboxStatus to return a status', 'none');
    return status;
  }

  async containersOf(podSandboxId: string): Promise<readonly Container[]> {
    return (await this.cri.listContainers({ filter: { podSandboxId } })).containers;
  }

  /** Resolves with the status once the container is EXITED. */
  exited(containerId: string): Promise<ContainerStatus> {
    return this.eventually(
      () => this.status(containerId),
      (status) => status.state === ContainerState.CONTAINER_EXITED,
      'the container to be EXITED',
    );
  }

  /** Polls until `fits` accepts the result; throws a Violation after `patience` ms. */
  async eventually<T>(
    look: () => Promise<T>,
    fits: (found: T) => boolean,
    what: string,
    patience = this.patience,
  ): Promise<T> {
    const deadline = this.clock.elapsed() + patience;
    for (;;) {
      const found = await look();
      if (fits(found)) return found;
      if (this.clock.elapsed() > deadline) throw new Violation(`${what} within ${patience} ms`, show(found));
      await this.clock.sleep(POLL, this.options.signal);
    }
  }

  async recordEvents(): Promise<EventRecorder> {
    const recorder = EventRecorder.open(this.cri, this.clock);
    this.#recorders.push(recorder);
    const sandbox = await this.sandbox();
    // The subscription can miss the first sandbox, so this waits for the stop of that sandbox or a later one.
    for (let tries = 0; tries < 20; tries++) {
      if (recorder.of(sandbox.id).length > 0) break;
      await this.clock.sleep(POLL);
    }
    await this.cri.stopPodSandbox({ podSandboxId: sandbox.id });
    await recorder.waitFor(
      (event) => event.containerId === sandbox.id,
      'an event of a stopped sandbox',
      this.patience,
    );
    return recorder;
  }

  skip(reason: string): never {
    throw new Skip(reason);
  }

  /** Removes all objects of the check; resolves with those that could not be removed. */
  async cleanUp(): Promise<readonly string[]> {
    for (const recorder of this.#recorders) recorder.close();
    const { cleaner } = this.options;
    const removed = [...this.#sandboxes].map((id) => removeSandbox(cleaner, id, this.patience));
    const left = (await Promise.all(removed)).flat();
    for (const image of this.#images) {
      await removeImage(cleaner, image, this.patience).catch((error: unknown) =>
        left.push(`image ${image}: ${error}`),
      );
    }
    return left;
  }
}
