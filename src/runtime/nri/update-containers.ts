import type { Backend, BackendHost } from '../engine/backend.js';
import type { ContainerUpdate } from './gen/nri/v1alpha1/api.js';
import { withLimits } from './objects/limits.js';
import { toCri } from './objects/resources.js';
import type { NriLog } from './options.js';
import type { NriRules } from './rules.js';
import type { Tracked } from './tracked.js';

export interface UpdateTargets {
  readonly backend: Backend;
  readonly tracked: Tracked;
  /** Undefined until it has opened the backend. */
  readonly engine: () => BackendHost | undefined;
  readonly log: NriLog;
  readonly rules: NriRules;
}

/** Carries out the plugins' updates in order; returns those that failed. Ignores unknown containers. */
export async function updateContainers(
  updates: readonly ContainerUpdate[],
  targets: UpdateTargets,
): Promise<ContainerUpdate[]> {
  const failed: ContainerUpdate[] = [];
  for (const update of updates)
    try {
      await updateContainer(update, targets);
    } catch (error) {
      targets.log.warn(`NRI update of container ${update.containerId} failed: ${(error as Error).message}`);
      if (!update.ignoreFailure) failed.push(update);
    }
  return failed;
}

async function updateContainer(
  { containerId, linux }: ContainerUpdate,
  { backend, tracked, engine, rules }: UpdateTargets,
): Promise<void> {
  const known = tracked.containers.get(containerId);
  if (known === undefined || linux?.resources === undefined) return;
  const wanted = toCri(linux.resources);
  const { id } = known.container;
  const { signal } = new AbortController();
  const inForce = await backend.updateContainerResources(id, wanted, { signal });
  known.container = withLimits(known.container, wanted, rules);
  engine()?.resourcesChanged(id, inForce);
}
