import { expect } from 'vitest';
import {
  type ContainerEventResponse,
  ContainerEventType,
  ContainerState,
  PodSandboxState,
} from '../../src/cri/gen/runtime/v1/api.js';

/**
 * Checks the invariants of the event stream (docs/results/invariants.md, Events) for everything that two subscribers
 * received.
 */
export function checkEvents(
  first: readonly ContainerEventResponse[],
  second: readonly ContainerEventResponse[],
  present: ReadonlySet<string>,
): void {
  expect(second, 'INV-30').toEqual(first);
  let last = 0n;
  for (const event of first) {
    expect(event.createdAt > last, 'INV-31').toBe(true);
    last = event.createdAt;
    checkSnapshot(event);
  }
  for (const [id, types] of byId(first)) checkOrder(id, types, present.has(id));
}

/** INV-32. */
function checkSnapshot({
  containerId,
  containerEventType,
  podSandboxStatus,
  containersStatuses,
}: ContainerEventResponse) {
  expect(podSandboxStatus?.metadata?.uid, 'INV-32').toMatch(/./);
  const own = containersStatuses.find(({ id }) => id === containerId);
  if (containerId === podSandboxStatus?.id) {
    const gone =
      containerEventType === ContainerEventType.CONTAINER_STOPPED_EVENT ||
      containerEventType === ContainerEventType.CONTAINER_DELETED_EVENT;
    expect(podSandboxStatus.state === PodSandboxState.SANDBOX_NOTREADY, 'INV-32').toBe(gone);
    return;
  }
  const states = {
    [ContainerEventType.CONTAINER_CREATED_EVENT]: [ContainerState.CONTAINER_CREATED],
    [ContainerEventType.CONTAINER_STARTED_EVENT]: [
      ContainerState.CONTAINER_RUNNING,
      ContainerState.CONTAINER_EXITED,
    ],
    [ContainerEventType.CONTAINER_STOPPED_EVENT]: [ContainerState.CONTAINER_EXITED],
    [ContainerEventType.CONTAINER_DELETED_EVENT]: [undefined],
    [ContainerEventType.UNRECOGNIZED]: [],
  }[containerEventType];
  expect(states, 'INV-32').toContain(own?.state);
}

/** INV-29: CREATED STARTED? STOPPED? DELETED?. STOPPED without STARTED occurs only after a failed start. */
function checkOrder(id: string, types: string, present: boolean): void {
  expect(types, `INV-29: ${id}`).toMatch(/^c(s(t)?|t)?d?$/);
  expect(types.endsWith('d'), `INV-30: ${id} is ${present ? 'there' : 'gone'}`).toBe(!present);
}

function byId(events: readonly ContainerEventResponse[]): Map<string, string> {
  const letters = ['c', 's', 't', 'd'];
  const types = new Map<string, string>();
  for (const { containerId, containerEventType } of events)
    types.set(containerId, (types.get(containerId) ?? '') + letters[containerEventType]);
  return types;
}
