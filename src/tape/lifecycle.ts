import { type ContainerEventResponse, ContainerEventType } from '../cri/gen/runtime/v1/api.js';
import type { ContainerName, Happening } from './entries.js';
import { subjectOf } from './subjects.js';

const containerSteps = {
  [ContainerEventType.CONTAINER_CREATED_EVENT]: 'created',
  [ContainerEventType.CONTAINER_STARTED_EVENT]: 'started',
  [ContainerEventType.CONTAINER_STOPPED_EVENT]: 'ended',
  [ContainerEventType.CONTAINER_DELETED_EVENT]: 'removed',
} as const;

const sandboxSteps = {
  [ContainerEventType.CONTAINER_STARTED_EVENT]: 'ready',
  [ContainerEventType.CONTAINER_STOPPED_EVENT]: 'stopped',
  [ContainerEventType.CONTAINER_DELETED_EVENT]: 'removed',
} as const;

export type LifecycleReader = (event: ContainerEventResponse) => Happening | undefined;

/** Undefined for nothing new. Remembers names of containers, because removal events have none. */
export function createLifecycleReader(): LifecycleReader {
  const names = new Map<string, ContainerName>();
  return (event) => {
    for (const { id, metadata } of event.containersStatuses)
      if (metadata !== undefined) names.set(id, { id, name: metadata.name, attempt: metadata.attempt });
    const happening = happeningOf(event, names);
    if (happening?.kind === 'container' && happening.what === 'removed') names.delete(event.containerId);
    return happening;
  };
}

function happeningOf(
  event: ContainerEventResponse,
  names: ReadonlyMap<string, ContainerName>,
): Happening | undefined {
  const { containerId, containerEventType: type, podSandboxStatus: sandbox, containersStatuses } = event;
  const facts = sandbox?.metadata && { ...sandbox.metadata, id: sandbox.id, labels: {} };
  const { pod } = subjectOf({ pod: facts });
  if (sandbox?.id === containerId) {
    const what = sandboxSteps[type as keyof typeof sandboxSteps];
    return pod && what && { kind: 'sandbox', pod, what };
  }
  const what = containerSteps[type as keyof typeof containerSteps];
  if (what === undefined) return undefined;
  const status = containersStatuses.find(({ id }) => id === containerId);
  const container = names.get(containerId) ?? { id: containerId, name: '' };
  const end = what === 'ended' && status ? { exitCode: status.exitCode, reason: status.reason } : {};
  return { kind: 'container', ...(pod && { pod }), container, what, ...end };
}
