import { conflict } from '../../cri/errors.js';
import type { ContainerMetadata, PodSandboxMetadata } from '../../cri/gen/runtime/v1/api.js';

/**
 * Names that are taken: (name, namespace, uid, attempt) by a sandbox, (sandbox, name, attempt) by a container. A
 * name is held from its request until the object is removed or its creation failed (INV-12, INV-13).
 */
export class NameRegistry {
  readonly #owners = new Map<string, string>();

  /** Throws `conflict` when another object holds the name or is just being created with it. */
  reserve(name: string, owner: string, what: string): void {
    const holder = this.#owners.get(name);
    if (holder !== undefined)
      throw conflict(
        `failed to reserve ${what}: it is reserved for "${holder}"; remove that one first, or use another attempt`,
      );
    this.#owners.set(name, owner);
  }

  release(name: string): void {
    this.#owners.delete(name);
  }

  clear(): void {
    this.#owners.clear();
  }
}

/**
 * Lengths make the key unambiguous whatever the parts contain. Joined, because a template keeps its parts, which takes
 * three times the memory.
 */
export function sandboxName({ name, namespace, uid, attempt }: PodSandboxMetadata): string {
  return [attempt, name.length, namespace.length, name, namespace, uid].join(' ');
}

export function containerName(
  sandboxId: string,
  { name, attempt }: Pick<ContainerMetadata, 'name' | 'attempt'>,
): string {
  return [attempt, sandboxId, name].join(' ');
}

/** As containerd writes it. */
export function describeName({ name, namespace, uid, attempt }: PodSandboxMetadata): string {
  return `${name}_${namespace}_${uid}_${attempt}`;
}
