import { type CriError, conflict, type ObjectKind } from '../../../cri/errors.js';
import type { ContainerMetadata, PodSandboxMetadata } from '../../../cri/gen/runtime/v1/api.js';
import type { EngineRules } from '../rules.js';

/**
 * Names in use. A sandbox holds (name, namespace, uid, attempt) from its request until it is removed or its creation
 * fails (INV-12). A container holds (sandbox, name, attempt) only during its creation: afterwards it is found in its
 * sandbox (INV-13). With `namesInPod`, a container holds its name until it is removed.
 */
export class NameRegistry {
  readonly #owners = new Map<string, string>();
  /** Whether the holder's name is free for others. */
  readonly #ignores: (holder: string) => boolean;

  constructor(ignores: (holder: string) => boolean = () => false) {
    this.#ignores = ignores;
  }

  /** Throws `conflict` when another object holds the name, or is just being created with it. */
  reserve(object: ObjectKind, name: string, owner: string, what: string): void {
    this.refuseTaken(object, name, what);
    this.restore(name, owner);
  }

  /** Restores a name from before a restart; of several objects, the first one keeps it. */
  restore(name: string, owner: string): void {
    if (!this.#owners.has(name)) this.#owners.set(name, owner);
  }

  /** Throws `conflict` as `reserve` does, and reserves nothing. */
  refuseTaken(object: ObjectKind, name: string, what: string): void {
    const holder = this.#owners.get(name);
    if (holder !== undefined && !this.#ignores(holder)) throw nameTaken(object, what, holder);
  }

  /** Does nothing unless `owner` holds it. */
  release(name: string, owner: string): void {
    if (this.#owners.get(name) === owner) this.#owners.delete(name);
  }
}

/** The `conflict` of a name; `holder` is an id. */
export function nameTaken(object: ObjectKind, what: string, holder: string): CriError {
  return conflict(
    `failed to reserve ${what}: it is reserved for "${holder}"; remove that one first, or use another attempt`,
    { name: 'name-taken', object, holder },
  );
}

type NameRules = Pick<EngineRules, 'joinedNames'>;

/** A key for the name; with lengths, it is unambiguous. Joined, because a template literal keeps its parts. */
export function sandboxName(metadata: PodSandboxMetadata, rules: NameRules): string {
  const { name, namespace, uid, attempt } = metadata;
  if (rules.joinedNames) return `sandbox ${describeName(metadata)}`;
  return [attempt, name.length, namespace.length, name, namespace, uid].join(' ');
}

/** Like `sandboxName`: the last part may contain anything. `owner` is the sandbox's id, or the name of the pod. */
export function containerName(owner: string, { name, attempt }: ContainerMetadata): string {
  return [attempt, name.length, name, owner].join(' ');
}

export function containerNameInPod(
  pod: PodSandboxMetadata,
  container: ContainerMetadata,
  rules: NameRules,
): string {
  const { name, namespace, uid } = pod;
  if (rules.joinedNames)
    return `container ${[container.name, name, namespace, uid, container.attempt].join('_')}`;
  return containerName(sandboxName({ ...pod, attempt: 0 }, rules), container);
}

/** In containerd's format. */
export function describeName({ name, namespace, uid, attempt }: PodSandboxMetadata): string {
  return `${name}_${namespace}_${uid}_${attempt}`;
}
