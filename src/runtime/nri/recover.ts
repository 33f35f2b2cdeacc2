import type { Backend, Inventory } from '../engine/backend.js';
import { Container, ContainerState, PodSandbox } from './gen/nri/v1alpha1/api.js';
import { imageConfigOf } from './objects/container.js';
import { asShown } from './objects/shown.js';
import type { NriRules } from './rules.js';
import type { Tracked } from './tracked.js';

const states = {
  created: ContainerState.CONTAINER_CREATED,
  running: ContainerState.CONTAINER_RUNNING,
  exited: ContainerState.CONTAINER_STOPPED,
} as const;

export async function recover(
  { sandboxes, containers }: Inventory,
  backend: Backend,
  tracked: Tracked,
  rules: NriRules,
): Promise<void> {
  for (const { spec, runtime, ready } of sandboxes)
    tracked.pods.add(spec.id, {
      pod: PodSandbox.fromPartial(rules.view.pod(spec, runtime, 0)),
      isStopped: !ready,
    });
  for (const { spec, state, startedAt, exit } of containers) {
    const pod = tracked.pods.get(spec.sandboxId)?.pod;
    if (pod === undefined) continue;
    const image = await imageConfigOf(backend, spec);
    const inSpec = Container.fromPartial(rules.view.container(spec, pod, image));
    const container = Container.fromPartial({
      ...asShown(inSpec, spec, rules),
      state: states[state],
      createdAt: spec.createdAt,
      startedAt,
      finishedAt: exit?.finishedAt ?? 0n,
      exitCode: exit?.exitCode ?? 0,
    });
    const isStopped = state === 'exited';
    tracked.containers.add(spec.id, {
      container,
      annotations: inSpec.annotations,
      config: undefined,
      owners: {},
      isStarting: false,
      isStopped,
    });
  }
}
