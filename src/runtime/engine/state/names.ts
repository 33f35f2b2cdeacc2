import { type CriError, conflict, type ObjectKind } from '../../../cri/errors.js';
import type { ContainerMetadata, PodSandboxMetadata } from '../../../cri/gen/runtime/v1/api.js';
import type { EngineRules } from '../rules.js';

/**
 * Names that are taken: (name, namespace, uid, attempt) by a sandbox, from its request until it is removed or its
 * creation failed (INV-12); (sandbox, name, attempt) by a container that is being made, since one that is there is
 * found in its sandbox (INV-13). Where names are those of pods, a container holds its name until it is removed.
 */
export class NameRegistry {
  readonly #owners = new Map<string, string>();
  /** Whether an object that holds a name does not count. */
  readonly #ignores: (holder: string) => boolean;

  constructor(ignores: (holder: string) => boolean = () => false) {
    this.#ignores = ignores;
  }

  /** Throws `conflict` when another object holds the name or is just being created with it. */
  reserve(object: ObjectKind, name: string, owner: string, what: string): void {
    this.refuseTaken(object, name, what);
    this.restore(name, owner);
  }

  /** A name that an object had before a restart; the first object that has it keeps it. */
  restore(name: string, owner: string): void {
    if (!this.#owners.has(name)) this.#owners.set(name, owner);
  }

  /** Throws `conflict` as `reserve` does, and reserves nothing. */
  refuseTaken(object: ObjectKind, name: string, what: string): void {
    const holder = this.#owners.get(name);
    if (holder !== undefined && !this.#ignores(holder)) throw nameTaken(object, what, holder);
  }

  /** When `owner` holds it. */
  release(name: string, owner: string): void {
    if (this.#owners.get(name) === owner) this.#owners.delete(name);
  }
}

/** The `conflict` of a name that `holder` (an id) has. */
export function nameTaken(object: ObjectKind, what: string, holder: string): CriError {
  return conflict(
    `failed to reserve ${what}: it is reserved for "${holder}"; remove that one first, or use another attempt`,
    { name: 'name-taken', object, holder },
  );
}

/** How names are made unique. */
type NameRules = Pick<EngineRules, 'joinedNames'>;

/**
 * By default, lengths make the key unambiguous whatever the parts contain. Joined, because a template keeps its parts, which takes
 * three times the memory.
 */
export function sandboxName(metadata: PodSandboxMetadata, rules: NameRules): string {
  const { name, namespace, uid, attempt } = metadata;
  if (rules.joinedNames) return `sandbox ${describeName(metadata)}`;
  return [attempt, name.length, namespace.length, name, namespace, uid].join(' ');
}

/** As `sandboxName`: what comes last may contain anything. `owner` is the sandbox's id, or the name of the pod. */
export function containerName(owner: string, { name, attempt }: ContainerMetadata): string {
  return [attempt, name.length, name, owner].join(' ');
}

/** The same where a container's name is taken in all sandboxes of its pod. */
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

/** As containerd writes it. */
export function describeName({ name, namespace, uid, attempt }: PodSandboxMetadata): string {
  return `${name}_${namespace}_${uid}_${attempt}`;
}
