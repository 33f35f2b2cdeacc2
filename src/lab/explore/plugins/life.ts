import { messageOf } from '../../../base/input/error-text.js';
import type { CriClient } from '../../../cri/client/client.js';
import type { ContainerConfig, PodSandboxConfig } from '../../../cri/gen/runtime/v1/api.js';

export interface LifePod {
  readonly name: string;
  readonly config: PodSandboxConfig;
  readonly containers: readonly { readonly name: string; readonly config: ContainerConfig }[];
}

/** One call of the client, with a unique name: `create db/app`, `create db/app again`. */
export interface Operation {
  readonly name: string;
  /** First request to plugins that it causes: `CreateContainer`. */
  readonly method: string;
  run(client: LifeClient): Promise<void>;
}

/** Errors by operation; undefined if it worked. */
export type Outcomes = ReadonlyMap<string, string | undefined>;

const THERE_IS_NONE = 'there is none';

export class LifeClient {
  readonly #cri: CriClient;
  readonly #pods = new Map<string, string>();
  readonly #containers = new Map<string, string>();
  readonly #attempts = new Map<string, number>();

  constructor(cri: CriClient) {
    this.#cri = cri;
  }

  get containers(): ReadonlyMap<string, string> {
    return this.#containers;
  }

  async runPod({ name, config }: LifePod): Promise<void> {
    this.#pods.set(name, (await this.#cri.runPodSandbox({ config })).podSandboxId);
  }

  async create(pod: LifePod, { name, config }: LifePod['containers'][number]): Promise<void> {
    const key = `${pod.name}/${name}`;
    const attempt = this.#attempts.get(key) ?? 0;
    this.#attempts.set(key, attempt + 1);
    const { containerId } = await this.#cri.createContainer({
      podSandboxId: idOf(this.#pods, pod.name),
      config: { ...config, metadata: { name, attempt } },
      sandboxConfig: pod.config,
    });
    this.#containers.set(key, containerId);
  }

  async start(key: string): Promise<void> {
    await this.#cri.startContainer({ containerId: idOf(this.#containers, key) });
  }

  async update(key: string, cpuShares: bigint): Promise<void> {
    await this.#cri.updateContainerResources({
      containerId: idOf(this.#containers, key),
      linux: { cpuShares },
    });
  }

  async stop(key: string): Promise<void> {
    await this.#cri.stopContainer({ containerId: idOf(this.#containers, key), timeout: 0n });
  }

  async remove(key: string): Promise<void> {
    await this.#cri.removeContainer({ containerId: idOf(this.#containers, key) });
    this.#containers.delete(key);
  }

  async stopPod({ name }: LifePod): Promise<void> {
    await this.#cri.stopPodSandbox({ podSandboxId: idOf(this.#pods, name) });
  }

  async removePod({ name }: LifePod): Promise<void> {
    await this.#cri.removePodSandbox({ podSandboxId: idOf(this.#pods, name) });
    this.#pods.delete(name);
  }

  async specs(): Promise<ReadonlyMap<string, unknown>> {
    const specs = new Map<string, unknown>();
    for (const [key, containerId] of this.#containers) {
      const { info } = await this.#cri.containerStatus({ containerId, verbose: true });
      specs.set(key, (JSON.parse(info.info ?? '{}') as { runtimeSpec?: unknown }).runtimeSpec);
    }
    return specs;
  }
}

/** Throws if the object was never created, or is gone. */
function idOf(ids: ReadonlyMap<string, string>, key: string): string {
  const id = ids.get(key);
  if (id === undefined) throw new Error(THERE_IS_NONE);
  return id;
}

/** Returns the error; undefined if it worked. */
export const outcomeOf = (operation: Operation, client: LifeClient): Promise<string | undefined> =>
  operation.run(client).then(() => undefined, messageOf);

export const hadNothing = (outcome: string | undefined): boolean => outcome === THERE_IS_NONE;

/**
 * The life of pods: all run, and their containers are created and started; the limits of the first container change;
 * the last container restarts; the first of several pods is removed; the limits of all running containers change.
 */
export function lifeOf(pods: readonly LifePod[]): Operation[] {
  const [first] = pods;
  const last = pods.at(-1);
  const lastContainer = last?.containers.at(-1);
  const rest = pods.length > 1 ? pods.slice(1) : pods;
  return [
    ...pods.flatMap((pod) => [
      operation(`run ${pod.name}`, 'RunPodSandbox', (client) => client.runPod(pod)),
      ...pod.containers.flatMap((container) => creation(pod, container)),
    ]),
    ...keysOf(first)
      .slice(0, 1)
      .map((key) => updating(key, 500n)),
    ...(last && lastContainer
      ? [...removal(`${last.name}/${lastContainer.name}`), ...creation(last, lastContainer, ' again')]
      : []),
    ...(first && pods.length > 1 ? podRemoval(first) : []),
    ...rest.flatMap((pod) => keysOf(pod).map((key) => updating(key, 700n, ' at last'))),
  ];
}

const keysOf = (pod: LifePod | undefined): string[] =>
  pod === undefined ? [] : pod.containers.map(({ name }) => `${pod.name}/${name}`);

const operation = (name: string, method: string, run: Operation['run']): Operation => ({ name, method, run });

function creation(pod: LifePod, container: LifePod['containers'][number], which = ''): Operation[] {
  const key = `${pod.name}/${container.name}`;
  return [
    operation(`create ${key}${which}`, 'CreateContainer', (client) => client.create(pod, container)),
    operation(`start ${key}${which}`, 'StartContainer', (client) => client.start(key)),
  ];
}

const updating = (key: string, shares: bigint, which = ''): Operation =>
  operation(`update ${key}${which}`, 'UpdateContainer', (client) => client.update(key, shares));

const removal = (key: string): Operation[] => [
  operation(`stop ${key}`, 'StopContainer', (client) => client.stop(key)),
  operation(`remove ${key}`, 'RemoveContainer', (client) => client.remove(key)),
];

const podRemoval = (pod: LifePod): Operation[] => [
  ...keysOf(pod).flatMap(removal),
  operation(`stop ${pod.name}`, 'StopPodSandbox', (client) => client.stopPod(pod)),
  operation(`remove ${pod.name}`, 'RemovePodSandbox', (client) => client.removePod(pod)),
];
