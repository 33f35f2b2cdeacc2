import { forgetOldest } from '../../base/input/forget-oldest.js';
import {
  type AnyRequest,
  type Config,
  type ContainerFacts,
  containerOf,
  type ObjectLookup,
  type PodFacts,
  podOf,
} from '../../cri/subject.js';
import type { Message } from '../message.js';
import { isEmptyFilter, shownIn } from './shown.js';

/** Maximum number of remembered objects, including removed ones, so that late calls still have names. */
const MOST_OBJECTS = 20_000;

/** Lists by three states at most, of both kinds. A client may ask for other numbers. */
const MOST_UNREAD = 8;

/** Names and labels of sandboxes and containers by id or unique prefix, from the calls and events that pass. */
export class ObjectNames implements ObjectLookup {
  readonly #pods = new Map<string, PodFacts>();
  readonly #containers = new Map<string, ContainerFacts>();
  /** Keeps the last list of all objects and the last ones by state until a name is missing: a kubelet asks every second. */
  readonly #unread = new Map<string, Message>();
  readonly #most: number;

  constructor(most = MOST_OBJECTS) {
    this.#most = most;
  }

  pod(id: string): PodFacts | undefined {
    return this.#find(this.#pods, id);
  }

  container(id: string): ContainerFacts | undefined {
    return this.#find(this.#containers, id);
  }

  get containers(): Iterable<ContainerFacts> {
    this.#readLists();
    return this.#containers.values();
  }

  /** Learns from a successful call. */
  learn(method: string, request: AnyRequest, reply: Message): void {
    const { podSandboxId = '', containerId = '', config, sandboxConfig, filter } = request;
    if (method === 'RunPodSandbox') this.#addPod(idIn(reply, 'podSandboxId'), config);
    else if (method === 'CreateContainer') {
      this.#addPod(podSandboxId, sandboxConfig);
      this.#addContainer(idIn(reply, 'containerId'), podSandboxId, config);
    } else if (/^List(PodSandbox|Containers)$/.test(method) && isEmptyFilter({ ...filter, state: undefined }))
      this.#keep(method, filter?.state?.state, reply);
    else if (!this.#pods.has(podSandboxId) && !this.#containers.has(containerId)) this.see(method, reply);
  }

  /** Learns from what a reply or an event shows. */
  see(method: string, message: Message): void {
    for (const { kind, id, sandboxId, seen } of shownIn(method, message))
      if (kind === 'sandbox') this.#addPod(id, seen);
      else this.#addContainer(id, sandboxId, seen);
  }

  /** Forgets a removed sandbox with its containers, or a removed container. */
  forget({ podSandboxId = '', containerId = '' }: AnyRequest): void {
    this.#containers.delete(this.container(containerId)?.id ?? '');
    const { id } = this.pod(podSandboxId) ?? {};
    if (id === undefined) return;
    this.#pods.delete(id);
    for (const container of this.#containers.values())
      if (container.sandboxId === id) this.#containers.delete(container.id);
  }

  #find<T>(objects: ReadonlyMap<string, T>, id: string): T | undefined {
    const known = objects.get(id);
    if (known !== undefined || id === '') return known;
    this.#readLists();
    return objects.get(id) ?? unique(objects, id);
  }

  #keep(method: string, state: number | undefined, list: Message): void {
    this.#unread.set(`${method} ${state}`, list);
    if (this.#unread.size > MOST_UNREAD) this.#readLists();
  }

  #readLists(): void {
    for (const [key, list] of this.#unread) this.see(key.split(' ', 1)[0] ?? '', list);
    this.#unread.clear();
  }

  #addPod(id: string, config: Config | undefined): void {
    const pod = this.#pods.has(id) ? undefined : podOf(config, id);
    if (pod === undefined) return;
    this.#pods.set(id, pod);
    forgetOldest(this.#pods, this.#most);
  }

  #addContainer(id: string, sandboxId: string, config: Config | undefined): void {
    const container = this.#containers.has(id) ? undefined : containerOf(config, sandboxId);
    if (container === undefined) return;
    this.#containers.set(id, { ...container, id });
    forgetOldest(this.#containers, this.#most);
  }
}

const idIn = (reply: Message, field: string): string => reply.value<Record<string, string>>()[field] ?? '';

/** The only object with this id prefix; a complete id is never a prefix of another. */
function unique<T>(objects: ReadonlyMap<string, T>, prefix: string): T | undefined {
  if (prefix.length >= 64) return undefined;
  const found = [...objects].filter(([id]) => id.startsWith(prefix));
  return found.length === 1 ? found[0]?.[1] : undefined;
}
