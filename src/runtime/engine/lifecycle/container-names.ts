import type { ContainerMetadata, PodSandboxMetadata } from '../../../cri/gen/runtime/v1/api.js';
import type { ContainerSpec } from '../backend.js';
import type { Engine } from '../engine.js';
import type { EngineRules } from '../rules.js';
import { containerName, containerNameInPod, describeName, nameTaken } from '../state/names.js';
import type { SandboxRecord } from '../state/records.js';

/** Where a container is created: its sandbox, and the pod of the request, which may be another one. */
export interface NameScope {
  readonly sandbox: SandboxRecord;
  readonly pod: PodSandboxMetadata;
}

/** Throws `conflict` when a container has this name and attempt. */
export function refuseTaken(engine: Engine, place: NameScope, metadata: ContainerMetadata): void {
  const { sandbox, pod } = place;
  const { name, attempt } = metadata;
  const what = describe(engine, place, metadata);
  if (engine.rules.namesInPod) {
    engine.names.refuseTaken('container', containerNameInPod(pod, metadata, engine.rules), what);
    return;
  }
  const holder = sandbox.containers.find((one) => one.name === name && one.attempt === attempt);
  if (holder !== undefined) throw nameTaken('container', what, holder.id);
}

/** Reserves the container's name for the new id during its creation; with `namesInPod`, until it is removed. */
export async function reserving<T>(
  engine: Engine,
  place: NameScope,
  metadata: ContainerMetadata,
  make: (id: string) => Promise<T>,
): Promise<T> {
  const { names, rules } = engine;
  const id = engine.newId();
  refuseTaken(engine, place, metadata);
  const { sandbox, pod } = place;
  const name = rules.namesInPod
    ? containerNameInPod(pod, metadata, rules)
    : containerName(sandbox.id, metadata);
  names.reserve('container', name, id, describe(engine, place, metadata));
  try {
    const made = await make(id);
    if (!rules.namesInPod) names.release(name, id);
    return made;
  } catch (error) {
    names.release(name, id);
    throw error;
  }
}

/** The name that a container holds until it is removed; undefined unless `namesInPod`. */
export function heldName(rules: EngineRules, { config, sandboxConfig }: ContainerSpec): string | undefined {
  const pod = sandboxConfig.metadata;
  return rules.namesInPod && pod !== undefined && config.metadata !== undefined
    ? containerNameInPod(pod, config.metadata, rules)
    : undefined;
}

function describe(
  { rules }: Engine,
  { sandbox, pod }: NameScope,
  { name, attempt }: ContainerMetadata,
): string {
  const where = rules.namesInPod ? `pod "${describeName(pod)}"` : `sandbox "${sandbox.id}"`;
  return `container name "${name}", attempt ${attempt}, in ${where}`;
}
