import type { LinuxContainerResources } from '../../../src/cri/gen/runtime/v1/api.js';
import { Signal } from '../../../src/cri/gen/runtime/v1/api.js';
import { mergeResources } from '../../../src/runtime/engine/backend/resources.js';
import type {
  ContainerRuntime,
  ContainerSpec,
  SandboxRuntime,
  SandboxSpec,
} from '../../../src/runtime/engine/backend.js';
import type { Context } from '../context.js';
import { statusOf, toCriError } from '../errors.js';
import { dockerName } from '../labels.js';
import { containerOptions } from '../options/container.js';
import { limitsOf } from '../options/resources.js';
import { type SandboxDefaults, sandboxOptions } from '../options/sandbox.js';
import { type Accounts, formatStatusUser, readAccounts, resolveUser } from './accounts.js';
import { DockerContainer } from './docker-container.js';
import { DockerSandbox } from './docker-sandbox.js';
import type { Pods } from './pods.js';
import { removeFromDocker } from './removal.js';
import { provideSandboxImage } from './sandbox-image.js';
import { dockerSignal, parseSignal } from './signals.js';
import { noteWritten } from './written-places.js';

export type LifecycleOptions = Pick<SandboxDefaults, 'image' | 'network'>;

export class Lifecycle {
  readonly #context: () => Context;
  readonly #pods: Pods;
  readonly #options: LifecycleOptions;
  readonly #accounts = new Map<string, Promise<Accounts>>();
  readonly #resources = new Map<string, LinuxContainerResources>();

  constructor(context: () => Context, pods: Pods, options: LifecycleOptions) {
    this.#context = context;
    this.#pods = pods;
    this.#options = options;
  }

  async runSandbox(spec: SandboxSpec): Promise<SandboxRuntime> {
    const context = this.#context();
    const sandbox = new DockerSandbox(context, spec, false);
    return this.#making(spec.id, 'running the sandbox', async () => {
      await this.#createSandbox(context, spec);
      try {
        this.#pods.sandboxes.set(spec.id, sandbox);
        return { ips: await sandbox.start() };
      } catch (error) {
        this.#pods.sandboxes.delete(spec.id);
        throw error;
      }
    });
  }

  async #createSandbox(context: Context, spec: SandboxSpec): Promise<void> {
    const { image } = this.#options;
    const { lowestOomScore } = context;
    const create = async (from: string) =>
      context.docker.createContainer(
        await sandboxOptions(spec, { ...this.#options, lowestOomScore, image: from }),
      );
    try {
      await create(image);
    } catch (error) {
      if (statusOf(error) !== 404 || !/no such image/i.test(String(error))) throw error;
      await create(await provideSandboxImage(context, image));
    }
  }

  async removeSandbox(id: string): Promise<void> {
    const sandbox = this.#pods.sandboxes.get(id);
    if (sandbox === undefined) return;
    await remove(sandbox, 'removing the sandbox');
    this.#pods.sandboxes.delete(id);
  }

  async createContainer(spec: ContainerSpec): Promise<ContainerRuntime> {
    const context = this.#context();
    const { config, sandboxConfig, image } = spec;
    return this.#making(spec.id, 'creating the container', async () => {
      const [accounts, info] = await Promise.all([
        this.#accountsOf(image.id),
        context.docker.getImage(image.id).inspect(),
      ]);
      const imageConfig = info.Config as { readonly User?: string; readonly StopSignal?: string };
      const user = resolveUser(config, sandboxConfig, imageConfig.User ?? '', accounts);
      const stopSignal =
        config.stopSignal || parseSignal(imageConfig.StopSignal ?? '') || Signal.SIGNAL_SIGTERM;
      const facts = { user: user.docker, statusUser: formatStatusUser(user.status), stopSignal };
      const runtime = this.#pods.sandbox(spec.sandboxId).spec.runtimeHandler;
      const { lowestOomScore } = context;
      await noteWritten(context, spec);
      await context.docker.createContainer(await containerOptions(spec, facts, { runtime, lowestOomScore }));
      this.#pods.containers.set(spec.id, new DockerContainer(context, spec, dockerSignal(stopSignal)));
      const linux = config.linux?.resources;
      return { user: user.status, stopSignal, resources: linux && { linux, windows: undefined } };
    });
  }

  async removeContainer(id: string): Promise<void> {
    const container = this.#pods.containers.get(id);
    if (container === undefined) return;
    await remove(container, 'removing the container');
    await container.close();
    this.#pods.containers.delete(id);
    this.#resources.delete(id);
  }

  async update(id: string, change: LinuxContainerResources): Promise<LinuxContainerResources> {
    const { docker, spec } = this.#pods.container(id);
    const current = this.#resources.get(id) ?? spec.config.linux?.resources;
    // Docker can't change the score of a running container.
    const next = mergeResources(current, { ...change, oomScoreAdj: 0n });
    try {
      await docker.update(limitsOf(next));
    } catch (error) {
      throw toCriError(error, 'updating the resources');
    }
    this.#resources.set(id, next);
    return next;
  }

  /** Read once per image; failures are not cached. */
  #accountsOf(imageId: string): Promise<Accounts> {
    const known = this.#accounts.get(imageId);
    if (known !== undefined) return known;
    const reading = readAccounts(this.#context(), imageId);
    this.#accounts.set(imageId, reading);
    reading.catch(() => this.#accounts.delete(imageId));
    return reading;
  }

  #making<T>(id: string, what: string, make: () => Promise<T>): Promise<T> {
    const { making, clock, docker } = this.#context();
    return making.run(id, async () => {
      try {
        return await clock.idle(make());
      } catch (error) {
        // Docker may have created it although no reply arrived; a later reconciliation or event removes it.
        await removeFromDocker(docker.getContainer(dockerName(id))).catch(() => {});
        throw toCriError(error, what);
      }
    });
  }
}

/** The user may have removed it in the meantime. */
async function remove(one: DockerSandbox | DockerContainer, what: string): Promise<void> {
  one.removing = true;
  try {
    await removeFromDocker(one.docker);
  } catch (error) {
    one.removing = false;
    throw toCriError(error, what);
  }
}
