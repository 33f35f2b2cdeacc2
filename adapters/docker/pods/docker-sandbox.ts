import type Dockerode from 'dockerode';
import type { ContainerInspectInfo } from 'dockerode';
import { CriError } from '../../../src/cri/errors.js';
import type { SandboxSpec } from '../../../src/runtime/engine/backend.js';
import type { Context } from '../context.js';
import { statusOf, toCriError, unlessMissing } from '../errors.js';
import { dockerName } from '../labels.js';
import { untilAnswered } from './until-answered.js';

export class DockerSandbox {
  readonly spec: SandboxSpec;
  readonly docker: Dockerode.Container;
  readonly #context: Context;
  #phase: 'ready' | 'stopping' | 'stopped';
  readonly #closing = new AbortController();
  removing = false;

  constructor(context: Context, spec: SandboxSpec, ready: boolean) {
    this.spec = spec;
    this.docker = context.docker.getContainer(dockerName(spec.id));
    this.#context = context;
    this.#phase = ready ? 'ready' : 'stopped';
  }

  get isRunning(): boolean {
    return this.#phase === 'ready';
  }

  /** Throws when Docker can't start it, or when it ends immediately. */
  async start(): Promise<string[]> {
    await this.docker.start();
    this.#phase = 'ready';
    const info = await this.docker.inspect();
    if (!info.State.Running)
      throw new CriError('internal', `its process exited immediately with exit code ${info.State.ExitCode}`);
    return addressesOf(info);
  }

  /** Killing its process loses nothing: it does no work. */
  async stop(): Promise<void> {
    if (this.#phase === 'stopped') return;
    this.#phase = 'stopping';
    try {
      await this.docker.kill({ signal: 'SIGKILL' });
      await this.#context.clock.idle(this.docker.wait());
    } catch (error) {
      const status = statusOf(error);
      if (status !== 409 && status !== 404) {
        this.#phase = 'ready';
        throw toCriError(error, 'stopping the sandbox');
      }
    }
    this.#phase = 'stopped';
  }

  /** Reports its death once, unless a client requested it. */
  async checkEnd(): Promise<void> {
    if (this.#phase !== 'ready') return;
    const ask = async () => (await unlessMissing(this.docker.inspect()))?.State.Running ?? false;
    const isRunning = await untilAnswered(
      this.#context,
      `sandbox ${this.spec.id}`,
      ask,
      this.#closing.signal,
    );
    if (isRunning === false && this.isRunning) this.#context.host.sandboxExited(this.spec.id);
  }

  close(): void {
    this.#closing.abort();
  }
}

/** The default network's addresses come first. */
export function addressesOf({ NetworkSettings: settings, HostConfig: host }: ContainerInspectInfo): string[] {
  if (host.NetworkMode === 'host') return [];
  const networks = Object.values(settings.Networks ?? {});
  const addresses = networks.flatMap(({ IPAddress, GlobalIPv6Address }) => [IPAddress, GlobalIPv6Address]);
  return addresses.filter((address) => address !== undefined && address !== '');
}
