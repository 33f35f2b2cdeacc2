import type { ContainerName, PodName } from '../../entries.js';
import { EVENTS } from './calls.js';
import type { Instances } from './instances.js';
import type { LineOf } from './timeline.js';

/** A CRI message in protobuf JSON; a tape of another program may contain anything. */
type Json = { readonly [name: string]: unknown };

interface Moment {
  readonly t: number;
  readonly line: number;
}

/** Derives the state of containers from replies, for tapes without the runtime's own record. */
export class Statuses {
  readonly #instances: Instances;
  readonly #startedAt: bigint;
  readonly #asked = new Map<
    number,
    { readonly pod: PodName | undefined; readonly container: ContainerName }
  >();

  constructor(instances: Instances, startedAt: bigint) {
    this.#instances = instances;
    this.#startedAt = startedAt;
  }

  asked(
    call: number,
    method: string,
    pod: PodName | undefined,
    given: ContainerName | undefined,
    message: Json | undefined,
  ): void {
    if (!READ.has(method)) return;
    const { name, attempt } = objectOf(objectOf(message?.config).metadata);
    const created = { name: textOf(name), attempt: Number(attempt ?? 0) };
    const container = method === 'CreateContainer' ? { ...created, ...given } : given;
    if (container !== undefined) this.#asked.set(call, { pod, container });
  }

  answered({ call, method, code, message }: LineOf<'reply'>, moment: Moment): void {
    const about = this.#asked.get(call);
    this.#asked.delete(call);
    if (about === undefined || code !== 'OK') return;
    const { pod, container } = about;
    if (method === 'CreateContainer') {
      const id = textOf(message?.containerId);
      if (id !== '') this.#instances.created(this.#instances.of(pod, { ...container, id }), moment);
      return;
    }
    const instance = this.#instances.of(pod, container);
    if (method === 'StartContainer') this.#instances.started(instance, moment);
    else if (method === 'RemoveContainer') this.#instances.removed(instance, moment);
    else this.#observe(pod, objectOf(message?.status), moment);
  }

  event(pod: PodName | undefined, message: Json, moment: Moment): void {
    const statuses = Array.isArray(message.containersStatuses) ? message.containersStatuses : [];
    for (const status of statuses) this.#observe(pod, objectOf(status), moment);
  }

  #observe(pod: PodName | undefined, status: Json, { t, line }: Moment): void {
    const { name, attempt } = objectOf(status.metadata);
    const id = textOf(status.id);
    if (id === '' || textOf(name) === '') return;
    const { state } = status;
    const instances = this.#instances;
    const instance = instances.of(pod, { id, name: textOf(name), attempt: Number(attempt ?? 0) });
    const at = (time: unknown) => ({ t: this.#within(time, t), line });
    if (state === undefined || state === 'CONTAINER_CREATED')
      instances.created(instance, at(status.createdAt));
    if (state !== 'CONTAINER_RUNNING' && state !== 'CONTAINER_EXITED') return;
    instances.started(instance, at(status.startedAt));
    if (state !== 'CONTAINER_EXITED') return;
    const { exitCode = 0, reason } = status;
    instances.ended(instance, at(status.finishedAt), { exitCode: Number(exitCode), reason: textOf(reason) });
  }

  /** Converts a runtime's time to the tape's; returns the time of reading if it can't be right. */
  #within(time: unknown, read: number): number {
    if (typeof time !== 'string' || !/^\d{1,20}$/.test(time)) return read;
    const t = Number(BigInt(time) - this.#startedAt);
    return t >= 0 && t <= read ? t : read;
  }
}

const READ = new Set(['CreateContainer', 'StartContainer', 'RemoveContainer', 'ContainerStatus']);

/** Type of a container event, such as `STOPPED`. */
export function eventName(method: string, message: Json): string {
  if (method !== EVENTS) return method;
  const { containerEventType: type = 'CONTAINER_CREATED_EVENT', containerId, podSandboxStatus } = message;
  const name = textOf(type)
    .replace(/^CONTAINER_/, '')
    .replace(/_EVENT$/, '');
  return objectOf(podSandboxStatus).id === containerId ? `sandbox ${name}` : name;
}

export const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null ? (value as Json) : {};

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
